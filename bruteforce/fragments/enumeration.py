"""Solver `fragments-bruteforce`: the best plan of a small fleet, by enumeration (docs/model/fragments.md).

Plain loops over fractions visit every way to divide the fragments into sets. For each set they visit every re-partition
point, every way to divide its fragments into heads, and every batch and share of every stage. They skip only choices
that are worse than the best one of the same set so far. Each set is priced once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Budgets, Fleet, FragmentPlan, FragmentSpace, Head, RealignedSet, Sharing, Stage
from euclio.problems.fragments.least_budget import unserved

NAME = "fragments-bruteforce"
MOST_FRAGMENTS = 9
"""Fragments beyond which the enumeration refuses to begin: 9 are divided into sets in 21147 ways."""
MOST_PAIRS = 1_000_000
"""Pairs of a shared and an own stage beyond which it refuses to begin: some sets of fragments and points together."""

Places = tuple[int, ...]


class _TimeUpError(Exception):
    """The time limit has passed."""


def solve_by_fragment_enumeration(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]
) -> Answer[FragmentPlan]:
    """The best plan of a fleet, by enumeration.

    Args:
        fleet: the fleet.
        space: plan space.
        limits: time limit.

    Raises:
        InapplicableError: there is too much to list.
    """
    _require_small(fleet)
    deadline = limits.deadline()
    enumeration = _FleetEnumeration(fleet, space, deadline)
    try:
        best = enumeration.best()
    except _TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every plan was seen")
    if best is None:
        return Answer(None, "exhausted", infeasible=True, reason=unserved(fleet.network))
    total, plan = best
    return Answer(plan, "exhausted", float(total), float(total), stats={"sets": float(len(enumeration.sets))})


def _require_small(fleet: Fleet) -> None:
    own, number = fleet.network, len(fleet.fragments)
    if number > MOST_FRAGMENTS:
        raise InapplicableError(f"{NAME} lists all plans of at most {MOST_FRAGMENTS} fragments")
    pairs = 2**number * own.layers * (len(own.batches) * len(own.shares_pct)) ** 2
    if pairs > MOST_PAIRS:
        raise InapplicableError(
            f"{NAME} lists all pairs of stages, at most {MOST_PAIRS:,} and here {pairs:,}; give fewer fragments, "
            "batches or shares"
        )


class _FleetEnumeration:
    """All plans of a fleet."""

    def __init__(self, fleet: Fleet, space: FragmentSpace, deadline: float) -> None:
        self._fleet, self._space, self._deadline = fleet, space, deadline
        self.sets: dict[Places, tuple[int, RealignedSet] | None] = {}
        # Sets with the same point need the same stages repeatedly, and each stage takes a division of fractions.
        self._stages: dict[tuple[int, int, Places], list[tuple[Fraction, Stage]]] = {}

    def best(self) -> tuple[int, FragmentPlan] | None:
        """The cheapest plan with its GPU share; None if there is none."""
        best: tuple[int, FragmentPlan] | None = None
        for division in divisions(tuple(range(len(self._fleet.fragments)))):
            priced = [self._set(places) for places in division]
            if any(found is None for found in priced):
                continue
            sets = [found for found in priced if found is not None]
            total = sum(found[0] for found in sets)
            if best is None or total < best[0]:
                best = total, FragmentPlan(tuple(found[1] for found in sets))
        return best

    def _set(self, places: Places) -> tuple[int, RealignedSet] | None:
        if places not in self.sets:
            if time.perf_counter() >= self._deadline:
                raise _TimeUpError
            found = [own for own in self._every_set(places) if own[0] < math.inf]
            self.sets[places] = min(found, key=lambda own: own[0], default=None)
        return self.sets[places]

    def _every_set(self, places: Places) -> Iterator[tuple[int, RealignedSet]]:
        """Sets of these fragments, the cheapest for each shared stage, point and division into heads."""
        space, begins = self._space, [self._fleet.fragments[k].partition_point for k in places]
        uniform = len({(self._fleet.fragments[k].partition_point, self._fleet.fragments[k].budget_s) for k in places})
        if space.max_members is not None and len(places) > space.max_members:
            return
        if space.sharing is Sharing.ALONE and len(places) > 1:
            return
        if space.sharing is Sharing.UNIFORM and uniform > 1:
            return
        realigned = space.sharing is Sharing.REALIGNED
        for point in range(max(begins), self._fleet.network.layers if realigned else max(begins) + 1):
            for heads in divisions(places):
                # A head runs the same layers for all its fragments.
                if all(len({self._fleet.fragments[k].partition_point for k in head}) == 1 for head in heads):
                    yield from self._every_shared(places, point, heads)

    def _every_shared(self, places: Places, point: int, heads: list[Places]) -> Iterator[tuple[int, RealignedSet]]:
        """Sets with these heads, the cheapest for each shared stage."""
        least = min(self._fleet.fragments[k].budget_s for k in places)
        for latency, shared in self._every_stage(point, self._fleet.network.layers, places):
            # A request waits as long as it executes, at most (Graft §4.3): half of the budget is for execution.
            if 2 * latency > least:
                continue
            found: list[Head] = []
            for head in heads:
                own = self._head(head, point, latency, least)
                if own is None:
                    break
                found.append(own)
            else:
                total = shared.total_pct + sum(head.stage.total_pct for head in found if head.stage is not None)
                yield total, RealignedSet(point, shared, tuple(found))

    def _head(self, head: Places, point: int, taken_s: Fraction, least_s: Fraction) -> Head | None:
        """The cheapest own stage of a head in the time that the shared stage leaves; None if none is fast enough."""
        begin = self._fleet.fragments[head[0]].partition_point
        if begin == point:
            return Head(head)
        budget = least_s
        if self._space.budgets is Budgets.OWN:
            budget = min(self._fleet.fragments[k].budget_s for k in head)
        fitting = [own for latency, own in self._every_stage(begin, point, head) if 2 * (latency + taken_s) <= budget]
        cheapest = min(fitting, key=lambda stage: stage.total_pct, default=None)
        return None if cheapest is None else Head(head, cheapest)

    def _every_stage(self, first: int, end: int, places: Places) -> list[tuple[Fraction, Stage]]:
        """Every batch and share with as many instances as the fragments need, and how long it takes in seconds."""
        key = first, end, places
        if key not in self._stages:
            self._stages[key] = list(self._list_stages(*key))
        return self._stages[key]

    def _list_stages(self, first: int, end: int, places: Places) -> Iterator[tuple[Fraction, Stage]]:
        rate = sum((self._fleet.fragments[k].rate_rps for k in places), Fraction(0))
        least = self._fleet.network.least_share_pct(first, end)
        for batch in self._fleet.network.batches:
            for share in self._fleet.network.shares_pct:
                if share < least:
                    continue
                latency = self._fleet.network.latency_s(first, end, batch, share)
                assert latency is not None
                instances = math.ceil(rate / (batch / latency))
                if self._space.max_instances is None or instances <= self._space.max_instances:
                    yield latency, Stage(batch, share, instances)


def divisions(places: Places) -> Iterator[list[Places]]:
    """Every way to divide some places into sets that are not empty; each set in ascending order."""
    if not places:
        yield []
        return
    *others, last = places
    for division in divisions(tuple(others)):
        for i, own in enumerate(division):
            yield [*division[:i], (*own, last), *division[i + 1 :]]
        yield [*division, (last,)]
