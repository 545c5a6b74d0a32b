"""Proof files with one thing changed at random: refused, or what they state is still true."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from drawn_programs import drawn_program, reference
from exact_milp import minimum
from proof_files import is_true, spoilt, stated
from proof_texts import session_text

from euclio.problems.session.space import PlanSpace
from euclio.proving.files.branch_and_bound import prove
from euclio.proving.files.checker import RefusedError, UnreadableError, check_text
from euclio.proving.files.text import proof_text
from tests.drawn.reference_sessions import session_truth
from tests.drawn.small_sessions import small_session, with_objectives

PROGRAMS = (27, 81, 237, 384, 588, 924)
"""Seeds of programs whose proofs have splits, of cutoffs and of infeasibility."""
SESSIONS = (17, 48, 53, 58)
OBJECTIVES = (17, 48)
FILES = [
    *(("program", seed) for seed in PROGRAMS),
    *(("session", seed) for seed in SESSIONS),
    *(("objectives", seed) for seed in OBJECTIVES),
]


@cache
def proof(kind: str, seed: int) -> str:
    if kind == "program":
        model = drawn_program(seed)
        return proof_text(prove(model, minimum(reference(model))))
    session = small_session(seed)
    if kind == "objectives":
        session = with_objectives(session, seed)
    least = session_truth(session, PlanSpace()).upper
    cutoff = None if least is None else least * (1 - Fraction(1, 10**9))
    return session_text(session, PlanSpace(), None, cutoff, float("inf"))


@cache
def true(text: str) -> bool:
    return is_true(stated(text[: text.index("\nSOL ") + 1]))


def outcome(text: str, draw: random.Random) -> str:
    """What became of a spoilt file."""
    changed = spoilt(text, draw)
    try:
        check_text(changed)
    except (RefusedError, UnreadableError):
        return "refused"
    return "true" if true(changed) else "FALSE"


@pytest.mark.fifth("number")
@pytest.mark.parametrize(("kind", "number"), FILES)
def test_a_spoilt_file_is_refused_or_still_true(kind, number):
    """A hundred changes of each of twelve files; that some are accepted shows that not everything is refused."""
    text = proof(kind, number)
    assert check_text(text)
    assert true(text)
    draw = random.Random(f"{kind} {number}")
    counts = Counter(outcome(text, draw) for _ in range(100))
    print(f"{kind} {number}: {dict(counts)}")
    assert counts["FALSE"] == 0
    assert counts["refused"] >= 40


def test_most_changes_are_refused_and_some_are_harmless():
    draw = random.Random(0)
    counts = Counter(outcome(proof("program", 27), draw) for _ in range(60))
    assert set(counts) == {"refused", "true"}
