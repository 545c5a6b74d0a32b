"""The independent prover of fragments: is any plan of the plan space better than a cutoff? (ours).

For few fragments it is a dynamic program over their sets, in fractions, with code of its own: the least GPU share of
every set that may be realigned, then the cheapest division of all fragments into such sets. Its work triples with each
fragment. For more it first tries a bound on all plans (`euclio.proving.fragments`), which may be too low to decide.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.certificate import Search
from euclio.problems.fragments.evaluate import QUEUEING, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.space import Budgets, FragmentSpace, Sharing
from euclio.proving.effort import OUT_OF_TIME, Effort, GivenUpError
from euclio.proving.fragments.duality import Bound, bound_of
from euclio.proving.fragments.pricing import Costs, TooLargeError

# A bound where only uniform fragments share stages: each group of them alone, its units divided freely (ours).


def bound_of_uniform(fleet: Fleet, space: FragmentSpace) -> Bound:
    """The bound; the least GPU share itself where fragments of a group have one rate and sets may be of any size.

    Args:
        fleet: the instance, each fragment of which can be served.
        space: plan space of uniform sharing.

    Raises:
        TooLargeError: numbers do not fit.
    """
    costs = Costs(fleet, space)
    units: dict[tuple[int, int], int] = {}
    for fragment, limit, own in zip(fleet.fragments, costs.limits, costs.units, strict=True):
        # Budgets that differ by less than a tick may be joined too: that only lowers the bound.
        key = fragment.partition_point, limit
        units[key] = units.get(key, 0) + own
    total = 0
    for (begin, limit), number in units.items():
        steps = costs.heads(begin, costs.layers, number)
        row = int(np.searchsorted(steps.ticks, limit, side="right")) - 1
        total += int(steps.share_pct[row, number])
    return Bound(total, len(units), True)


FEW_FRAGMENTS, MOST_FRAGMENTS = 6, 12
"""Up to the first number the prover searches the best plan at once, beyond the second only a bound."""


class _Timed(NamedTuple):
    """A stage and its execution time in seconds."""

    latency_s: Fraction
    stage: Stage


class _BestSet(NamedTuple):
    """The cheapest realigned set of some fragments."""

    total_pct: int
    plan: RealignedSet


def find_better(fleet: Fleet, space: FragmentSpace, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan whose GPU share is less than a cutoff.

    Args:
        fleet: the instance.
        space: the plan space.
        cutoff: percent of one GPU. None means that any plan is better.
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
    """
    prover = Prover(fleet, space, deadline)
    try:
        if len(fleet.fragments) <= FEW_FRAGMENTS:
            return _judged(fleet, space, prover, prover.cheapest(), cutoff)
        apart = prover.apart()
        found = _judged(fleet, space, prover, apart, cutoff)
        if cutoff is None or apart is None or not found.exhausted or space.sharing is Sharing.ALONE:
            return found
        bounded = _bounded(fleet, space, apart, cutoff, deadline)
        if bounded.exhausted or len(fleet.fragments) > MOST_FRAGMENTS:
            return bounded
        return _judged(fleet, space, prover, prover.cheapest(), cutoff)
    except GivenUpError as error:
        return Search(None, False, prover.effort.nodes, str(error))


def _judged(
    fleet: Fleet, space: FragmentSpace, prover: Prover, plan: FragmentPlan | None, cutoff: Fraction | None
) -> Search:
    """The answer of the best plan of its kind, as the checker prices it; None means there is no plan at all."""
    if plan is None:
        return Search(None, True, prover.effort.nodes)
    checked = evaluate(fleet, plan, space)
    if cutoff is not None and checked.feasible and checked.value is not None and checked.value >= cutoff:
        return Search(None, True, prover.effort.nodes)
    return Search(plan, False, prover.effort.nodes)


def _bounded(fleet: Fleet, space: FragmentSpace, apart: FragmentPlan, cutoff: Fraction, deadline: float) -> Search:
    """Whether a bound on all plans reaches a cutoff; `apart` is the plan of each fragment by itself."""
    if space.sharing is Sharing.REALIGNED and space.budgets is Budgets.OWN:
        return Search(None, False, 0, f"with time budgets of their own the prover takes at most {MOST_FRAGMENTS}")
    alone = [sum(stage.total_pct for stage in own.stages) for own in apart.sets]
    try:
        if space.sharing is Sharing.UNIFORM:
            found = bound_of_uniform(fleet, space)
        else:
            found = bound_of(fleet, space, alone, cutoff, deadline)
    except TooLargeError as error:
        return Search(None, False, 0, str(error))
    if found.share_pct >= cutoff:
        return Search(None, True, found.rounds)
    return Search(
        None,
        False,
        found.rounds,
        f"no plan has less than {found.share_pct} % is the best bound of its kind" if found.ended else OUT_OF_TIME,
    )


