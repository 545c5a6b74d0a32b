"""A plain reference for sessions under dummy rule `continuous`: exact for one module, else a bracket of the optimum.

The least cost of a module within a latency is found exactly: configurations in rank order, whole machines by trial, the
last allocation as small as the latency allows. Over the latency this cost falls in steps and in curves. The modules are
combined twice. Points that are plans give an upper value. A lower value takes each stretch between two known points at
the cost of its slow end and the latency of its fast end. Stretches that the lower value uses are halved until both are
near.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from euclio.problems.session import Module, PlanSpace, Policy, Session

from .reference_sessions import SHARED, Point, Route, combination, longest, routes
from .truth import NO_PLAN, TooLargeError, Truth

CLOSE = Fraction(1, 10**8)
"""Halving stops when upper and lower value differ by less than this share."""

MOST_WORK = 200_000
"""Most combinations looked at; the search then returns the two values found so far."""

EACH_ROUND = 600
"""Combinations that finding a plan for every module counts as."""

MOST_NODES = 5_000

ROUND_ROBIN = (Policy.RR, Policy.RR_EVEN, Policy.SHARED_QUEUE)
EVEN = (Policy.RR_EVEN, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER, Policy.SHARED_QUEUE)
"""Policies that give the machines of the last allocation equal rates."""

LITTLE = Fraction(1, 10**40)
"""A share of a latency that is less than any two different sums of latencies of small instances are apart."""


class Kind(NamedTuple):
    """A configuration in rank order; `key` is what it is ranked by, `unit` the cost per unit of rate."""

    key: tuple[Fraction, Fraction, int, str, int]
    unit: Fraction
    throughput: Fraction
    duration: Fraction
    batch: int


class Found(NamedTuple):
    """The least cost within a latency, and the worst-case latency of a plan that costs as much."""

    cost: Fraction
    latency: Fraction


def bracket(session: Session, space: PlanSpace, hardware: list[str]) -> Truth:
    """The optimum on the hardware named, or two values that enclose it.

    Raises:
        TooLargeError: there is too much to try.
    """
    curves = [Curve(module, _kinds(module, session.price, space, hardware), space) for module in session.modules]
    if any(not curve.kinds for curve in curves):
        return NO_PLAN
    every = routes(session)
    most = longest(session, every)
    if len(curves) == 1:
        found = curves[0].at(most[0])
        return NO_PLAN if found is None else Truth(found.cost, found.cost)
    fastest = [curve.fastest(own) for curve, own in zip(curves, most, strict=True)]
    if any(one is None for one in fastest):
        return NO_PLAN
    sure = [one for one in fastest if one is not None]
    rooms = [(route.modules, route.room - sum(sure[i][0] for i in route.modules)) for route in every]
    if any(left < 0 or (left == 0 and not all(sure[i][1] for i in modules)) for modules, left in rooms):
        return NO_PLAN
    for i, (curve, (latency, _)) in enumerate(zip(curves, sure, strict=True)):
        # A path without room has its fastest plans only; modules elsewhere may need more than their fastest latency.
        share = min(left / len(modules) for modules, left in rooms if i in modules)
        curve.learn(most[i])
        curve.learn(latency + share)
    return _enclosed(curves, [latency for latency, _ in sure], every)


def _enclosed(curves: list[Curve], fastest: list[Fraction], every: list[Route]) -> Truth:
    work = 0
    while True:
        above = combination([curve.plans() for curve in curves], every)
        below = combination([c.hopes(v) for c, v in zip(curves, fastest, strict=True)], every)
        assert above is not None, "every module has a plan as fast as its share of the room"
        assert below is not None
        work += above.looked_at + below.looked_at + EACH_ROUND
        if above.cost - below.cost <= CLOSE * above.cost or work > MOST_WORK:
            break
        for curve, latency, point in zip(curves, fastest, below.points, strict=True):
            curve.narrow(point, latency)
    return Truth(below.cost, above.cost)


def _kinds(module: Module, price: dict[str, Fraction], space: PlanSpace, hardware: list[str]) -> list[Kind]:
    found = []
    for c in module.profile:
        small = (space.batching or c.batch == 1) and (space.concurrency or c.concurrency == 1)
        if c.hardware in hardware and small:
            throughput = c.batch * c.concurrency / c.duration_s
            unit = price[c.hardware] / throughput
            key = (unit, c.duration_s, c.batch, c.hardware, c.concurrency)
            found.append(Kind(key, unit, throughput, c.duration_s, c.batch))
    return sorted(found)


@dataclass(slots=True)
class Curve:
    """Known points of a module's least cost over its latency."""

    module: Module
    kinds: list[Kind]
    space: PlanSpace
    steps: list[Step] = field(default_factory=list)
    """Known plans, fastest first, each cheaper than the one before."""
    floor: Fraction = Fraction(0)
    """There is no plan within this latency."""

    def at(self, latency: Fraction) -> Found | None:
        """The cheapest plan within a latency; None if there is none.

        Raises:
            TooLargeError: there is too much to try.
        """
        return _Search(self.module.rate_rps, self.kinds, self.space, latency).cheapest()

    def fastest(self, slo: Fraction) -> tuple[Fraction, bool] | None:
        """The least latency, and whether a plan attains it or only comes near; None if it is above the SLO."""
        policy = self.space.policy
        if policy in (Policy.TC, *SHARED):
            least = min(kind.duration for kind in self.kinds)
            return (least, False) if least < slo else None
        ends = {kind.duration + kind.batch / kind.throughput for kind in self.kinds}
        ends |= {2 * kind.duration for kind in self.kinds if policy in ROUND_ROBIN}
        for end in sorted(ends):
            if end > slo:
                return None
            if self.at(end) is not None:
                return end, True
            if self.at(end * (1 + LITTLE)) is not None:
                return end, False
        return None

    def learn(self, latency: Fraction) -> None:
        """Find the cheapest plan within a latency and note how far it is the cheapest."""
        found = self.at(latency)
        if found is None:
            self.floor = max(self.floor, latency)
            return
        for step in self.steps:
            if step.cost == found.cost:
                step.latency, step.reach = min(step.latency, found.latency), max(step.reach, latency)
                return
        self.steps.append(Step(found.latency, found.cost, latency))
        self.steps.sort(key=lambda step: step.latency)

    def plans(self) -> list[Point]:
        """The plans known, fastest first."""
        return [Point(step.latency, step.cost) for step in self.steps]

    def hopes(self, fastest: Fraction) -> list[Point]:
        """The known plans, and for each stretch between two of them a point as fast and as cheap as any plan there."""
        found = []
        for start, step in self._stretches(fastest):
            if start < step.latency:
                found.append(Point(start, step.cost))
            else:
                found.append(Point(step.latency, step.cost))
        return found

    def _stretches(self, fastest: Fraction) -> Iterator[tuple[Fraction, Step]]:
        """Each step with the latency from which on nothing is known up to it."""
        start = max(fastest, self.floor)
        for step in self.steps:
            yield start, step
            start = step.reach

    def narrow(self, hope: Point, fastest: Fraction) -> None:
        """Learn more of the stretch that a point of `hopes` stands for: at its slow end, or in its middle."""
        for start, step in self._stretches(fastest):
            if step.cost == hope.cost and start < step.latency * (1 - 4 * LITTLE):
                before = step.latency * (1 - LITTLE)
                self.learn((start + step.latency) / 2 if step.tested else before)
                for near in self.steps:  # in a curve the plan a little faster is another one, and as good as tested
                    near.tested = near.tested or before <= near.latency <= step.latency
                return


