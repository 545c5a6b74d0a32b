"""Fragments that share without realignment, as independent groups of uniform ones (ours).

Under `uniform` sharing a set has fragments of one partition point and one time budget, under `alone` a single one. So a
plan is a union of plans for the groups. A dynamic program over the remaining numbers of fragments of each rate finds a
group's plan.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from euclio.core.errors import InapplicableError
from euclio.problems.fragments import Fleet, FragmentSpace, Sharing
from euclio.problems.fragments.stages import Stages
from formulations.fragments.candidates import Places, TimeUpError

MOST_STEPS = 2**22
"""Most pairs of remaining fragments and a set of them, for dividing one group."""

Counts = tuple[int, ...]
"""Numbers of fragments of each rate."""


@dataclass(frozen=True, slots=True)
class Division:
    """The best sets of some fragments.

    Attributes:
        share_pct: their GPU share.
        sets: the places of their fragments.
    """

    share_pct: int
    sets: tuple[Places, ...]


def best_division(fleet: Fleet, stages: Stages, space: FragmentSpace, deadline: float) -> Division | None:
    """The best plan without realignment.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space with sharing `uniform` or `alone`.
        deadline: `time.perf_counter` value.

    Returns:
        The sets; None if a fragment cannot be served in time.

    Raises:
        InapplicableError: uniform fragments have too many different rates.
        TimeUpError: the deadline has passed.
    """
    groups: dict[tuple[int, Fraction, int], dict[Fraction, list[int]]] = {}
    for k, fragment in enumerate(fleet.fragments):
        # Without sharing, each fragment is a group of its own.
        own = k if space.sharing is Sharing.ALONE else 0
        kinds = groups.setdefault((fragment.partition_point, fragment.budget_s, own), {})
        kinds.setdefault(fragment.rate_rps, []).append(k)
    share, sets = 0, []
    for (begin, budget_s, _), kinds in groups.items():
        group = _Group(stages, space, begin, stages.execution_ticks(budget_s), tuple(kinds), deadline)
        divided = group.divided(tuple(map(len, kinds.values())))
        if divided is None:
            return None
        total, taken = divided
        share += total
        left = [list(places) for places in kinds.values()]
        for numbers in taken:
            members = [places.pop() for places, number in zip(left, numbers, strict=True) for _ in range(number)]
            sets.append(tuple(sorted(members)))
    return Division(share, tuple(sets))


@dataclass(frozen=True, slots=True)
class _Group:
    """Uniform fragments: their first layer, their limit in ticks and their different rates."""

    stages: Stages
    space: FragmentSpace
    begin: int
    limit: int
    rates: tuple[Fraction, ...]
    deadline: float

    def divided(self, counts: Counts) -> tuple[int, list[Counts]] | None:
        """The least GPU share for numbers of fragments of each rate, and the sets; None if one is never in time."""
        states = math.prod(number + 1 for number in counts)
        if states**2 > MOST_STEPS:
            raise InapplicableError("uniform fragments are too many, or have too many different rates")
        most = sum(counts) if self.space.max_members is None else self.space.max_members
        vectors = list(product(*(range(number + 1) for number in counts)))
        share = {numbers: self._share(numbers) for numbers in vectors if 0 < sum(numbers) <= most}
        best: dict[Counts, tuple[float, Counts]] = {vectors[0]: (0, vectors[0])}
        # In this order the rest after a set comes before the numbers from which the set was taken.
        for left in vectors[1:]:
            costs = ((cost + best[_less(left, own)][0], own) for own, cost in share.items() if _holds(left, own))
            best[left] = min(costs)
        if best[counts][0] == math.inf:
            return None
        sets, left = [], counts
        while any(left):
            sets.append(best[left][1])
            left = _less(left, sets[-1])
        return int(best[counts][0]), sets

    def _share(self, numbers: Counts) -> float:
        """The least GPU share of a set; infinite if no stage is as fast."""
        if time.perf_counter() >= self.deadline:
            raise TimeUpError
        rate = sum((number * own for number, own in zip(numbers, self.rates, strict=True)), Fraction(0))
        stage = self.stages.frontier(self.begin, self.stages.network.layers, rate, self.space.max_instances)
        found = stage.stage(self.limit)
        return math.inf if found is None else found.total_pct


def _holds(left: Counts, own: Counts) -> bool:
    return all(a >= b for a, b in zip(left, own, strict=True))


def _less(left: Counts, own: Counts) -> Counts:
    return tuple(a - b for a, b in zip(left, own, strict=True))
