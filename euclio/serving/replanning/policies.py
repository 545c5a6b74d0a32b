"""Fleets by step, and policies of re-planning: which plan serves each step (ours).

A policy takes a timeline and returns one checked plan per step. Policies that plan again use a named solver; those that
keep a plan repair it (`Repairer`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from euclio.core.solving import solve
from euclio.problems.fragments.deployment import Deployment, deployed, share_of
from euclio.problems.fragments.evaluate import QUEUEING, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.realigned import Priced, least_set, part_of
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.clients import Client, draw_clients, fleet_now
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.neurosurgeon import sending_s
from euclio.workloads.fragments.uplink import SECONDS, Trace

# Fleets by step: the fragments that clients leave to the server while their bandwidth changes.  A step is the time for
# which a bandwidth holds. Graft sets the bandwidth of its clients each minute by default (Graft §9, "Bandwidth trace
# replay"); here each value of a trace holds for a given number of seconds, one by default (ours).


@dataclass(frozen=True, slots=True)
class Timeline:
    """Clients and their fleets, step by step."""

    name: str  # its name
    clients: tuple[Client, ...]  # the clients
    # the fleet of each step, without clients that leave nothing to the server. Equal fleets are one object, so that
    # they are planned once.
    fleets: tuple[Fleet, ...]
    step_s: int = 1  # seconds that a step takes

    @property
    def changed(self) -> float:
        """Mean number of clients per step whose partition point or time budget has changed."""
        found = [_different(a, b) for a, b in pairwise(self.fleets)]
        return sum(found) / max(1, len(found))

    @property
    def triggers(self) -> tuple[int, ...]:
        """Steps at which a client cuts elsewhere than before, and the first: those at which Graft plans (Graft §3).

        "When any mobile device changes its partition point due to significant network bandwidth changes": the paper
        does not define "significant", so that every change of a cut counts.
        """
        cuts = [{f.name: f.partition_point for f in fleet.fragments} for fleet in self.fleets]
        return (0, *(t for t in range(1, len(cuts)) if cuts[t] != cuts[t - 1]))

    def held(self) -> Timeline:
        """The same with the fleet of the last trigger in each step: plans are made at triggers only."""
        fired = set(self.triggers)
        fleets: list[Fleet] = []
        for t, fleet in enumerate(self.fleets):
            fleets.append(fleet if t in fired else fleets[-1])
        return replace(self, fleets=tuple(fleets))


class Followed(NamedTuple):
    """Clients that are drawn as fleets are, and followed for some time."""

    model: str  # short name of the network
    clients: int  # number of clients
    tx2: int  # how many of them are Jetson TX2
    seconds: int  # how long they are followed
    seed: int  # seed of the clients and of their traces
    traces: Sequence[Trace] | None = None  # measured traces, which repeat when they end; None means seeded ones
    name: str = ""  # the timeline's name; by default the network's short name
    step_s: int = 1  # seconds that each value of a trace holds for

    def timeline(self) -> Timeline:
        """All of the time."""
        return self._parts([0], steps_of(self.seconds, self.step_s))[0]

    def stretches(self, *, number: int, length: int) -> list[Timeline]:
        """Parts of `length` steps, each at the begin of one of `number` equal parts of the time."""
        return self._parts([k * steps_of(self.seconds, self.step_s) // number for k in range(number)], length)

    def _parts(self, begins: Sequence[int], steps: int) -> list[Timeline]:
        values = max(steps_of(self.seconds, self.step_s), SECONDS)
        own = find_model(self.model)
        drawn = draw_clients(own, self.clients, self.seed, tx2=self.tx2, traces=self.traces, trace_values=values)
        return [_followed(self.name or self.model, drawn, begin, steps, self.step_s) for begin in begins]


def steps_of(seconds: int, step_s: int) -> int:
    """Number of values of a trace in a number of seconds, the last one perhaps incomplete."""
    return -(-seconds // step_s)


def _followed(name: str, drawn: Sequence[Client], begin: int, steps: int, step_s: int) -> Timeline:
    """Clients from one step of their traces on."""
    clients = tuple(replace(client, second=client.second + begin) for client in drawn)
    known: dict[tuple[tuple[str, int, Fraction], ...], Fleet] = {}
    fleets = []
    for t in range(steps):
        fleet = fleet_now(f"{name}-{begin + t}", clients, t)
        fleets.append(known.setdefault(tuple((f.name, f.partition_point, f.budget_s) for f in fleet.fragments), fleet))
    return Timeline(name, clients, tuple(fleets), step_s)


def _different(before: Fleet, after: Fleet) -> int:
    a = {f.name: (f.partition_point, f.budget_s) for f in before.fragments}
    b = {f.name: (f.partition_point, f.budget_s) for f in after.fragments}
    return sum(a.get(name) != b.get(name) for name in a.keys() | b.keys())


def budget_at(client: Client, point: int, step: int) -> Fraction | None:
    """The time budget that a client leaves to the server if it cuts at a layer; None if it cannot send."""
    mbps = client.uplink_mbps(step)
    if not mbps:
        return None
    mobile = sum(client.model.mobile_s[client.device][:point], Fraction(0))
    return client.slo_s - mobile - sending_s(client.model, point, mbps)


# The last plan for the fleet of another second: fragments that it still serves stay, the rest is inserted greedily
# (ours).  A fragment stays in its place if its client still cuts there and its time budget covers the time of its set.
# Others join the set, or get the instances, that add the least GPU share, one after the other. Stages keep batch and
# share and have as many instances as their fragments need.


@dataclass(slots=True)
class _Head:
    """Fragments of one partition point on the way to the shared stage."""

    begin: int  # their first layer
    stage: tuple[int, int] | None  # batch and share of their own stage; None if they begin at the re-partition point
    members: list[int] = field(default_factory=list)  # the fragments by place in the new fleet


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
    """A way to serve a fragment: the added GPU share, the set, and the head; None stands for a new one."""

    added_pct: int
    own: _Set
    head: _Head | None
    stage: tuple[int, int] | None


class Repairer:
    """Repairs plans of fleets of one network."""

    def __init__(self, stages: Stages) -> None:
        self._stages, self._network = stages, stages.network
        self._latency: dict[tuple[int, int, int, int], Fraction] = {}
        self._alone: dict[tuple[int, Fraction, Fraction], Priced] = {}

    def repaired(self, before: Fleet, plan: FragmentPlan, now: Fleet) -> FragmentPlan:
        """The plan of a fleet, repaired for another one. Clients are known by name."""
        places = {fragment.name: k for k, fragment in enumerate(now.fragments)}
        sets = [self._kept(before, own, now, places) for own in plan.sets]
        served = {place for own in sets for place in own.members}
        sets = [own for own in sets if own.members]
        loose = [k for k in range(len(now.fragments)) if k not in served]
        for place in sorted(loose, key=lambda k: (now.fragments[k].budget_s, k)):
            self._insert(sets, now, place)
        return FragmentPlan(tuple(self._plain(own, now) for own in sets))

    def _kept(self, before: Fleet, own: RealignedSet, now: Fleet, places: dict[str, int]) -> _Set:
        """The rest of a set that is kept."""
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


@dataclass(frozen=True, slots=True)
class Sequel:
    """The plans of a policy."""

    fleets: tuple[Fleet, ...]  # the fleet that each plan serves
    plans: tuple[FragmentPlan, ...]  # a plan per step

    @property
    def deployments(self) -> list[Deployment]:
        """The deployment of each step."""
        return [deployed(fleet, plan) for fleet, plan in zip(self.fleets, self.plans, strict=True)]


class Planner:
    """Plans fleets by a solver, each once."""

    def __init__(self, solver: str) -> None:
        self._solver = solver
        # By identity: to hash a fleet takes longer than to repair its plan.
        self._known: dict[int, tuple[Fleet, FragmentPlan]] = {}

    def __call__(self, fleet: Fleet) -> FragmentPlan:
        """The plan of a fleet."""
        if id(fleet) not in self._known:
            found: FragmentPlan | None = solve(fleet, self._solver).plan
            if found is None:
                raise RuntimeError(f"{self._solver} has no plan of {fleet.name}")
            self._known[id(fleet)] = fleet, found
        return self._known[id(fleet)][1]


def from_scratch(line: Timeline, plan: Planner) -> Sequel:
    """A new plan every step, independent of the last one."""
    return _checked(line, [plan(fleet) for fleet in line.fleets])


def kept(line: Timeline, plan: Planner, every: int | None = None, worse: float = math.inf) -> Sequel:
    """The last plan, repaired; a new one after `every` steps, or if the last one is too much worse than a new one.

    Args:
        line: the fleets.
        plan: the planner.
        every: steps after which a new plan is taken; None disables it.
        worse: most share above that of a new plan that the repaired one may take, relative to the new plan.
    """
    repairer = Repairer(Stages(line.fleets[0].network))
    plans, last = [plan(line.fleets[0])], 0
    for t in range(1, len(line.fleets)):
        now = line.fleets[t]
        same = now is line.fleets[t - 1]
        found = plans[-1] if same else repairer.repaired(line.fleets[t - 1], plans[-1], now)
        due = every is not None and t - last >= every
        if due or (worse < math.inf and _share(now, found) > (1 + worse) * _share(now, plan(now))):
            found, last = plan(now), t
        plans.append(found)
    return _checked(line, plans)


class Hindsight:
    """The best sequences of repaired plans if all fleets are known: exact among plans that one repair makes.

    Each step is served by the plan of some step, before or after, repaired for it.

    Args:
        line: the fleets.
        plan: the planner.
        step: candidates are the plans of every `step`-th step, and that of the step itself.
    """

    def __init__(self, line: Timeline, plan: Planner, step: int = 1) -> None:
        self._line = line
        repairer = Repairer(Stages(line.fleets[0].network))
        origins = line.fleets[::step]
        self._choices = [
            [plan(now), *(repairer.repaired(old, plan(old), now) for old in origins)] for now in line.fleets
        ]
        running = [[deployed(now, own) for own in plans] for now, plans in zip(line.fleets, self._choices, strict=True)]
        kinds = sorted({instance for own in running for deployment in own for instance in deployment})
        self._share = np.array([instance.share_pct for instance in kinds], dtype=np.int64)
        self._counts = [np.array([[d[kind] for kind in kinds] for d in own], dtype=np.int64) for own in running]
        self._started = [
            np.stack([np.maximum(own - before, 0) @ self._share for own in after])
            for before, after in pairwise(self._counts)
        ]

    def best(self, shadow_s: float) -> Sequel:
        """The sequence of least GPU time: a shortest path over the steps.

        Started instances take their share for `shadow_s` steps before they replace others; seconds where a step is one.
        """
        least, came = (self._counts[0] @ self._share).astype(float), []
        for counts, started in zip(self._counts[1:], self._started, strict=True):
            total = least + shadow_s * started
            came.append(total.argmin(axis=1))
            least = total.min(axis=1) + counts @ self._share
        place = int(least.argmin())
        chosen = [self._choices[-1][place]]
        for t in range(len(came) - 1, -1, -1):
            place = int(came[t][place])
            chosen.append(self._choices[t][place])
        return _checked(self._line, chosen[::-1])


def _checked(line: Timeline, plans: Sequence[FragmentPlan]) -> Sequel:
    """The plans, each of which the checker accepts."""
    for fleet, plan in zip(line.fleets, plans, strict=True):
        found = evaluate(fleet, plan, FULL_FRAGMENT_SPACE)
        if not found.feasible:
            raise RuntimeError(f"{fleet.name}: {'; '.join(found.violations)}")
    return Sequel(line.fleets, tuple(plans))


def _share(fleet: Fleet, plan: FragmentPlan) -> int:
    return share_of(deployed(fleet, plan))
