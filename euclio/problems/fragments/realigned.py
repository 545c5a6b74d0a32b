"""The least GPU share of a realigned set: exact over re-partition point, time of the shared stage, and heads (§4.3).

For each re-partition point the shared stage takes one of the times of its frontier, and each own stage is then the
cheapest in the remaining time. Nothing else can be optimal.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import Head, RealignedSet
from euclio.problems.fragments.space import Budgets, FragmentSpace, Sharing
from euclio.problems.fragments.stages import Frontier, Stages

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """Fragments of one partition point, served as one.

    Attributes:
        fragments: their places in the fleet.
        begin: their first layer on the server.
        budget_s: the least of their time budgets.
        rate_rps: requests per second of all of them.
    """

    fragments: tuple[int, ...]
    begin: int
    budget_s: Fraction
    rate_rps: Fraction


class Priced(NamedTuple):
    """A realigned set and its GPU share in percent of one GPU."""

    total_pct: int
    plan: RealignedSet


def part_of(fleet: Fleet, places: Iterable[int]) -> Part:
    """The fragments at these places, which begin at the same layer, as one part."""
    own = tuple(places)
    members = [fleet.fragments[k] for k in own]
    return Part(
        own,
        members[0].partition_point,
        min(fragment.budget_s for fragment in members),
        sum((fragment.rate_rps for fragment in members), Fraction(0)),
    )


def least_set(
    stages: Stages,
    parts: Sequence[Part],
    space: FragmentSpace,
    *,
    merge: bool,
    points: Iterable[int] | None = None,
    deadline: float = math.inf,
) -> Priced | None:
    """The cheapest realigned set of some parts.

    Args:
        stages: stages of their network.
        parts: parts of the set.
        space: plan space; the caller handles the most members of a set and uniform fragments.
        merge: whether parts that begin at the same layer may reach the re-partition point together, in the cheapest way
            (exponential in the number of their different rates); False gives each part a stage of its own.
        points: re-partition points to choose from; None means all from the last begin on.
        deadline: `time.perf_counter` value at which to stop.

    Returns:
        The set; of equally cheap ones the one with the earliest re-partition point, then the fastest shared stage. None
        means that no stages are fast enough.

    Raises:
        TimeoutError: the deadline passed during the choice of heads.
    """
    earliest = max(part.begin for part in parts)
    allowed = range(earliest, stages.network.layers) if points is None else points
    if space.sharing is not Sharing.REALIGNED:
        allowed = [earliest] if all(part.begin == earliest for part in parts) else []
    best: tuple[float, _SetChoice, int] | None = None
    for point in allowed:
        choice = _SetChoice(stages, parts, space, point, merge, deadline)
        total, place = choice.cheapest()
        if total < math.inf and (best is None or total < best[0]):
            best = total, choice, place
    return None if best is None else Priced(int(best[0]), best[1].plan(best[2]))


class _SetChoice:
    """All realigned sets of some parts at one re-partition point, by the time of the shared stage."""

    def __init__(
        self, stages: Stages, parts: Sequence[Part], space: FragmentSpace, point: int, merge: bool, deadline: float
    ) -> None:
        self._stages, self._space, self._point, self.deadline = stages, space, point, deadline
        self._most = space.max_instances
        rate = sum((part.rate_rps for part in parts), Fraction(0))
        self._least = stages.execution_ticks(min(part.budget_s for part in parts))
        self._shared = stages.frontier(point, stages.network.layers, rate, self._most)
        self._ticks = self._shared.ticks[: int(np.searchsorted(self._shared.ticks, self._least, side="right"))]
        self._direct = tuple(k for part in parts if part.begin == point for k in part.fragments)
        begins = sorted({part.begin for part in parts if part.begin < point})
        self._classes = [_Class(self, [part for part in parts if part.begin == begin], merge) for begin in begins]

    def cheapest(self) -> tuple[float, int]:
        """The least GPU share and the place of the shared stage in its frontier; infinite if there is none."""
        if not len(self._ticks):
            return math.inf, 0
        total = self._shared.total_pct[: len(self._ticks)]
        for own in self._classes:
            total = total + own.least
        place = int(np.argmin(total))
        return total[place], place

    def plan(self, place: int) -> RealignedSet:
        """The cheapest set with the shared stage at a place of its frontier."""
        taken = int(self._shared.ticks[place])
        shared = self._shared.stage(taken)
        assert shared is not None
        heads = [head for own in self._classes for head in own.heads(place, taken)]
        direct = [Head(self._direct)] if self._direct else []
        return RealignedSet(self._point, shared, (*direct, *heads))

    @property
    def ticks(self) -> Array:
        """Times of the shared stage."""
        return self._ticks

    def frontier(self, begin: int, rate_rps: Fraction) -> Frontier:
        """Stages from a layer to the re-partition point."""
        return self._stages.frontier(begin, self._point, rate_rps, self._most)

    def limit(self, budget_s: Fraction) -> int:
        """Ticks allowed for own and shared stage together for fragments of this budget."""
        return self._stages.execution_ticks(budget_s) if self._space.budgets is Budgets.OWN else self._least


Counts = tuple[int, ...]
"""Numbers of parts of each kind."""


class _Class:
    """The parts of a set that begin at the same layer before the re-partition point.

    A dynamic program over the remaining numbers of each kind divides them into heads, for all times of the shared stage
    at once. Parts of one kind have the same rate and, if each keeps its own, the same time budget.

    Attributes:
        least: the least GPU share of their heads by time of the shared stage, shape as that.
    """

    def __init__(self, choice: _SetChoice, parts: Sequence[Part], merge: bool) -> None:
        self._choice = choice
        kinds: dict[tuple[Fraction, int], list[Part]] = {}
        for part in parts:
            kinds.setdefault((part.rate_rps, choice.limit(part.budget_s)), []).append(part)
        self._keys, self._parts, self._merge = list(kinds), list(kinds.values()), merge
        self._frontiers: dict[Counts, tuple[Frontier, int]] = {}
        self._known: dict[Counts, Array] = {}
        self._first: dict[Counts, tuple[list[Counts], Array]] = {}
        self.least = self._cheapest(tuple(map(len, self._parts)))

    def heads(self, place: int, taken: int) -> list[Head]:
        """The cheapest heads if the shared stage takes `taken` ticks, the time at `place`."""
        left = tuple(map(len, self._parts))
        found = []
        while any(left):
            heads, chosen = self._first[left]
            head = heads[int(chosen[place])]
            parts = [
                part
                for own, end, number in zip(self._parts, left, head, strict=True)
                for part in own[end - number : end]
            ]
            frontier, limit = self._frontiers[head]
            found.append(Head(tuple(k for part in parts for k in part.fragments), frontier.stage(limit - taken)))
            left = _less(left, head)
        return found

    def _cheapest(self, everything: Counts) -> Array:
        """The least GPU share of the heads of some parts; notes the head of the first of them.

        Numbers of parts come after all rests of them, without recursion, since a set may have thousands of parts.
        """
        self._known[tuple(0 for _ in everything)] = np.zeros(len(self._choice.ticks))
        if len(everything) == 1 and self._merge:
            self._of_one_kind(everything[0])
        waiting = [everything]
        while waiting:
            if time.perf_counter() >= self._choice.deadline:
                raise TimeoutError
            left = waiting[-1]
            if left in self._known:
                waiting.pop()
                continue
            heads = self._heads_of_first(left)
            before = [rest for head in heads if (rest := _less(left, head)) not in self._known]
            if before:
                waiting += before
                continue
            totals = np.array([self._head(head) + self._known[_less(left, head)] for head in heads])
            self._known[left] = totals.min(axis=0)
            self._first[left] = heads, totals.argmin(axis=0)
        return self._known[everything]

    def _of_one_kind(self, number: int) -> None:
        """The same for the many parts of a single kind, for any number of them, fewest first."""
        heads: list[Counts] = [(taken,) for taken in range(1, number + 1)]
        share = np.array([self._head(head) for head in heads])
        least = np.zeros((number + 1, len(self._choice.ticks)), dtype=share.dtype)
        for left in range(1, number + 1):
            totals = share[:left] + least[left - 1 :: -1]
            chosen = totals.argmin(axis=0)
            least[left] = totals[chosen, np.arange(totals.shape[1])]
            self._known[(left,)], self._first[(left,)] = least[left], (heads, chosen)

    def _heads_of_first(self, left: Counts) -> list[Counts]:
        """All heads with a part of the first remaining kind; that part alone, if parts keep their own heads."""
        first = next(k for k, number in enumerate(left) if number)
        if not self._merge:
            return [tuple(int(k == first) for k in range(len(left)))]
        ranges = [range(int(k == first), number + 1) for k, number in enumerate(left)]
        return list(product(*ranges))

    def _head(self, head: Counts) -> Array:
        """The least GPU share of one head by time of the shared stage."""
        if head not in self._frontiers:
            own = [(number, *key) for number, key in zip(head, self._keys, strict=True) if number]
            rate = sum((number * rate for number, rate, _ in own), Fraction(0))
            begin = self._parts[0][0].begin
            self._frontiers[head] = self._choice.frontier(begin, rate), min(limit for _, _, limit in own)
        frontier, limit = self._frontiers[head]
        return frontier.within(limit - self._choice.ticks)


def _less(left: Counts, head: Counts) -> Counts:
    """The rest after a head."""
    return tuple(number - taken for number, taken in zip(left, head, strict=True))
