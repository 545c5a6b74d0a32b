"""Whether a proof file can state what is false: drawn programs, their cutoffs, and their files spoilt at random.

An attacker writes files too, and says that they are of a session, day, fleet or cluster: spoilt ones, those of another
instance, and proofs of programs of his own. The check must refuse each of them for the claim if it states anything else
than the claim's own file. Every claim with a file is true by enumeration.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import euclio
from euclio.core.certificate import NoProofError
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.proving.certifying import claim_of, written
from euclio.proving.files.branch_and_bound import UnprovenError, prove
from euclio.proving.files.checker import RefusedError, UnreadableError, check_text
from euclio.proving.files.model import Proof, Row, Variable
from euclio.proving.files.text import proof_text
from euclio.proving.proof_files import Asked, not_of_claim, proven
from tests.helpers.drawn_programs import drawn_program, reference
from tests.helpers.exact_milp import TooManyError, minimum
from tests.helpers.proof_files import Stated, is_true, spoilt, stated

from .search import Found, Search
from .search_certificates import EXACT, LIMIT_S, beaten, drawn_case

SPOILT = 20
"""Spoilt files of a seed."""
ATTACKED, PROVEN_ANEW = 10, 10
"""Files of a seed that an attacker writes for a claim."""
KINDS = 6
"""Seeds from a case of `drawn_case` to the next of the same family."""
COMMENTS = ("all sessions,", "VER 1.0 RTP infeas", "\n%")
"""Text that an attacker writes into the first lines."""
MORE = (Fraction(1, 10**12), Fraction(1, 100), Fraction(1, 2), Fraction(-1, 100))
"""Values that an attacker adds to a number."""
CHANGED_ROWS = 3 / 7
"""Share of the programs of his own in which it is a row that he changes."""


def look(seed: int) -> Found:
    """A program with cutoffs at its optimum, below and above it, and its file with something changed."""
    model = drawn_program(seed)
    least = minimum(reference(model))
    faults: list[str] = []
    text, undecided = "", 0
    for cutoff in (None, *_cutoffs(least)):
        holds = least is None if cutoff is None else least is None or cutoff <= least
        try:
            text = proof_text(prove(model, cutoff))
            check_text(text)
        except UnprovenError:
            undecided += holds
        except (RefusedError, UnreadableError) as error:
            faults.append(f"the file of cutoff {cutoff} is refused: {error}")
        else:
            faults += [] if holds else [f"cutoff {cutoff} is proven, but the least cost is {least}"]
    draw = random.Random(f"spoilt {seed}")
    for changed in (spoilt(text, draw) for _ in range(SPOILT if text else 0)):
        faults += _against(changed)
    attacked = _attacked(seed, draw)
    return Found(SPOILT + attacked.cases, (*faults, *attacked.faults), undecided)


def _attacked(seed: int, draw: random.Random) -> Found:
    """Files that an attacker writes for a claim, each held against the claim's own file."""
    try:
        (proof, own, asked), (_, other, _) = _claim_file(seed), _claim_file(seed + KINDS)
    except (NoProofError, InputError):
        return Found(0)
    faults = [f"refused: {why}"] if (why := _not_of_claim(own, asked)) else []
    of_others = [own.replace("% ", f"% {what} ", 1) for what in COMMENTS] + list(_proven_anew(proof, draw))
    faults += [f"accepted, and says what is not so: {text!r}" for text in of_others if not _refused(text, asked)]
    said = _program_and_bound(own)
    for _ in range(ATTACKED):
        text = draw.choice((_spoilt_twice, _renamed, _raised, _invented))(own, other, draw)
        if not _refused(text, asked) and _program_and_bound(text) != said:
            faults.append(f"accepted of {asked.instance.name}, whose own file says {said}: {text!r}")
    return Found(ATTACKED + len(of_others), tuple(faults))


def _program_and_bound(text: str) -> Stated:
    """The statement of a file without its solution, which may differ."""
    return replace(stated(text), high=None)


def _refused(text: str, asked: Asked) -> bool:
    """Whether a file is refused for a claim, by the checker of files or for its statement."""
    try:
        check_text(text)
    except (RefusedError, UnreadableError):
        # The lists that a prover splits may be no lists of alternatives any more.
        return True
    return bool(_not_of_claim(text, asked))


def _not_of_claim(text: str, asked: Asked) -> str:
    return not_of_claim(text, asked, time.perf_counter() + LIMIT_S)


