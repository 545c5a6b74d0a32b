"""The least cost of several modules over time: a plan, and a bound (ours).

Given latency budgets, modules are independent, and each is planned over all steps by dynamic programming. It begins
with the cheapest plan of each step. Then module after module is planned anew with what the others leave it of the SLO
in each step, which never costs more. Bounds: `step_bound`, `latency_prices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.day import Day, DayPlan, Serving, evaluate
from formulations.day.answers import Made, nothing_serves
from formulations.day.cheapest import Found, cheapest_plans
from formulations.day.latency_prices import bound_by_latency_prices
from formulations.day.module_days import ModuleDay, Vector, latency_s, module_day
from formulations.day.one_path import LateError
from formulations.day.staffings import day_plan, staffing
from formulations.day.step_bound import bound_of_steps
from formulations.day.transitions import Floats

LEVELS = 14
"""Budgets that a module is planned for at most at a time."""
ROUNDS = 3
"""How often all modules are planned anew at most."""
MARGIN = 1e-9
"""Share of the SLO that floats leave free, so that rounding never misses it."""


@dataclass(frozen=True, slots=True)
class Course:
    """A module's machines over time.

    Attributes:
        on: vector of machines of each step.
        serving: what serves in each step.
        latency_s: its latency in each step, shape (steps,).
    """

    on: tuple[Vector, ...]
    serving: tuple[tuple[Serving, ...], ...]
    latency_s: Floats


def cheapest_of_several_modules(day: Day, deadline: float, exact: bool) -> Made:
    """A plan of a day with several modules, and a bound on all plans.

    Args:
        day: the instance.
        deadline: when to give up, on the clock of `time.perf_counter`; a plan that was found by then is kept.
        exact: whether floats missed an SLO; then the steps' own plans are taken, which the checker's fractions hold.

    Raises:
        NoPlanError: nothing serves a step.
        LateError: the deadline passed before every step had a plan.
    """
    found = _own_plans(day, deadline)
    plan = day_plan(one.staffings for one in found)
    bound = bound_of_steps(day, [one.bound_per_h for one in found])
    if exact:
        return plan, bound
    modules, own = _begun(day, found, deadline)
    courses = _improved(day, modules, own)
    better = _plan(modules, courses)
    plan = min(plan, better, key=lambda one: _cost(day, one))
    known = [np.concatenate([a.latency_s, b.latency_s]).tolist() for a, b in zip(own, courses, strict=True)]
    priced = bound_by_latency_prices(day, known, _cost(day, plan), deadline)
    return plan, max(bound, priced or 0.0)


def _own_plans(day: Day, deadline: float) -> list[Found]:
    """The cheapest plan of each step."""
    cheapest = cheapest_plans(day, Fraction(1), deadline, exact=False)
    plans: list[Found] = []
    for k, step in enumerate(day.steps):
        found = cheapest(step.rates_rps)
        if found is None:
            raise nothing_serves(day, k)
        plans.append(found)
    return plans


def _cost(day: Day, plan: DayPlan) -> float:
    checked = evaluate(day, plan)
    return float(checked.value) if checked.feasible and checked.value is not None else np.inf


def _begun(day: Day, found: Sequence[Found], deadline: float) -> tuple[list[ModuleDay], list[Course]]:
    """The modules, and their courses in the steps' own plans."""
    modules: list[ModuleDay] = []
    courses: list[Course] = []
    for m in range(len(day.session.modules)):
        serving = [one.staffings[m].serving for one in found]
        modules.append(module_day(day, m, serving, deadline))
        courses.append(_course(modules[-1], [modules[-1].vector(own) for own in serving], serving))
    return modules, courses


def _course(module: ModuleDay, on: Sequence[Vector], serving: Sequence[tuple[Serving, ...]]) -> Course:
    latencies = np.array([latency_s(module.day, module.index, own) for own in serving])
    return Course(tuple(on), tuple(serving), latencies)


def _planned(module: ModuleDay, budgets_s: Sequence[float], kept: Course) -> Course:
    """The cheapest course within a budget for each step; what `kept` does serves anyway."""
    found = module.path(budgets_s, kept.on)
    assert not isinstance(found, int)
    serving: list[tuple[Serving, ...]] = []
    for k, (on, rate) in enumerate(zip(found.machines, module.rates_rps, strict=True)):
        table = module.table(budgets_s[k])
        serving.append(table.serving(on, rate) if table.serves(rate)[on] else kept.serving[k])
    return _course(module, found.machines, serving)


def _improved(day: Day, modules: Sequence[ModuleDay], start: list[Course]) -> list[Course]:
    """The courses, each planned anew with what the others leave of the SLO until none changes or the time is up."""
    courses = list(start)
    for _ in range(ROUNDS):
        before = [course.on for course in courses]
        for m, module in enumerate(modules):
            budgets = _left_of_slo(day, courses, m)
            levels = np.unique(np.quantile(budgets, np.linspace(0, 1, LEVELS), method="lower"))
            rounded = levels[np.searchsorted(levels, budgets, side="right") - 1]
            try:
                courses[m] = _planned(module, [float(level) for level in rounded], courses[m])
            except LateError:
                return courses
        if before == [course.on for course in courses]:
            break
    return courses


def _left_of_slo(day: Day, courses: Sequence[Course], m: int) -> Floats:
    """What the other modules leave of the SLO to one, in each step."""
    session = day.session
    own = [np.zeros(len(day.steps)) if k == m else course.latency_s for k, course in enumerate(courses)]
    parents = session.parents()
    until = [np.zeros(len(day.steps)) for _ in courses]
    after = [np.zeros(len(day.steps)) for _ in courses]
    for k in session.order:
        for parent in parents[k]:
            until[k] = np.maximum(until[k], until[parent] + own[parent])
    for k in reversed(session.order):
        for parent in parents[k]:
            after[parent] = np.maximum(after[parent], after[k] + own[k])
    left: Floats = float(session.slo_s) * (1 - MARGIN) - until[m] - after[m]
    return left


def _plan(modules: Sequence[ModuleDay], courses: Sequence[Course]) -> DayPlan:
    """The courses as a plan."""
    steps = range(len(courses[0].on))
    return day_plan(
        [
            staffing(course.serving[k], dict(zip(module.hardware, course.on[k], strict=True)))
            for module, course in zip(modules, courses, strict=True)
        ]
        for k in steps
    )
