"""Candidate sets: every set of fragments that may share instances, with its least GPU share (Graft §5.1, "Optimal").

A set is left out if it is no cheaper than one of its fragments alone plus the best sets of the others, since any plan
is as good with those in its place.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import combinations

from euclio.core.errors import InapplicableError
from euclio.problems.fragments import Fleet, FragmentSpace, Sharing
from euclio.problems.fragments.realigned import Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages

MOST_SETS = 40_000
"""Most sets to list; each takes a fraction of a millisecond or more."""
MOST_PRINTED = 10**15
"""Largest number of sets that messages print; thousands of fragments have numbers with thousands of digits."""

Places = tuple[int, ...]


class TimeUpError(Exception):
    """The deadline passed before the end of the list."""


def candidate_sets(fleet: Fleet, space: FragmentSpace, deadline: float) -> dict[Places, Priced]:
    """The sets of a plan space that an optimal plan may need, as places of their fragments.

    Args:
        fleet: the instance.
        space: plan space.
        deadline: `time.perf_counter` value at which to stop; infinite means never.

    Raises:
        InapplicableError: there are too many.
        TimeUpError: the deadline has passed.
    """
    number = len(fleet.fragments)
    most, sets = _most_members(number, space), _number_of_sets(number, space)
    if sets > MOST_SETS:
        many = f"{sets:,}" if sets < MOST_PRINTED else f"more than {MOST_PRINTED:,}"
        raise InapplicableError(
            f"there are {many} sets of at most {most} of {number} fragments; this takes {MOST_SETS:,}; "
            "allow fewer fragments in a set"
        )
    stages = Stages(fleet.network)
    parts = [part_of(fleet, [k]) for k in range(number)]
    kept: dict[Places, Priced] = {}
    best: dict[Places, float] = {}
    # By rising size, so that the sets for comparison are known.
    for size in range(1, most + 1):
        for places in combinations(range(number), size):
            if time.perf_counter() >= deadline:
                raise TimeUpError
            apart = _apart(places, best)
            found = None
            if _may(fleet, places, space):
                try:
                    found = least_set(stages, [parts[k] for k in places], space, merge=True, deadline=deadline)
                except TimeoutError:
                    raise TimeUpError from None
            # Larger sets are compared with the cheaper option: these fragments in one set, or one of them apart.
            best[places] = apart if found is None else min(apart, found.total_pct)
            if found is not None and found.total_pct < apart:
                kept[places] = found
    return kept


def may_list(fleet: Fleet, space: FragmentSpace) -> bool:
    """Whether a fleet has few enough sets for `candidate_sets`."""
    return _number_of_sets(len(fleet.fragments), space) <= MOST_SETS


def _number_of_sets(number: int, space: FragmentSpace) -> int:
    most = _most_members(number, space)
    return 2**number - 1 if most == number else sum(math.comb(number, size) for size in range(1, most + 1))


def _most_members(number: int, space: FragmentSpace) -> int:
    if space.sharing is Sharing.ALONE:
        return 1
    return number if space.max_members is None else min(number, space.max_members)


def _may(fleet: Fleet, places: Sequence[int], space: FragmentSpace) -> bool:
    """Whether the plan space lets these fragments share instances."""
    if space.sharing is Sharing.REALIGNED:
        return True
    return len({(fleet.fragments[k].partition_point, fleet.fragments[k].budget_s) for k in places}) == 1


def _apart(places: Places, best: dict[Places, float]) -> float:
    """The least GPU share of some fragments with one of them alone, among known sets; infinite if none is known."""
    if len(places) == 1:
        return math.inf
    return min(best[(k,)] + best[places[:i] + places[i + 1 :]] for i, k in enumerate(places))
