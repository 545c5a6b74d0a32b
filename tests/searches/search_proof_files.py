"""Whether a proof file can state what is false: drawn programs, their cutoffs, and their files spoilt at random.

An attacker writes files too, and says that they are of a session: spoilt ones, those of another session, and proofs of
programs of his own. None may be accepted for the session's claim that says more of its plans than their enumeration.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import euclio
from euclio.certification.certifying import claim_of, written
from euclio.certification.proof_files import Asked, not_of_claim, proven
from euclio.core.certificate import NoProofError
from euclio.core.families import family_of
from euclio.proofs.branching import UnprovenError, prove
from euclio.proofs.checker import RefusedError, UnreadableError, check_text
from euclio.proofs.model import Proof, Variable
from euclio.proofs.writing import proof_text
from tests.helpers.drawn_programs import drawn_program, reference
from tests.helpers.exact_milp import TooManyError, minimum
from tests.helpers.oracle_sessions import small_session
from tests.helpers.proof_files import is_true, spoilt, stated

from .search import Found, Search

SPOILT = 20
"""Spoilt files of a seed."""
ATTACKED, PROVEN_ANEW = 10, 10
"""Files of a seed that an attacker writes for a session."""
COMMENTS = ("all sessions,", "VER 1.0 RTP infeas", "\n%")
"""What an attacker writes into the first lines."""
MORE = (Fraction(1, 10**12), Fraction(1, 100), Fraction(1, 2), Fraction(-1, 100))
"""What an attacker adds to a number."""
MARGIN = Fraction(1, 10**9)
"""Share by which a proof may be above an optimum: what "optimal" means."""


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
    """Files that an attacker writes for a session, each held against the optimum of its enumeration."""
    try:
        (proof, own, asked, least), (_, other, _, _) = _session_file(seed), _session_file(seed + 1)
    except NoProofError:
        return Found(0)
    faults = [f"refused: {why}"] if (why := not_of_claim(own, asked, math.inf)) else []
    of_others = [own.replace("% ", f"% {what} ", 1) for what in COMMENTS] + list(_proven_anew(proof, draw))
    faults += [f"accepted, and says what is not so: {text!r}" for text in of_others if not _refused(text, asked)]
    for _ in range(ATTACKED):
        text = draw.choice((_spoilt_twice, _renamed, _raised, _invented))(own, other, least, draw)
        try:
            shown = check_text(text)
        except (RefusedError, UnreadableError):
            continue
        says_too_much = shown.infeasible or (shown.bound is not None and shown.bound > least * (1 + MARGIN))
        if says_too_much and not not_of_claim(text, asked, math.inf):
            faults.append(f"accepted of a session whose optimum is {least}: {text!r}")
    return Found(ATTACKED + len(of_others), tuple(faults))


def _refused(text: str, asked: Asked) -> bool:
    """Whether a file is refused for a claim."""
    try:
        check_text(text)
    except RefusedError:
        # The lists that a prover splits are no lists of alternatives any more.
        return True
    return bool(not_of_claim(text, asked, math.inf))


def _proven_anew(own: Proof, draw: random.Random) -> Iterator[str]:
    """True proofs, by euclio's own prover, of programs that differ from a session's in one number, kind or sense."""
    for _ in range(PROVEN_ANEW):
        variables, rows = list(own.model.variables), list(own.model.rows)
        j, i, more = draw.randrange(len(variables)), draw.randrange(len(rows)), draw.choice(MORE)
        one, row = variables[j], rows[i]
        k = draw.choice(list(row.terms))
        changed = (
            replace(one, cost=one.cost + more),
            replace(one, lower=one.lower - more),
            replace(one, upper=one.upper + more),
            replace(one, integer=not one.integer),
            replace(row, most=row.most - more),
            replace(row, equal=not row.equal),
            replace(row, terms={**row.terms, k: row.terms[k] + more}),
        )
        changed_one = draw.choice(changed)
        if isinstance(changed_one, Variable):
            variables[j] = changed_one
        else:
            rows[i] = changed_one
        model = replace(own.model, variables=tuple(variables), rows=tuple(rows))
        with suppress(UnprovenError):
            yield proof_text(prove(model, own.cutoff))


def _session_file(seed: int) -> tuple[Proof, str, Asked, Fraction]:
    """The proof of a session's optimum, its file, its claim and the optimum by enumeration.

    Raises:
        NoProofError: it has none.
    """
    session = small_session(seed)
    found = euclio.solve(session, "plan-bruteforce")
    if found.value is None or found.value <= 0:
        raise NoProofError("no plan that costs something")
    said = written(session, found)
    asked = Asked(family_of(session), session, said, found.evaluation, claim_of(said, found.evaluation).cutoff)
    return *proven(asked, math.inf), asked, found.value


def _spoilt_twice(own: str, other: str, least: Fraction, draw: random.Random) -> str:
    once = spoilt(own, draw)
    return spoilt(once, draw) if "\nVER" in f"\n{once}" else once


def _renamed(own: str, other: str, least: Fraction, draw: random.Random) -> str:
    """Another session's file under the first lines of this one."""
    comments = [line for line in own.split("\n") if line.startswith("%")]
    return "\n".join([*comments, *(line for line in other.split("\n") if not line.startswith("%"))])


def _raised(own: str, other: str, least: Fraction, draw: random.Random) -> str:
    """The file with one of its numbers raised wherever it stands, in the program, the promise and the steps."""
    numbers = sorted({word for word in own.split() if "/" in word})
    if not numbers:
        return other
    chosen = draw.choice(numbers)
    more = str(Fraction(chosen) * draw.choice((Fraction(11, 10), 2, Fraction(1000001, 1000000))))
    return "\n".join(" ".join(more if w == chosen else w for w in line.split(" ")) for line in own.split("\n"))


def _invented(own: str, other: str, least: Fraction, draw: random.Random) -> str:
    """A true proof of a program of one row that says what the attacker likes, under the first lines of this one."""
    comments = [line for line in own.split("\n") if line.startswith("%")]
    told = least * draw.choice((Fraction(1001, 1000), 2, 1000))
    body = f"VER 1.0\nVAR 1\nx\nINT 0\nOBJ min 1 0 1\nCON 1 1\nc G {told} 1 0 1\nRTP range {told} inf\nSOL 0\nDER 0\n"
    # Without a step the last given row is what is shown.
    return "\n".join([*comments, body])


def _cutoffs(least: Fraction | float | None) -> Iterator[Fraction]:
    if not isinstance(least, Fraction):
        yield Fraction(7)
        return
    yield from (least - 1, least, least + Fraction(1, 10**30), least + Fraction(1, 10**9))


def _against(text: str) -> list[str]:
    """What a spoilt file states that is not so, where it is accepted."""
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