def _proven_anew(own: Proof, draw: random.Random) -> Iterator[str]:
    """True proofs, by euclio's own prover, of programs that differ from a claim's in one number, kind or sense."""
    for _ in range(PROVEN_ANEW):
        variables, rows = list(own.model.variables), list(own.model.rows)
        of_rows = not variables or draw.random() < CHANGED_ROWS
        at = draw.randrange(len(rows if of_rows else variables))
        if of_rows:
            rows[at] = draw.choice(_other_rows(rows[at], draw))
        else:
            variables[at] = draw.choice(_other_variables(variables[at], draw.choice(MORE)))
        model = replace(own.model, variables=tuple(variables), rows=tuple(rows))
        with suppress(UnprovenError):
            yield proof_text(prove(model, own.cutoff))


def _other_variables(own: Variable, more: Fraction) -> list[Variable]:
    return [
        replace(own, cost=own.cost + more),
        replace(own, lower=own.lower - more),
        replace(own, upper=own.upper + more),
        replace(own, integer=not own.integer),
    ]


def _other_rows(own: Row, draw: random.Random) -> list[Row]:
    more = draw.choice(MORE)
    found = [replace(own, most=own.most - more), replace(own, equal=not own.equal)]
    if own.terms:
        k = draw.choice(list(own.terms))
        found.append(replace(own, terms={**own.terms, k: own.terms[k] + more}))
    return found


def _claim_file(seed: int) -> tuple[Proof, str, Asked]:
    """The proof of an exact method's claim, its file, and the claim.

    Raises:
        InputError: it claims nothing.
        NoProofError: it has none.
    """
    case = drawn_case(seed)
    if case is None:
        raise NoProofError("it is too large for the reference")
    found = euclio.solve(case.instance, EXACT[case.family], space=case.space, time_limit_s=LIMIT_S)
    said = written(case.instance, found)
    asked = Asked(
        family_of(case.instance), case.instance, said, found.evaluation, claim_of(said, found.evaluation).cutoff
    )
    made = proven(asked, time.perf_counter() + LIMIT_S)
    if not case.truth.infeasible if asked.cutoff is None else beaten(case, asked.cutoff):
        raise AssertionError(f"{asked.cutoff} has a file, but the optimum is {case.truth}: {case.instance.name}")
    return *made, asked


def _spoilt_twice(own: str, other: str, draw: random.Random) -> str:
    once = spoilt(own, draw)
    return spoilt(once, draw) if "\nVER" in f"\n{once}" else once


def _renamed(own: str, other: str, draw: random.Random) -> str:
    """Another claim's file under the first lines of this one."""
    comments = [line for line in own.split("\n") if line.startswith("%")]
    return "\n".join([*comments, *(line for line in other.split("\n") if not line.startswith("%"))])


def _raised(own: str, other: str, draw: random.Random) -> str:
    """The file with one of its numbers raised wherever it stands, in the program, the promise and the steps."""
    numbers = sorted({word for word in own.split() if "/" in word})
    if not numbers:
        return other
    chosen = draw.choice(numbers)
    more = str(Fraction(chosen) * draw.choice((Fraction(11, 10), 2, Fraction(1000001, 1000000))))
    return "\n".join(" ".join(more if w == chosen else w for w in line.split(" ")) for line in own.split("\n"))


def _invented(own: str, other: str, draw: random.Random) -> str:
    """A true proof of a program of one row that says what the attacker likes, under the first lines of this one."""
    comments = [line for line in own.split("\n") if line.startswith("%")]
    told = draw.choice((Fraction(1, 1000), 2, 10**9))
    body = f"VER 1.0\nVAR 1\nx\nINT 0\nOBJ min 1 0 1\nCON 1 1\nc G {told} 1 0 1\nRTP range {told} inf\nSOL 0\nDER 0\n"
    # Without a step the last given row is what is shown.
    return "\n".join([*comments, body])


def _cutoffs(least: Fraction | float | None) -> Iterator[Fraction]:
    if not isinstance(least, Fraction):
        yield Fraction(7)
        return
    yield from (least - 1, least, least + Fraction(1, 10**30), least + Fraction(1, 10**9))


def _against(text: str) -> list[str]:
    """The false statement of an accepted spoilt file."""
    try:
        check_text(text)
        return [] if is_true(stated(text)) else [f"accepted, but false: {text!r}"]
    except (RefusedError, UnreadableError, TooManyError):
        return []


SEARCH = Search(
    "proof-files",
    "no proof file states what is false, spoilt ones and those of an attacker neither; what is true has one (open: no "
    "prices were found)",
    "files",
    look,
    range(20),
)
