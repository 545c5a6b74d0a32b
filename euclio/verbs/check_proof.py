"""`euclio check-proof`: check a proof file that `certify` wrote, step by step."""

from __future__ import annotations

import math
import time
from argparse import Namespace
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.certificate import NoProofError
from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_decimal_text
from euclio.core.parameters import Parameter, verb_text
from euclio.core.result import AnyResult, WrittenResult
from euclio.files.boundary import at
from euclio.files.json_reading import read_data
from euclio.files.json_writing import json_text
from euclio.files.result_files import reasons_against
from euclio.proving.certifying import claim_of
from euclio.proving.files.checker import RefusedError, UnreadableError, check_text, text_of
from euclio.proving.proof_files import Asked, not_of_claim
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import OPEN, REFUSED, SOLVED
from euclio.verbs.interface.inputs import GivenInstance, GivenResult, given_instance, given_result
from euclio.verbs.interface.shared_parameters import POLICY, TIME_LIMIT, json_of
from euclio.verbs.interface.verb import verb

if TYPE_CHECKING:
    from euclio.proving.files.checker import Accepted


@dataclass(frozen=True, slots=True)
class ProofChecked:
    """The verdict on a proof file.

    Attributes:
        reason: why it is refused or left open; empty if it is accepted.
        shown: the statement that it proves; None if it is refused.
        claim: the claim of the result, in words; empty without a result.
        plan_space: the plan space of that claim, in words.
        changes: the changes of the instance that the result states, in words; empty without any.
        open: whether euclio could not make the claim's program again, so that the programs cannot be compared.
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
        """Whether it is accepted as a proof of a result's claim; False also if it was not compared with one."""
        return self.accepted and bool(self.claim)


@verb(TIME_LIMIT, POLICY)
def check_proof(
    file: str | Path,
    instance: Any = None,
    result: AnyResult | WrittenResult | str | Path | GivenResult | None = None,
    *,
    time_limit: Number | None = None,
    policy: Any = None,
) -> ProofChecked:
    """Check a proof file of `certify`, step by step in fractions, as `euclio check-proof` does.

    The reader is one file that needs only the standard library (`euclio.proving.files.checker`). It checks the file's
    statement on the program in the file. With an instance and a result, euclio makes the program again and requires the
    same one: then the file proves the claim of the result.

    Args:
        file: its path; packed by gzip or not.
        instance: the instance of the claim, or the path of its file; None means that the program is not compared.
        result: the result with the claim, or the path of a file; it needs `instance`.
        time_limit: limit in seconds of making the program again; None means no limit.
        policy: the user's own policy of a written result (``"FILE.py:NAME"``).

    Returns:
        Whether it is accepted, with its statement or the reason; with a result, also the claim.

    Raises:
        InputError: the file cannot be read, or is no proof file; an instance without a result.
    """
    if (instance is None) != (result is None):
        raise InputError("a proof file is of a result's claim; give the instance and the result", field="instance")
    limit_s = None if time_limit is None else float(time_limit)
    try:
        text = text_of(read_data(Path(file)))
        shown = check_text(text)
    except UnreadableError as error:
        message = f"{error}; give a file that {verb_text('certify', '--proof')} wrote"
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
    """An accepted file compared with the claim of a result."""
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


@command(
    check_proof,
    Parameter("file", help="proof file (VIPR 1.0), packed by gzip or not", metavar="FILE"),
    Parameter("instance", help="the instance of the claim", metavar="INSTANCE", details={"nargs": "?"}),
    Parameter("result", help="the result with the claim", metavar="RESULT", details={"nargs": "?"}),
    json_of("what is found", ""),
    about="Check every step of a proof file of `euclio certify --proof`, and its conclusion. With INSTANCE and RESULT, "
    "also compare its comments, program and conclusion with those of the result's claim.",
    page="certificates.md#proof-files",
    exits="0 accepted, 1 refused, 4 open",
    examples=("euclio check-proof proof.vipr",),
)
def print_proof(arguments: Namespace) -> int:
    """Check and print what is shown."""
    found = check_proof(arguments.file, arguments.instance, arguments.result, **arguments.keywords)
    print(json_text(_data(found)) if arguments.json else "\n".join(_lines(found)))
    return OPEN if found.open else SOLVED if found.accepted else REFUSED


def _lines(found: ProofChecked) -> list[str]:
    """The verdict, line by line."""
    of_claim = [f"claim: {found.claim}"] if found.claim else []
    of_claim += [f"with {found.changes}"] if found.changes else []
    of_claim += [f"plan space: {found.plan_space}"] if found.plan_space else []
    if found.shown is None:
        return [f"refused: {found.reason}", *of_claim]
    if found.open:
        return [f"open: {found.reason}", *of_claim, f"of the program in it the file shows: {_in_words(found.shown)}"]
    size = f"the file has {found.shown.size}; its first lines say what they mean"
    compared = _MADE_ANEW if found.of_claim else _NOT_COMPARED
    return [f"accepted: {_in_words(found.shown)}", *of_claim, size, compared]


_MADE_ANEW = "these and its program are those of the claim, made anew from the instance and the result"
_NOT_COMPARED = "its program is taken as it is: only INSTANCE and RESULT show that it is what these lines say"


def _data(found: ProofChecked) -> dict[str, object]:
    """The verdict as plain data of schema ``euclio/proof-checked/1``; numbers as text, since they are fractions."""
    shown = found.shown
    bound, solved = (None, None) if shown is None else (shown.bound, shown.solved)
    return {
        "schema": "euclio/proof-checked/1",
        "accepted": found.accepted,
        "open": found.open,
        "reason": found.reason or None,
        "of_claim": found.of_claim,
        "claim": found.claim or None,
        "plan_space": found.plan_space or None,
        "changes": found.changes or None,
        "infeasible": shown is not None and shown.infeasible,
        "bound": None if bound is None else _number(bound),
        "solved": None if solved is None else _number(solved),
    }


def _in_words(shown: Accepted) -> str:
    """The statement of a file, with decimals if its numbers are."""
    said = ["there is no feasible point"] if shown.infeasible else []
    said += [] if shown.bound is None else [f"no feasible point is better than {_number(shown.bound)}"]
    said += [] if shown.solved is None else [f"one has {_number(shown.solved)} or better"]
    return ", ".join(said)


def _number(value: Fraction) -> str:
    """A number as a decimal where it is one, else as a fraction; files of others may hold any."""
    return exact_decimal_text(value) or str(value)
