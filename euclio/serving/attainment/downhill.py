"""From a plan of whole machines downhill: plans nearby that cost less, as long as one of them passes (ours).

Margins (`search`) reach only plans that are the cheapest ones for some stricter session of evenly spaced requests. Here
the search takes away and exchanges machines, one or a few at a time, as InferLine's planner does (its §4.3), in one
module or two, and batches with them. The simulation of the search decides, on the same requests for all plans.

A plan whose machines are all among those of one that has failed is not tried, since it has less capacity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations

from euclio.problems.session.evaluate import Evaluation, Priced, evaluate, machine_latencies, rank_key
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.space import PlanSpace

TRIED = 40
"""Plans that are simulated at most."""
PRICED = 4000
"""Plans that the checker prices at most."""
ALIKE = 4
"""Most alternatives of the same cost that are considered for a module's machines."""
FEWER = 3
"""If all machines of a module are exchanged, most fewer machines than the same price buys."""
STEPS = 8
"""Steps that save less than this fraction (one in `STEPS`) of the gap to the bound are tried last."""

Machines = tuple[int, ...]
"""How many machines of each configuration of its profile a module has."""


@dataclass(frozen=True, slots=True)
class Lower:
    """A cheaper plan that passes."""

    plan: Plan  # the plan
    evaluation: Evaluation  # its evaluation by the checker
    share: float  # its attainment in the search
    steps: int  # how many steps downhill it is


Share = Callable[[Plan], float | None]
"""The attainment of a plan in the search; None if it does not pass."""


def covers(plan: Plan, space: PlanSpace) -> bool:
    """Whether machines of a plan may be exchanged: all are charged whole, and none serves two modules."""
    return space.charging.whole and not plan.shared


@dataclass(frozen=True, slots=True)
class _Move:
    """Other machines of a module, with their cost over that of the present ones, in money per hour."""

    more: Fraction
    machines: Machines


@dataclass(slots=True)
class Downhill:
    """The walk."""

    session: Session  # the instance
    space: PlanSpace  # plan space of the plans, in which capacity may be kept free at any rate
    share: Share  # simulates a plan
    is_over: Callable[[], bool]  # whether the time is up
    tried: int = 0  # plans that were simulated
    _priced: Priced = field(default_factory=dict)
    _plans: dict[tuple[int, Machines], ModulePlan] = field(default_factory=dict)
    _failed: list[tuple[Machines, ...]] = field(default_factory=list)
    _seen: set[tuple[Machines, ...]] = field(default_factory=set)
    _latencies: dict[tuple[int, Machines], Fraction] = field(default_factory=dict)
    _usable: dict[int, list[int]] = field(default_factory=dict)
    _checks: int = 0

    def lowest(self, plan: Plan, cost_per_h: Fraction, bound: Fraction) -> Lower | None:
        """The plan at which no cheaper neighbour passes, or whose cost is within the bound; None means the first plan.

        The plan passes and `covers`; no plan that passes costs less than the bound, in money per hour.
        """
        found, here = None, tuple(map(_machines, self.session.modules, plan.modules))
        while cost_per_h > bound:
            step = self._step(here, cost_per_h, bound)
            if step is None:
                break
            here, found = step[0], replace(step[1], steps=1 if found is None else found.steps + 1)
            assert found.evaluation.cost_per_h is not None
            cost_per_h = found.evaluation.cost_per_h
        return found

    def _step(
        self, here: tuple[Machines, ...], cost_per_h: Fraction, bound: Fraction
    ) -> tuple[tuple[Machines, ...], Lower] | None:
        """The first plan in line that passes."""
        gap = cost_per_h - bound
        line = [(saved, other) for saved, other in self._nearby(here, gap) if saved <= gap]
        line.sort(key=lambda one: (one[0] * STEPS < gap, one[0] if one[0] * STEPS >= gap else -one[0]))
        for _, other in line:
            if self.tried >= TRIED or self._checks >= PRICED or self.is_over():
                return None
            if other in self._seen or any(_within(other, failed) for failed in self._failed):
                continue
            self._seen.add(other)
            self._checks += 1
            plan = Plan(tuple(self._module_plan(m, own) for m, own in enumerate(other)))
            checked = evaluate(self.session, plan, self.space, priced=self._priced)
            if not checked.feasible or checked.cost_per_h is None or checked.cost_per_h >= cost_per_h:
                continue
            self.tried += 1
            share = self.share(plan)
            if share is not None:
                return other, Lower(plan, checked, share, 1)
            self._failed.append(other)
        return None

    def _nearby(self, here: tuple[Machines, ...], gap: Fraction) -> Iterator[tuple[Fraction, tuple[Machines, ...]]]:
        """Other machines of one module, or of two, that cost less together, with their saving."""
        worst = [self._latency(m, own) for m, own in enumerate(here)]
        until, rest = times_until(self.session, worst), times_from(self.session, worst)
        budgets = (self.session.slo_s - u - r + 2 * own for u, r, own in zip(until, rest, worst, strict=True))
        moves = [self._moves(m, own, budget) for m, (own, budget) in enumerate(zip(here, budgets, strict=True))]
        for m, own in enumerate(moves):
            for move in own:
                if move.more < 0:
                    yield -move.more, (*here[:m], move.machines, *here[m + 1 :])
        for a, b in combinations(range(len(here)), 2):
            for one in moves[a]:
                for two in moves[b]:
                    more = one.more + two.more
                    if more < 0:
                        yield -more, (*here[:a], one.machines, *here[a + 1 : b], two.machines, *here[b + 1 :])

    def _moves(self, m: int, own: Machines, budget: Fraction) -> list[_Move]:
        """Other machines of a module that serve its rate in time; at equal cost, those with most capacity."""
        module, price = self.session.modules[m], self.session.price
        if m not in self._usable:
            self._usable[m] = _useful(self.session, module, self.space)
        rates = [float(c.throughput_rps) for c in module.profile]
        prices = [price[c.hardware] for c in module.profile]
        alike: dict[Fraction, dict[Machines, float]] = {}
        for changes in _changes(own, self._usable[m], prices):
            other = list(own)
            for place, more in changes:
                other[place] += more
            rate = sum(n * rate for n, rate in zip(other, rates, strict=True) if n)
            if rate >= float(module.rate_rps) and self._latency(m, tuple(other)) <= budget:
                costs = sum((more * prices[place] for place, more in changes), Fraction(0))
                alike.setdefault(costs, {})[tuple(other)] = rate
        return [
            _Move(costs, other)
            for costs, found in alike.items()
            for other in sorted(found, key=found.__getitem__, reverse=True)[:ALIKE]
        ]

    def _latency(self, m: int, own: Machines) -> Fraction:
        """The worst case of a module with these machines."""
        if (m, own) not in self._latencies:
            plan, rate = self._module_plan(m, own), self.session.modules[m].rate_rps
            price, policy = self.session.price, self.space.policy
            machines = machine_latencies(plan.allocations, Fraction(0), rate + plan.dummy_rps, price, policy)
            self._latencies[m, own] = max(machine.latency_s for machine in machines)
        return self._latencies[m, own]

    def _module_plan(self, m: int, own: Machines) -> ModulePlan:
        """The plan of a module with these machines, all of them full: dummies fill the capacity above its rate."""
        if (m, own) not in self._plans:
            module, price = self.session.modules[m], self.session.price
            rows = [Allocation(c, n) for c, n in zip(module.profile, own, strict=True) if n]
            rows.sort(key=lambda row: rank_key(row.configuration, price))
            rate = sum((row.machines * row.configuration.throughput_rps for row in rows), Fraction(0))
            self._plans[m, own] = ModulePlan(tuple(rows), rate - module.rate_rps)
        return self._plans[m, own]


