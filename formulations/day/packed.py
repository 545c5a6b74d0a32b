"""Loads over time whose modules may share machines: plans of some loads, and the cheapest way through them (ours).

A solver of sessions makes packed plans for some steps, for the largest rates of some steps in a row, and for multiples
of the largest load: at low rates a batch fills in time only where capacity is kept free. A shared machine is no slower
at less load than it was planned for, so each plan serves all smaller loads. The cheapest choice of a plan per step is a
dynamic program over all of them. Between two steps shared machines of one type are matched so that few models move.

The bound adds up the optimum of machines by share of each step (`packed_bound`); changes cost nothing in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from euclio.core.coverage import fitting
from euclio.core.registry import AnySolver, Limits
from euclio.core.result import Answer
from euclio.problems.day import Day, DayPlan, Serving, Staffing, StepPlan, evaluate
from euclio.problems.day.evaluate import session_plan, step_space
from euclio.problems.day.instance import HOUR_S, asked, at_rates
from euclio.problems.day.plan import Resident, SharedMachine
from euclio.problems.day.sharing import PACKED_DAY, held, price_of_changes
from euclio.problems.session import Charging, Plan, PlanSpace, Session
from euclio.problems.session import evaluate as evaluate_session
from euclio.problems.session.bought_whole import packed_bound
from euclio.problems.session.resources import without_stock
from formulations.day.answers import RuleError
from formulations.day.cheapest import Rates, supported
from formulations.day.choices import Floats, Ints
from formulations.day.known_plans import machines_of

PACKED = PlanSpace(charging=Charging.PACKED)
LEVELS = 64
"""Steps for whose own rates plans are made, evenly many by their load."""
WINDOWS = (4, 16, 64, 256)
"""Steps in a row for whose largest rates plans are made."""
MULTIPLES = (1, 2, 4, 8)
"""Of the largest load."""
SOLVED, EACH_S = 0.5, 1.0
"""Part of the time in which plans are made, and seconds for each; the bound has what is left."""
BOUND_S = 5.0
"""Longest time for the bound of a step."""
ROUNDED = 1 - 1e-12
"""The bound is lowered by more than adding up floats may have raised it."""

Machine = tuple[int, frozenset[int]]
"""A shared machine: its type, and the modules that it serves, both by number."""
Matched = tuple[Fraction, dict[int, int]]
"""Money for going from some shared machines to others, and the machine before by that after, both by place."""
Rule = Callable[["_Pool"], list[int]]
"""Chooses the plan of each step, by its place in the pool."""


class _Candidate(NamedTuple):
    """A plan that serves every load within its rates.

    Attributes:
        plan: the plan; its shared machines are numbered from 0.
        on: machines that modules have for themselves, shape (modules, types).
        shared: the shared machines in the order of their numbers.
        most: largest rates in requests per second, shape (modules,).
        per_h: money per hour.
    """

    plan: StepPlan
    on: Ints
    shared: tuple[Machine, ...]
    most: Floats
    per_h: float


class _Pool:
    """The plans of a load and what it costs to go from one to the next."""

    def __init__(self, day: Day, limits: Limits[Any]) -> None:
        """Make the plans.

        Raises:
            RuleError: no solver makes packed plans, or some step has no plan in the time that there is.
        """
        self.day = day
        self.rates = np.array([[float(rate) for rate in step.rates_rps] for step in day.steps])
        self._maker = _maker(day)
        self._stock = np.array([math.inf if h.count is None else h.count for h in day.session.hardware])
        self._known: dict[tuple[tuple[Machine, ...], tuple[Machine, ...]], Matched] = {}
        self.plans: list[_Candidate] = []
        left = None if limits.time_limit_s is None else time.perf_counter() + SOLVED * limits.time_limit_s
        seen: set[Rates] = set()
        for rates in (*_planned_rates(day), *(step.rates_rps for step in day.steps)):
            if left is not None and time.perf_counter() >= left:
                break
            enough = len(seen) >= LEVELS and self._is_served(rates)
            if enough or rates in seen or not supported(day, rates):
                continue
            seen.add(rates)
            found = self._made(rates)
            self.plans += [] if found is None else [found]
        self.per_step = self._per_step()

    def _is_served(self, rates: Rates) -> bool:
        own = [float(rate) for rate in rates]
        return any((own <= plan.most).all() for plan in self.plans)

    def _made(self, rates: Rates) -> _Candidate | None:
        """The plan of the first solver for some rates, where its machines serve them as those of a day."""
        there = at_rates(self.day.session, rates)
        names = len(self.day.session.modules)
        if there is None:
            return _candidate(self.day, StepPlan((Staffing(()),) * names))
        free = without_stock(there)
        made = self._maker.run(free, self._maker.space_on(free, PACKED), Limits(EACH_S)).plan
        if made is None:
            return None
        own = _step(there, made)
        if not evaluate_session(there, session_plan(there, own.modules, own.shared), step_space(own)).feasible:
            return None
        of = dict(zip(asked(rates), own.modules, strict=True))
        found = _candidate(self.day, replace(own, modules=tuple(of.get(m, Staffing(())) for m in range(names))))
        used = found.on.sum(axis=0) + np.bincount([h for h, _ in found.shared], minlength=found.on.shape[1])
        return found if (used <= self._stock).all() else None

    def _per_step(self) -> Floats:
        """Money for each plan in each step; infinite where it does not serve. Shape (steps, plans)."""
        per_h, most = np.array([plan.per_h for plan in self.plans]), [plan.most for plan in self.plans]
        hours = np.array([float(step.length_s / HOUR_S) for step in self.day.steps])
        # Equal rates are equal floats. The checker refuses a plan whose rates are less by rounding only.
        serves = np.array([(self.rates <= own).all(axis=1) for own in most]).T.reshape(len(hours), len(per_h))
        if not serves.any(axis=1).all():
            k = int(np.argmin(serves.any(axis=1)))
            raise RuleError(f"no packed plan was found for step {k + 1} of {len(hours)}")
        return np.where(serves, hours[:, None] * per_h, np.inf)

    def changes(self) -> Floats:
        """Money for going from one plan to another, shape (plans, plans)."""
        day = self.day
        modules, types = range(len(day.session.modules)), range(len(day.session.hardware))
        start = np.array([[float(day.price_of_start(m, h)) for h in types] for m in modules])
        stop = np.array([[float(day.price_of_stop(m, h)) for h in types] for m in modules])
        found = np.zeros((len(self.plans), len(self.plans)))
        for i, before in enumerate(self.plans):
            for j, after in enumerate(self.plans):
                more = after.on - before.on
                found[i, j] = (np.maximum(more, 0) * start + np.maximum(-more, 0) * stop).sum()
                found[i, j] += float(self._matched(before.shared, after.shared)[0])
        return found

    def _matched(self, before: tuple[Machine, ...], after: tuple[Machine, ...]) -> Matched:
        if (before, after) not in self._known:
            self._known[before, after] = _matched(self.day, before, after)
        return self._known[before, after]

    def plan(self, way: Sequence[int]) -> DayPlan:
        """The plans of a way as one, with the numbers of shared machines from step to step."""
        steps: list[StepPlan] = []
        numbers: list[int] = []
        last: tuple[Machine, ...] = ()
        used = 0
        for place in way:
            own = self.plans[place]
            before = self._matched(last, own.shared)[1]
            kept = [numbers[old] if (old := before.get(k)) is not None else None for k in range(len(own.shared))]
            numbers = []
            for number in kept:
                used += number is None
                numbers.append(used if number is None else number)
            pairs = zip(own.plan.shared, numbers, strict=True)
            steps.append(replace(own.plan, shared=tuple(replace(machine, number=n) for machine, n in pairs)))
            last = own.shared
        return DayPlan(tuple(steps))


def _maker(day: Day) -> AnySolver:
    """The solver of packed sessions that fits best. Most know no stock: plans beyond it are left out instead.

    Raises:
        RuleError: there is none.
    """
    session = at_rates(day.session, day.largest_rates_rps)
    assert session is not None
    free = without_stock(session)
    for solver in fitting(free, lambda solver: solver.space_on(free, PACKED)):
        if solver.kind != "brute force":
            return solver
    raise RuleError("no solver of sessions makes packed plans of it")


def _planned_rates(day: Day) -> Iterator[Rates]:
    """Rates that plans are made for: multiples of the largest, steps by their load, the largest of steps in a row."""
    for times in MULTIPLES:
        yield tuple(times * rate for rate in day.largest_rates_rps)
    order = sorted({step.rates_rps for step in day.steps}, key=sum)
    few = min(LEVELS // 2, len(order))
    yield from (order[round(k * (len(order) - 1) / max(1, few - 1))] for k in range(few))
    for length in reversed(WINDOWS):
        for first in range(0, len(day.steps), max(1, length // 2)):
            rows = [step.rates_rps for step in day.steps[first : first + length]]
            yield tuple(map(max, zip(*rows, strict=True)))


def _step(session: Session, plan: Plan) -> StepPlan:
    """A packed plan of a session as machines of a step. A partial machine of one module becomes a whole one."""
    evaluation = evaluate_session(session, plan, PACKED)
    rates = [found.partial_rps for found in evaluation.modules]
    sharing = {m for group in plan.shared for m in group}
    modules = []
    for m, own in enumerate(plan.modules):
        counts = ((a.configuration, a.machines + (bool(a.partial_rps) and m not in sharing)) for a in own.allocations)
        modules.append(Staffing(tuple(Serving(c.hardware, c.batch, c.concurrency, n) for c, n in counts if n)))
    shared = []
    for number, group in enumerate(plan.shared):
        last = {m: plan.modules[m].allocations[-1].configuration for m in group}
        residents = (Resident(session.modules[m].name, c.batch, c.concurrency, rates[m]) for m, c in last.items())
        shared.append(SharedMachine(number, last[group[0]].hardware, tuple(residents)))
    return StepPlan(tuple(modules), tuple(shared))


def _candidate(day: Day, plan: StepPlan) -> _Candidate:
    session = day.session
    most = [Fraction(0) for _ in session.modules]
    for m, (module, own) in enumerate(zip(session.modules, plan.modules, strict=True)):
        throughput = {(c.hardware, c.batch, c.concurrency): c.throughput_rps for c in module.profile}
        most[m] = sum((n.machines * throughput[n.hardware, n.batch, n.concurrency] for n in own.serving), Fraction(0))
    for machine in plan.shared:
        for one in machine.residents:
            most[session.index[one.module]] += one.rate_rps
    on, shared = machines_of(day, plan.modules), tuple((h, own) for (_, h), own in held(session, plan).items())
    prices = [hardware.price_per_h for hardware in session.hardware]
    per_h = sum((price * int(n) for price, n in zip(prices, on.sum(axis=0), strict=True)), Fraction(0))
    per_h += sum((prices[h] for h, _ in shared), Fraction(0))
    return _Candidate(plan, on, shared, np.array(list(map(float, most))), float(per_h))


def _matched(day: Day, before: tuple[Machine, ...], after: tuple[Machine, ...]) -> Matched:
    """The machines that become one another: the pairs that save most first."""
    none = frozenset[int]()
    ends = [price_of_changes(day, h, own, none) for h, own in before]
    begins = [price_of_changes(day, h, none, own) for h, own in after]
    saved = {
        (i, j): ends[i] + begins[j] - price_of_changes(day, h, old, new)
        for i, (h, old) in enumerate(before)
        for j, (other, new) in enumerate(after)
        if h == other
    }
    cost, pairs = sum(ends, Fraction(0)) + sum(begins, Fraction(0)), dict[int, int]()
    # A machine that becomes another for as much as a stop and a start keeps its number too.
    for i, j in sorted(saved, key=lambda pair: (-saved[pair], pair)):
        if i not in pairs.values() and j not in pairs and saved[i, j] >= 0:
            pairs[j] = i
            cost -= saved[i, j]
    return cost, pairs


def cheapest_way(pool: _Pool) -> list[int]:
    """The choice of plans that costs least, changes included."""
    changes = pool.changes()
    cost, before = pool.per_step[0], []
    for own in pool.per_step[1:]:
        through = cost[:, None] + changes
        before.append(through.argmin(axis=0))
        cost = through.min(axis=0) + own
    way = [int(cost.argmin())]
    for places in reversed(before):
        way.append(int(places[way[-1]]))
    return way[::-1]


def cheapest_each(pool: _Pool) -> list[int]:
    """The cheapest plan of each step; changes do not count."""
    return [int(place) for place in pool.per_step.argmin(axis=1)]


def cheapest_all_day(pool: _Pool) -> list[int]:
    """The cheapest plan that serves all steps.

    Raises:
        RuleError: none does.
    """
    in_all = pool.per_step.sum(axis=0)
    if not np.isfinite(in_all).any():
        raise RuleError("no packed plan was found that serves the largest rates together")
    return [int(in_all.argmin())] * len(pool.per_step)


def packed_answer(
    day: Day, whole: Answer[DayPlan], limits: Limits[Any], rule: Rule, *, bounded: bool
) -> Answer[DayPlan]:
    """The plan of a rule with shared machines, or that of whole ones where it costs no more.

    Args:
        day: the instance.
        whole: the answer with whole machines, in which every machine serves one module.
        limits: limits of the run.
        rule: chooses the plans of the steps.
        bounded: whether to bound the cost of all plans.
    """
    quiet = not any(day.largest_rates_rps)
    if quiet or (whole.infeasible and not day.session.stock):
        # On machines of their own modules are no slower, so that only a stock can ask for shared ones.
        return whole
    began = time.perf_counter()
    reason, plan, claimed = whole.reason, whole.plan, whole.claimed
    try:
        pool = _Pool(day, limits)
        found = pool.plan(rule(pool))
        checked = evaluate(day, found, PACKED_DAY)
        if checked.feasible and checked.value is not None and (claimed is None or float(checked.value) < claimed):
            plan, claimed, reason = found, float(checked.value), ""
    except RuleError as error:
        reason = reason or str(error)
    left_s = math.inf if limits.time_limit_s is None else limits.time_limit_s - (time.perf_counter() - began)
    bound = _bound(day, left_s) if bounded else None
    return Answer(plan, "done" if plan is not None else "no plan", claimed=claimed, bound=bound, reason=reason)


def _bound(day: Day, left_s: float) -> float:
    """Money that the machines of all steps cost at least; a step without time for its bound counts nothing."""
    ends_at, least = time.perf_counter() + left_s, dict[Rates, float]()
    for rates in dict.fromkeys(step.rates_rps for step in day.steps):
        session, now = at_rates(day.session, rates), time.perf_counter()
        known = None if session is None else packed_bound(session, PACKED, min(BOUND_S, ends_at - now))
        least[rates] = known or 0.0
    return math.fsum(float(step.length_s / HOUR_S) * least[step.rates_rps] for step in day.steps) * ROUNDED
