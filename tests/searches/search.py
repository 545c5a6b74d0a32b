"""What a search is: a question that is put to one drawn case after the other."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Found:
    """What came out of the cases of one seed.

    Attributes:
        cases: how many cases the seed stood for, by the unit of the search.
        faults: a line for each that went wrong: what was asked, what came out, what is right.
        undecided: cases that were left open, where that is allowed.
    """

    cases: int = 1
    faults: tuple[str, ...] = ()
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """A class of faults, searched seed by seed.

    Attributes:
        name: as `make fuzz ONLY=NAME` has it.
        what: what must hold, in one sentence.
        unit: what is counted, in the plural: "ties", "round trips".
        look: draws the cases of a seed, puts the question and judges; the same seed draws the same cases. An exception
            that it lets through is a fault, and so is a process that dies.
        sample: the seeds that `make test-all` tries, and `make test` a fifth of.
        slow: whether a single seed takes longer than two seconds. No such seed is in `make test`, and where a time is
            given slow searches come last: one that has begun is ended, however late, and the others had their share.
    """

    name: str
    what: str
    unit: str
    look: Callable[[int], Found]
    sample: Sequence[int]
    slow: bool = False


@cache
def searches() -> dict[str, Search]:
    """All searches by name, slow ones last: `SEARCH` of each module of this folder named ``search_…``."""
    folder = Path(__file__).parent
    names = sorted(m.name for m in pkgutil.iter_modules([str(folder)]) if m.name.startswith("search_"))
    found = [importlib.import_module(f"{__package__}.{name}").SEARCH for name in names]
    return {search.name: search for search in sorted(found, key=lambda search: search.slow)}
