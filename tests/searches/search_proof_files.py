"""Whether a proof file can state what is false: drawn programs, their cutoffs, and their files spoilt at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

from euclio.proofs.branching import UnprovenError, prove
from euclio.proofs.checker import RefusedError, UnreadableError, check_text
from euclio.proofs.writing import proof_text
from tests.helpers.drawn_programs import drawn_program, reference
from tests.helpers.exact_milp import TooManyError, minimum
from tests.helpers.proof_files import is_true, spoilt, stated

from .search import Found, Search

SPOILT = 20
"""Spoilt files of a seed."""


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
    return Found(SPOILT, tuple(faults), undecided)


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
    "no proof file states what is false, spoilt ones neither; what is true has one (open: no prices were found)",
    "files",
    look,
    range(20),
)