class Prover:
    """The dynamic program."""

    def __init__(self, fleet: Fleet, space: FragmentSpace, deadline: float) -> None:
        self._fleet, self._space, self.effort = fleet, space, Effort(deadline)
        self._stages: dict[tuple[int, int, Fraction], list[_Timed]] = {}

    def apart(self) -> FragmentPlan | None:
        """Each fragment by itself; None if one cannot be served, so that there is no plan at all.

        A fragment that shares a stage has more requests on it and ends no earlier.
        """
        found = [self._set(1 << k) for k in range(len(self._fleet.fragments))]
        sets = [best.plan for best in found if best is not None]
        return FragmentPlan(tuple(sets)) if len(sets) == len(found) else None

    def sets(self) -> dict[int, _BestSet]:
        """The cheapest realigned set of every set of fragments that may be one; bit k stands for fragment k."""
        masks = range(1, 1 << len(self._fleet.fragments))
        return {mask: best for mask in masks if (best := self._set(mask)) is not None}

    def cheapest(self) -> FragmentPlan | None:
        """The cheapest plan; None if there is none."""
        everything = (1 << len(self._fleet.fragments)) - 1
        sets = self.sets()
        least: dict[int, tuple[int, FragmentPlan]] = {0: (0, FragmentPlan(()))}
        for mask in range(1, everything + 1):
            first = mask & -mask
            for part in _parts(mask ^ first):
                own, rest = sets.get(part | first), least.get(mask ^ first ^ part)
                if own is None or rest is None:
                    continue
                total = own.total_pct + rest[0]
                if mask not in least or total < least[mask][0]:
                    least[mask] = total, FragmentPlan((own.plan, *rest[1].sets))
        return least[everything][1] if everything in least else None

    def _set(self, mask: int) -> _BestSet | None:
        """The cheapest realigned set of the fragments of a mask that the plan space allows."""
        members = _places(mask)
        own = [self._fleet.fragments[k] for k in members]
        if not self._allowed(own):
            return None
        latest = max(fragment.partition_point for fragment in own)
        points = range(latest, self._fleet.network.layers)
        if self._space.sharing is not Sharing.REALIGNED:
            points = range(latest, latest + 1)
        found = [best for point in points if (best := self._at(point, members)) is not None]
        return min(found, key=lambda best: best.total_pct, default=None)

    def _allowed(self, own: list[Fragment]) -> bool:
        if self._space.max_members is not None and len(own) > self._space.max_members:
            return False
        if self._space.sharing is Sharing.ALONE:
            return len(own) == 1
        uniform = len({(fragment.partition_point, fragment.budget_s) for fragment in own}) == 1
        return uniform or self._space.sharing is Sharing.REALIGNED

    def _at(self, point: int, members: list[int]) -> _BestSet | None:
        """The cheapest set of these fragments with this re-partition point."""
        fragments = self._fleet.fragments
        least = min(fragments[k].budget_s for k in members) / QUEUEING
        rate = sum((fragments[k].rate_rps for k in members), Fraction(0))
        direct = tuple(k for k in members if fragments[k].partition_point == point)
        others = [k for k in members if fragments[k].partition_point < point]
        best: _BestSet | None = None
        for latency, stage in self._cheapest_stages(point, self._fleet.network.layers, rate):
            if latency > least:
                break
            found = self._heads(others, point, latency, least)
            if found is None:
                continue
            total = stage.total_pct + found[0]
            if best is None or total < best.total_pct:
                heads = (*([Head(direct)] if direct else []), *found[1])
                best = _BestSet(total, RealignedSet(point, stage, heads))
        return best

    def _heads(
        self, members: list[int], point: int, taken: Fraction, least: Fraction
    ) -> tuple[int, tuple[Head, ...]] | None:
        """The cheapest heads of some fragments before a shared stage that takes `taken` seconds; None if none."""
        if not members:
            return 0, ()
        first, *rest = members
        begin = self._fleet.fragments[first].partition_point
        like = [k for k in rest if self._fleet.fragments[k].partition_point == begin]
        best: tuple[int, tuple[Head, ...]] | None = None
        for mask in range(1 << len(like)):
            together = (first, *(k for i, k in enumerate(like) if mask >> i & 1))
            stage = self._head(together, point, taken, least)
            if stage is None:
                continue
            after = self._heads([k for k in rest if k not in together], point, taken, least)
            if after is not None and (best is None or stage.total_pct + after[0] < best[0]):
                best = stage.total_pct + after[0], (Head(together, stage), *after[1])
        return best

    def _head(self, together: tuple[int, ...], point: int, taken: Fraction, least: Fraction) -> Stage | None:
        """The cheapest stage of one head; None if none is fast enough."""
        own = [self._fleet.fragments[k] for k in together]
        limit = least
        if self._space.budgets is Budgets.OWN:
            limit = min(fragment.budget_s for fragment in own) / QUEUEING
        rate = sum((fragment.rate_rps for fragment in own), Fraction(0))
        found = self._cheapest_stages(own[0].partition_point, point, rate)
        place = bisect_right(found, limit - taken, key=lambda timed: timed.latency_s)
        return found[place - 1].stage if place else None

    def _cheapest_stages(self, first: int, end: int, rate_rps: Fraction) -> list[_Timed]:
        """Stages that serve a rate, by latency, each cheaper than all before it."""
        key = first, end, rate_rps
        if key not in self._stages:
            self.effort.step()
            every = sorted(self._every_stage(first, end, rate_rps), key=lambda t: (t.latency_s, t.stage.total_pct))
            kept: list[_Timed] = []
            for timed in every:
                if not kept or timed.stage.total_pct < kept[-1].stage.total_pct:
                    kept.append(timed)
            self._stages[key] = kept
        return self._stages[key]

    def _every_stage(self, first: int, end: int, rate_rps: Fraction) -> Iterator[_Timed]:
        network, most = self._fleet.network, self._space.max_instances
        least = network.least_share_pct(first, end)
        for batch in network.batches:
            for share in (share for share in network.shares_pct if share >= least):
                latency = network.latency_s(first, end, batch, share)
                assert latency is not None
                instances = math.ceil(rate_rps * latency / batch)
                if most is None or instances <= most:
                    yield _Timed(latency, Stage(batch, share, instances))


def _places(mask: int) -> list[int]:
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


def _parts(mask: int) -> Iterator[int]:
    """All subsets of a mask, the empty one included."""
    part = mask
    while True:
        yield part
        if part == 0:
            return
        part = (part - 1) & mask