@dataclass(slots=True)
class Step:
    """A plan, and the latency up to which it is known to be the cheapest; `tested`: so is the plan just before it."""

    latency: Fraction
    cost: Fraction
    reach: Fraction
    tested: bool = False


class _Search:
    """The cheapest plan of a module within a latency, by trial of machine counts."""

    def __init__(self, rate: Fraction, kinds: list[Kind], space: PlanSpace, latency: Fraction) -> None:
        self.rate, self.space, self.latency = rate, space, latency
        self.kinds = [kind for kind in kinds if kind.duration < latency]
        self.most = len(self.kinds) if space.max_allocations is None else space.max_allocations
        self.shared = space.policy in SHARED
        self.collect = [kind.batch / (latency - kind.duration) for kind in self.kinds]
        """The rate at which a batch has to be collected to be in time."""
        self.even = space.policy in EVEN
        if self.even and space.policy in ROUND_ROBIN:
            # d + d·t/each is in time.
            self.collect = [kind.duration * kind.throughput / (latency - kind.duration) for kind in self.kinds]
        self.best: tuple[Fraction, tuple[tuple[int, int], ...], Fraction] | None = None
        self.nodes = 0

    def cheapest(self) -> Found | None:
        self._extend(0, Fraction(0), Fraction(0), self.rate, (), Fraction(0))
        if self.best is None:
            return None
        cost, machines, partial = self.best
        return Found(cost, self._latency(machines, partial))

    def _whole_need(self, i: int) -> Fraction | None:
        """The rate that has to reach a whole machine; None if it is never in time."""
        kind = self.kinds[i]
        if self.space.policy in (Policy.TC, *SHARED):
            return self.collect[i]
        collecting = kind.duration if self.space.policy in ROUND_ROBIN else kind.batch / kind.throughput
        own = kind.duration + collecting
        return Fraction(0) if own <= self.latency else None

    def _extend(
        self,
        first: int,
        before: Fraction,
        cost: Fraction,
        required: Fraction,
        machines: tuple[tuple[int, int], ...],
        group: Fraction,
    ) -> None:
        """Try every next allocation; `required` is the rate in all that the ones before need to be in time.

        `group` is the rate before the first allocation whose ratio is that of the last one.
        """
        for i in range(first, len(self.kinds)):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise TooLargeError
            kind = self.kinds[i]
            if self.best is not None and cost + (required - before) * kind.unit >= self.best[0]:
                return
            same = bool(machines) and self.kinds[machines[-1][0]].unit == kind.unit
            start = group if same else before
            base = start if self.shared else before
            need = self._whole_need(i)
            if not self.even:
                self._close_with_partial(i, before, cost, required, machines, base)
            if need is None:
                continue
            wanted = max(required, base + need)
            if self.even:
                self._close_evenly(i, cost, required - before, machines)
            else:
                self._close_with_whole(i, before, cost, wanted, machines)
            if len(machines) + 1 >= self.most or i + 1 == len(self.kinds):
                continue
            for n in range(math.ceil((wanted - before) / kind.throughput) - 1, 0, -1):
                after = before + n * kind.throughput
                spent = cost + n * kind.throughput * kind.unit
                if self.best is not None and spent + (wanted - after) * self.kinds[i + 1].unit >= self.best[0]:
                    break
                self._extend(i + 1, after, spent, wanted, (*machines, (i, n)), start)

    def _close_with_partial(
        self,
        i: int,
        before: Fraction,
        cost: Fraction,
        required: Fraction,
        machines: tuple[tuple[int, int], ...],
        base: Fraction,
    ) -> None:
        """The last allocation is one partial machine alone."""
        rest = base + self.collect[i] - before if self.shared else self.collect[i]
        self._keep(i, 0, max(required - before, rest), cost, machines)

    def _close_with_whole(
        self, i: int, before: Fraction, cost: Fraction, wanted: Fraction, machines: tuple[tuple[int, int], ...]
    ) -> None:
        """The last allocation has whole machines and, if it pays, a partial one."""
        kind = self.kinds[i]
        n, rest = divmod(max(wanted - before, kind.throughput), kind.throughput)
        if rest and not self.shared:
            rest = max(rest, self.collect[i])
        if rest >= kind.throughput:
            n, rest = n + 1, Fraction(0)
        self._keep(i, int(n), rest, cost, machines)

    def _close_evenly(self, i: int, cost: Fraction, left: Fraction, machines: tuple[tuple[int, int], ...]) -> None:
        """The last allocation has machines that take equal rates, none above its throughput, all in time."""
        kind = self.kinds[i]
        fewest = math.ceil(left / kind.throughput)
        for count in (fewest, fewest + 1):
            rest = max(left, count * self.collect[i]) - (count - 1) * kind.throughput
            if rest == kind.throughput:
                self._keep(i, count, Fraction(0), cost, machines)
            elif rest > 0:
                self._keep(i, count - 1, rest, cost, machines)

    def _keep(self, i: int, n: int, partial: Fraction, cost: Fraction, machines: tuple[tuple[int, int], ...]) -> None:
        kind = self.kinds[i]
        if partial >= kind.throughput:
            return
        total = cost + (n * kind.throughput + partial) * kind.unit
        if self.best is None or total < self.best[0]:
            self.best = (total, (*machines, (i, n)), partial)

    def _latency(self, machines: tuple[tuple[int, int], ...], partial: Fraction) -> Fraction:
        return max(self._latencies(machines, partial))

    def _latencies(self, machines: tuple[tuple[int, int], ...], partial: Fraction) -> Iterator[Fraction]:
        w = shared = partial + sum(n * self.kinds[i].throughput for i, n in machines)
        unit = None
        for i, n in machines:
            kind = self.kinds[i]
            if kind.unit != unit:
                unit, shared = kind.unit, w
            if n and self.space.policy in ROUND_ROBIN:
                yield 2 * kind.duration
            elif n and self.space.policy in (Policy.MACHINE_RATE, Policy.MACHINE_RATE_EVEN, Policy.LOAD_BALANCER):
                yield kind.duration + kind.batch / kind.throughput
            elif n:
                yield kind.duration + kind.batch / (shared if self.shared else w)
            w -= n * kind.throughput
        if partial:
            last = self.kinds[machines[-1][0]]
            if self.even:
                each = (machines[-1][1] * last.throughput + partial) / (machines[-1][1] + 1)
                part = last.duration * last.throughput if self.space.policy in ROUND_ROBIN else last.batch
                yield last.duration + part / each
                return
            yield last.duration + last.batch / (shared if self.shared else partial)
