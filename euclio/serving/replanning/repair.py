"""The last plan for the fleet of another second: what still serves stays, the rest is inserted greedily (ours).

A fragment stays where it is if its client still cuts there and its time budget covers what its set takes. Others join
the set, or get the instances, that add the least GPU share, one after the other. Stages keep batch and share and have
as many instances as their fragments need.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.problems.fragments.instance import Fleet, Fragment
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.realigned import Priced, least_set, part_of
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.problems.fragments.stages import Stages


@dataclass(slots=True)
class _Head:
    """Fragments of one partition point on the way to the shared stage.

    Attributes:
        begin: their first layer.
        stage: batch and share of their own stage; None: they begin at the re-partition point.
        members: the fragments by place in the new fleet.
    """

    begin: int
    stage: tuple[int, int] | None
    members: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Set:
    """A realigned set that is being changed: its re-partition point, batch and share of the shared stage, heads."""

    point: int
    shared: tuple[int, int]
    heads: list[_Head]

    @property
    def members(self) -> list[int]:
        return [place for head in self.heads for place in head.members]


class _Way(NamedTuple):
    """A way to serve a fragment: GPU share that it adds, the set, and the head; both new ones where they are None."""

    added_pct: int
    own: _Set
    head: _Head | None
    stage: tuple[int, int] | None


class Repairer:
    """Repairs plans of fleets of one network.

    Args:
        stages: stages of the network.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages, self._network = stages, stages.network
        self._latency: dict[tuple[int, int, int, int], Fraction] = {}
        self._alone: dict[tuple[int, Fraction, Fraction], Priced] = {}

    def repaired(self, before: Fleet, plan: FragmentPlan, now: Fleet) -> FragmentPlan:
        """The plan of a fleet, repaired for another one.

        Args:
            before: the fleet of the plan.
            plan: a plan that serves it.
            now: the fleet to be served; clients are known by name.
        """
        places = {fragment.name: k for k, fragment in enumerate(now.fragments)}
        sets = [self._kept(before, own, now, places) for own in plan.sets]
        served = {place for own in sets for place in own.members}
        sets = [own for own in sets if own.members]
        loose = [k for k in range(len(now.fragments)) if k not in served]
        for place in sorted(loose, key=lambda k: (now.fragments[k].budget_s, k)):
            self._insert(sets, now, place)
        return FragmentPlan(tuple(self._plain(own, now) for own in sets))

    def _kept(self, before: Fleet, own: RealignedSet, now: Fleet, places: dict[str, int]) -> _Set:
        """What is left of a set."""
        heads = []
        for head in own.heads:
            begin = before.fragments[head.fragments[0]].partition_point
            stage = None if head.stage is None else (head.stage.batch, head.stage.share_pct)
            names = [before.fragments[k].name for k in head.fragments]
            here = [places[name] for name in names if name in places]
            heads.append(_Head(begin, stage, [k for k in here if now.fragments[k].partition_point == begin]))
        found = _Set(own.repartition_point, (own.shared.batch, own.shared.share_pct), [h for h in heads if h.members])
        needed = self._needed_s(found)
        for left in found.heads:
            left.members = [k for k in left.members if now.fragments[k].budget_s >= needed]
        found.heads = [head for head in found.heads if head.members]
        return found

    def _insert(self, sets: list[_Set], now: Fleet, place: int) -> None:
        """Serve a fragment in the way that adds least; of several the first."""
        way = min(self._ways(sets, now, place), key=lambda way: way.added_pct)
        if all(way.own is not own for own in sets):
            sets.append(way.own)
        elif way.head is None:
            way.own.heads.append(_Head(now.fragments[place].partition_point, way.stage, [place]))
        else:
            way.head.members.append(place)

    def _ways(self, sets: list[_Set], now: Fleet, place: int) -> Iterator[_Way]:
        fragment = now.fragments[place]
        for own in sets:
            if own.point >= fragment.partition_point and fragment.budget_s >= self._needed_s(own):
                yield from self._ways_into(own, now, fragment)
        alone = self._by_itself(now, place)
        shared, head = alone.plan.shared, alone.plan.heads[0]
        stage = None if head.stage is None else (head.stage.batch, head.stage.share_pct)
        new = _Head(fragment.partition_point, stage, [place])
        made = _Set(alone.plan.repartition_point, (shared.batch, shared.share_pct), [new])
        yield _Way(alone.total_pct, made, new, stage)

    def _ways_into(self, own: _Set, now: Fleet, fragment: Fragment) -> Iterator[_Way]:
        """Ways into a set whose stages are fast enough for the fragment."""
        end, rate = self._network.layers, fragment.rate_rps
        shared = self._added(own.point, end, own.shared, _rate(now, own.members), rate)
        for head in own.heads:
            if head.begin == fragment.partition_point:
                more = 0
                if head.stage is not None:
                    more = self._added(head.begin, own.point, head.stage, _rate(now, head.members), rate)
                yield _Way(shared + more, own, head, head.stage)
        if fragment.partition_point == own.point:
            yield _Way(shared, own, None, None)
            return
        least = min(fragment.budget_s, *(now.fragments[k].budget_s for k in own.members))
        left = self._stages.execution_ticks(least) - math.ceil(
            self._latency_s(own.point, end, own.shared) * self._stages.ticks_per_s
        )
        stage = self._stages.frontier(fragment.partition_point, own.point, rate).stage(left)
        if stage is not None:
            yield _Way(shared + stage.total_pct, own, None, (stage.batch, stage.share_pct))

    def _by_itself(self, now: Fleet, place: int) -> Priced:
        """The cheapest set of a fragment by itself; its places in it are those of another fleet."""
        fragment = now.fragments[place]
        key = fragment.partition_point, fragment.budget_s, fragment.rate_rps
        if key not in self._alone:
            found = least_set(self._stages, [part_of(now, [place])], FULL_FRAGMENT_SPACE, merge=False)
            assert found is not None
            self._alone[key] = found
        return self._alone[key]

    def _added(self, first: int, end: int, stage: tuple[int, int], rate: Fraction, more: Fraction) -> int:
        """The GPU share that a stage takes on for more requests."""
        wanted = self._instances(first, end, stage, rate + more) - self._instances(first, end, stage, rate)
        return wanted * stage[1]

    def _instances(self, first: int, end: int, stage: tuple[int, int], rate: Fraction) -> int:
        return math.ceil(rate * self._latency_s(first, end, stage) / stage[0])

    def _needed_s(self, own: _Set) -> Fraction:
        """Seconds that the slowest head of a set takes, queueing included."""
        shared = self._latency_s(own.point, self._network.layers, own.shared)
        heads = [self._latency_s(h.begin, own.point, h.stage) for h in own.heads if h.stage is not None]
        return QUEUEING * (shared + max(heads, default=Fraction(0)))

    def _latency_s(self, first: int, end: int, stage: tuple[int, int]) -> Fraction:
        key = first, end, *stage
        if key not in self._latency:
            found = self._network.latency_s(*key)
            assert found is not None
            self._latency[key] = found
        return self._latency[key]

    def _plain(self, own: _Set, now: Fleet) -> RealignedSet:
        """The set as part of a plan."""
        heads = []
        for head in own.heads:
            stage = None
            if head.stage is not None:
                number = self._instances(head.begin, own.point, head.stage, _rate(now, head.members))
                stage = Stage(*head.stage, number)
            heads.append(Head(tuple(head.members), stage))
        number = self._instances(own.point, self._network.layers, own.shared, _rate(now, own.members))
        return RealignedSet(own.point, Stage(*own.shared, number), tuple(heads))


def _rate(fleet: Fleet, places: list[int]) -> Fraction:
    return sum((fleet.fragments[k].rate_rps for k in places), Fraction(0))
