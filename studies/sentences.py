"""The papers' sentences that carry a number, with what decides each.

`data/sentences.json` lists every one of abstract, introduction and evaluation by section and numbers. Claims are
selected from them; the others are decided number by number on the scorecards, or named as not measured.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from euclio.core.folders import data_dir

FILE = "sentences.json"
SET_UP, BACKGROUND, CONDITION, NOT_MEASURED = "set-up", "background", "condition", "not measured"
STATUSES = (SET_UP, BACKGROUND, CONDITION, NOT_MEASURED)
"""What is said of a sentence that states no published number: its numbers are of the experiment's set-up, of other
work, a condition and no result, or a result that nothing here measures."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paper that carries a number.

    Attributes:
        paper: the paper.
        section: where it stands.
        numbers: the numbers that are typed in it.
        figures: keys of the published numbers that it states; empty: none.
        status: why it states none; empty: it does.
        why: of what is not measured: what it is about, and why not.
    """

    paper: str
    section: str
    numbers: tuple[float, ...]
    figures: tuple[str, ...] = ()
    status: str = ""
    why: str = ""


@cache
def sentences() -> tuple[Sentence, ...]:
    """All sentences, paper by paper in the order of the text."""
    found = json.loads((data_dir() / FILE).read_text(encoding="utf-8"))["sentences"]
    return tuple(
        Sentence(**{**one, "numbers": tuple(one["numbers"]), "figures": tuple(one.get("figures", ()))}) for one in found
    )


def selection(own: Sequence[Sentence], claimed: frozenset[str]) -> tuple[int, int, int, int, int]:
    """How a paper's sentences are covered, given the keys of its numbers that decide a claim.

    Returns:
        Sentences with a number; those of which a number decides a claim; that state other published numbers alone,
        which the scorecard compares; whose numbers are no result; with a result that nothing here measures.
    """
    stated = [one for one in own if one.figures]
    taken = sum(not claimed.isdisjoint(one.figures) for one in stated)
    not_measured = sum(one.status == NOT_MEASURED for one in own)
    return len(own), taken, len(stated) - taken, len(own) - len(stated) - not_measured, not_measured
