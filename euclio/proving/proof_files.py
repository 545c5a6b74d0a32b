"""Proof files of claims that are certified: made by the family, read again by the checker of files, and written."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.certificate import NoProofError, ProofFile, Verdict
from euclio.core.family import Checked, Family
from euclio.core.result import WrittenResult
from euclio.core.system import LateError, interrupted_at
from euclio.files.json_writing import write_bytes
from euclio.proving.files.checker import RefusedError, UnreadableError, check_text
from euclio.proving.files.model import Posed, Proof
from euclio.proving.files.text import packed, proof_text

MOST_BYTES = 10_000_000
"""Largest file, before it is packed: larger ones take longer than ten seconds to be checked."""
SPARE_S = 0.5
"""Seconds beyond its deadline after which a prover, or the making of a file, is interrupted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The claim that a proof file is to prove.

    Attributes:
        family: the family.
        instance: the instance, with the changes of the result.
        said: the result.
        checked: the checker's answer on its plan; None if it has none.
        cutoff: no plan may be better than this. None means that there may be no plan.
    """

    family: Family
    instance: Any
    said: WrittenResult
    checked: Checked | None
    cutoff: Fraction | None

    @property
    def needs_none(self) -> bool:
        """Whether the checker alone decides the claim: a cost is never below 0."""
        return self.cutoff is not None and self.cutoff <= 0 and not self.said.goal.maximised


def file_proof(asked: Asked, verdict: Verdict, deadline: float, path: str | Path) -> tuple[ProofFile | None, str]:
    """Write a proof file.

    Args:
        asked: the claim.
        verdict: its verdict.
        deadline: `time.perf_counter` value at which to stop.
        path: where.

    Returns:
        The file, and an empty text; or None, and why there is none.

    Raises:
        InputError: it cannot be written.
    """
    if verdict is not Verdict.CERTIFIED:
        return None, "only a claim that is certified has one"
    try:
        data = packed(proven(asked, deadline)[1], path)
    except NoProofError as error:
        return None, str(error)
    write_bytes(data, path)
    return ProofFile(str(path), len(data)), ""


def proven(asked: Asked, deadline: float) -> tuple[Proof, str]:
    """A proof of a certified claim that needs one, and the text of its file, as far as the files' checker accepts it.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    _refuse_none_needed(asked)
    if "attainment" in asked.said.options:
        raise NoProofError("claims about an attainment have no proof model yet")
    if asked.family.prove is None:
        raise NoProofError(f"{asked.family.instances} have no proof model yet")
    plan = asked.said.plan if asked.checked is not None and asked.checked.feasible else None
    try:
        with interrupted_at(deadline + SPARE_S):
            proof: Proof = asked.family.prove(asked.instance, asked.said.space, plan, asked.cutoff, deadline)
            text = proof_text(proof)
            if len(text) > MOST_BYTES:
                most = MOST_BYTES / 1e6
                raise NoProofError(f"the file would have {len(text) / 1e6:.3g} MB; {most:.3g} MB are written at most")
            check_text(text)
    except LateError:
        raise NoProofError("the time limit was reached") from None
    except (RefusedError, UnreadableError) as error:
        raise NoProofError(f"the file was refused by its own checker, please report it: {error}") from None
    return proof, text


def not_of_claim(text: str, asked: Asked, deadline: float) -> str:
    """Why a file's comments, program and promise are not those of a claim; empty if they are, word for word.

    A file shows something of its own program. To see that this program is the claim's, the prover makes the claim's
    anew and compares the two and their comments. The file's proof and the solution that it names are free to differ.

    Args:
        text: the file, which the checker of files has accepted.
        asked: the claim.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: the claim's own program could not be made anew, so the file's cannot be compared.
    """
    own = _what_is_said(proven(asked, deadline)[1])
    their = _what_is_said(text)
    if their == own:
        return ""
    at = next((k for k, (a, b) in enumerate(zip(their, own, strict=False)) if a != b), min(len(their), len(own)))
    told = [words[at][:40] if at < len(words) else "its end" for words in (their, own)]
    return f"what it says is not what this claim says: it has {told[0]!r} where {told[1]!r} stands"


def _what_is_said(text: str) -> list[str]:
    """The words of a file's comments, then those of its program, up to the bound on all points."""
    comments: list[str] = []
    words: list[str] = []
    for line in text.split("\n"):
        (comments if line.lstrip().startswith("%") else words).extend(line.split())
    end = words.index("RTP") + 2
    return comments + words[: end if words[end - 1] == "infeas" else end + 1]


def posed(asked: Asked, deadline: float) -> Posed:
    """The program of a certified claim of a plan's cost, without a proof.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    _refuse_none_needed(asked)
    if asked.family.pose is None:
        raise NoProofError(f"{asked.family.instances} have no program but those of their proofs")
    try:
        with interrupted_at(deadline + SPARE_S):
            found: Posed = asked.family.pose(asked.instance, asked.said.space, asked.said.plan, asked.cutoff, deadline)
    except LateError:
        raise NoProofError("the time limit was reached") from None
    return found


def _refuse_none_needed(asked: Asked) -> None:
    if asked.needs_none:
        raise NoProofError("no cost is below 0, which needs no proof")