def _machines(module: Module, plan: ModulePlan) -> Machines:
    """A module's machines by configuration; one that is used in part is charged whole, and may be used whole."""
    found = dict.fromkeys(module.profile, 0)
    for row in plan.allocations:
        found[row.configuration] += row.machines + (row.partial_rps > 0)
    return tuple(found.values())


def _useful(session: Session, module: Module, space: PlanSpace) -> list[int]:
    """Configurations that the plan space allows, without those that another one dominates (`is_better`)."""
    price = session.price
    allowed = [
        (k, c)
        for k, c in enumerate(module.profile)
        if space.allows(c.hardware, c.batch, c.concurrency) and c.duration_s < session.slo_s
    ]

    def is_better(one: Configuration, other: Configuration) -> bool:
        mine, its = (
            (price[c.hardware], c.duration_s, -c.throughput_rps, c.concurrency, c.hardware) for c in (one, other)
        )
        return mine < its and all(a <= b for a, b in zip(mine[:3], its[:3], strict=True))

    return [k for k, c in allowed if not any(is_better(other, c) for _, other in allowed)]


def _within(machines: Sequence[Machines], others: Sequence[Machines]) -> bool:
    """Whether all machines are among the others."""
    pairs = zip(machines, others, strict=True)
    return all(n <= more for own, other in pairs for n, more in zip(own, other, strict=True))


def _changes(own: Machines, usable: Sequence[int], prices: Sequence[Fraction]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Few machines less or more: (configuration, how many more), ...

    A change adds a machine, or takes one or two away, with up to two of another configuration in their place. Or it
    exchanges all of a configuration for another one of the same hardware: as many, or one or two less.
    """
    has = [k for k in usable if own[k]]
    for k in usable:
        yield ((k, 1),)
    for less in (*(((k, -1),) for k in has), *(((k, -2),) for k in has if own[k] > 1), *_pairs(has)):
        yield less
        room = -sum(n * prices[k] for k, n in less)
        taken = {k for k, _ in less}
        for k in usable:
            if k in taken:
                continue
            for more in (1, 2):
                if more * prices[k] <= room:
                    yield (*less, (k, more))
    paid = sum(own[k] * prices[k] for k in has)
    for k in usable:
        # All machines of the module at another configuration, at about the same price.
        most = int(paid / prices[k]) if prices[k] else 0
        for count in range(max(1, most - FEWER), most + 2):
            yield (*((other, -own[other]) for other in has if other != k), (k, count - own[k]))
    for k in has:
        for other in usable:
            if other != k and prices[other] == prices[k] and own[k] > 2:
                for fewer in (0, 1, 2):
                    yield ((k, -own[k]), (other, own[k] - fewer))


def _pairs(has: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for a, b in combinations(has, 2):
        yield ((a, -1), (b, -1))
