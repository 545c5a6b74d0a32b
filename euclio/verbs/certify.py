"""`verify` and `certify`: whether a result is accepted, and whether what it claims holds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.certificate import Certificate, NoProofError
from euclio.core.errors import InputError
from euclio.core.family import Checked
from euclio.core.numbers import Number
from euclio.core.result import AnyResult, WrittenResult
from euclio.files.boundary import at
from euclio.files.json_reading import read_data
from euclio.files.json_writing import check_outputs
from euclio.files.result_files import reasons_against
from euclio.verbs.inputs import GivenInstance, GivenResult, given_instance, given_result
from euclio.verbs.keywords import time_limit_of
from euclio.verbs.verb import verb

if TYPE_CHECKING:
    from euclio.proving.files.checker import Accepted


@dataclass(frozen=True, slots=True)
class Verified:
    """What the checker says of a result.

    Attributes:
        reasons: why it is refused; empty: it is accepted.
        evaluation: the checker's answer on its plan; None: it has none.
        result: the result.
    """

    reasons: tuple[str, ...]
    evaluation: Checked | None
    result: WrittenResult

    @property
    def accepted(self) -> bool:
        """Whether it is accepted."""
        return not self.reasons


@verb()
def verify(
    instance: Any, result: AnyResult | WrittenResult | str | Path | GivenResult, *, policy: Any = None
) -> Verified:
    """Check and price a result again, under the plan space that stands in it, as `euclio verify` does.

    Args:
        instance: the instance that it is a result of, without the changes that it states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file.
        policy: the user's own policy that a written result was made under (``"FILE.py:NAME"``); what a file names is
            not run.

    Returns:
        Whether it is accepted, and why not.

    Raises:
        InputError: a file that cannot be read, or a result of another instance.
    """
    given = given_instance(instance)
    said = given_result(result, given, policy).result
    if said.plan is None:
        return Verified((f"the result has no plan (status {said.status.value})",), None, said)
    evaluation = given.family.evaluate(said.changed, said.plan, said.space)
    return Verified(tuple(reasons_against(said.changed, said, evaluation)), evaluation, said)


@verb()
def certify(
    instance: Any,
    result: AnyResult | WrittenResult | str | Path | GivenResult,
    time_limit_s: Number | None = None,
    *,
    time_limit: Number | None = None,
    proof: str | Path | None = None,
    policy: Any = None,
) -> Certificate:
    """Certify or refute what a result claims, as `euclio certify` does.

    The claim is the strongest that the result makes (`euclio.proving.certifying.certify`).

    Args:
        instance: the instance that it is a result of, without the changes that it states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file.
        time_limit_s: as `time_limit`.
        time_limit: limit of the search in seconds, and of making the proof file; None: none.
        proof: write a proof file there that others' programs can check, compressed if the name ends in ``.gz``.
        policy: the user's own policy that a written result was made under (``"FILE.py:NAME"``).

    Returns:
        The certificate; where it refutes the claim with a better plan, that stands in it
        (`euclio.proving.certifying.better_result`). Its `proof` is the file that was written; where there is
        none, `no_proof` says why.

    Raises:
        InputError: the result claims nothing that could be certified, or is of another instance; the proof file cannot
            be written.
    """
    from euclio.proving.certifying import certify as certify_result

    given = given_instance(instance)
    said = given_result(result, given, policy)
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": time_limit_s})
    check_outputs({"--proof": proof}, [given.file, said.file])
    with at("", said.file):
        target = given.instance if isinstance(result, WrittenResult) else said.result.changed
        return certify_result(target, said.result, limit_s, proof)


@dataclass(frozen=True, slots=True)
class ProofChecked:
    """What the reader of proof files says of one.

    Attributes:
        reason: why it is refused, or left open; empty: it is accepted.
        shown: what it shows; None: it is refused.
        claim: the claim of the result that it was compared with, in words; empty: it was not compared.
        plan_space: the plan space of that claim, in words.
        changes: the changes of the instance that the result states, in words; empty: there are none.
        open: whether the claim's program could not be made anew, so that the file may be one of it or not.
    """

    reason: str
    shown: Accepted | None
    claim: str = ""
    plan_space: str = ""
    changes: str = ""
    open: bool = False

    @property
    def accepted(self) -> bool:
        """Whether it is accepted: every step follows, and it is about the claim, where one was given."""
        return self.shown is not None and not self.reason

    @property
    def of_claim(self) -> bool:
        """Whether it is accepted as a proof of a result's claim; False: it was not compared, or is none."""
        return self.accepted and bool(self.claim)


@verb()
def check_proof(
    file: str | Path,
    instance: Any = None,
    result: AnyResult | WrittenResult | str | Path | GivenResult | None = None,
    *,
    time_limit: Number | None = None,
    policy: Any = None,
) -> ProofChecked:
    """Check a proof file of `certify`, step by step in fractions, as `euclio check-proof` does.

    The reader is one file of the standard library alone, which runs without euclio (`euclio.proving.files.checker`). It
    sees what the file shows of the program in it. With an instance and a result, the program is made anew from these
    and has to be the same: then the file proves what the result claims.

    Args:
        file: its path; packed by gzip or not.
        instance: the instance that it is said to be of, or the path of its file; None: the program is not looked at.
        result: the result whose claim it is said to prove, or the path of a file; it goes with `instance`.
        time_limit: limit of making the program anew in seconds; None: none.
        policy: the user's own policy that a written result was made under (``"FILE.py:NAME"``).

    Returns:
        Whether it is accepted, and what it shows or why not; with a result, also what that claims.

    Raises:
        InputError: the file cannot be read, or is no proof file; an instance without a result.
    """
    from euclio.proving.files.checker import RefusedError, UnreadableError, check_text, text_of

    if (instance is None) != (result is None):
        raise InputError("a proof file is of a result's claim; give the instance and the result", field="instance")
    limit_s = time_limit_of({"time_limit": time_limit, "time_limit_s": None})
    try:
        text = text_of(read_data(Path(file)))
        shown = check_text(text)
    except UnreadableError as error:
        message = f"{error}; give a file that `euclio certify --proof` wrote"
        raise InputError(message, file=str(file)) from None
    except RefusedError as error:
        return ProofChecked(str(error), None)
    if instance is None or result is None:
        return ProofChecked("", shown)
    given = given_instance(instance)
    return _against_claim(text, shown, given, given_result(result, given, policy), limit_s)


def _against_claim(
    text: str, shown: Accepted, given: GivenInstance, read: GivenResult, limit_s: float | None
) -> ProofChecked:
    """What an accepted file is next to what a result claims."""
    from euclio.proving.certifying import claim_of
    from euclio.proving.proof_files import Asked, not_of_claim

    said = read.result
    evaluation = None if said.plan is None else given.family.evaluate(said.changed, said.plan, said.space)
    refused = [] if evaluation is None else reasons_against(said.changed, said, evaluation)
    if refused:
        return ProofChecked(f"the result is refused itself: {refused[0]}", None)
    with at("", read.file):
        claim = claim_of(said, evaluation)
    space, changes = given.family.describe_space(said.space), "" if said.changes is None else said.changes.in_words()
    deadline = math.inf if limit_s is None else time.perf_counter() + limit_s
    try:
        why = not_of_claim(text, Asked(given.family, said.changed, said, evaluation, claim.cutoff), deadline)
    except NoProofError as error:
        why = f"the program of this claim could not be made anew: {error}"
        return ProofChecked(why, shown, claim.words, space, changes, open=True)
    return ProofChecked(why, None if why else shown, claim.words, space, changes)
