"""Loads over time of several modules: plans that are accepted, bounds below all of them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.day import Day, DayPlan, Serving, Staffing, Step, StepPlan, evaluate
from euclio.session import Configuration, Hardware, Module, Session

RULES = ("day-peak", "day-per-machine", "day-thresholds", "day-per-step")


def drawn_day(seed: int, steps: int = 8, modules: int = 3) -> Day:
    """A chain or a fork of modules on two hardware types."""
    draw = random.Random(seed)
    hardware = [Hardware("fast", "2"), Hardware("slow", "0.6")]
    made = []
    for m in range(modules):
        base = draw.choice(["0.02", "0.03", "0.05"])
        profile = [
            Configuration(name, batch, 1, Fraction(base) * factor * (1 + Fraction(batch, 2)))
            for name, factor in (("fast", 1), ("slow", 3))
            for batch in (1, 2, 4)
        ]
        made.append(Module(f"m{m}", draw.choice([20, 40]), profile))
    edges = [("m0", f"m{m}") for m in range(1, modules)] if draw.random() < 0.5 else [("m0", "m1")]
    if len(edges) == 1 and modules > 2:
        edges.append(("m1", "m2"))
    session = Session(f"drawn-{seed}", draw.choice(["0.9", "1.4"]), hardware, made, edges)
    rows = []
    for _ in range(steps):
        factor = Fraction(draw.randint(2, 12), 8)
        rows.append(Step(300, [module.rate_rps * factor for module in made]))
    return Day(f"drawn-{seed}", session, rows, draw.choice([0, 120]), 300, draw.choice([0, "0.01"]))


@pytest.mark.parametrize("seed", range(10))
def test_the_plan_is_no_more_expensive_than_the_rules_and_the_bound_is_below_it(seed):
    day = drawn_day(seed)
    best = solve(day, "day-exact")
    assert best.status in {Status.FEASIBLE, Status.OPTIMAL}, best.reason
    assert best.bound <= best.value
    # Ours begins with the steps' own plans and never gets more expensive.
    assert best.value <= solve(day, "day-per-step").value
    for rule in RULES:
        found = solve(day, rule)
        assert found.status is not Status.ERROR, found.reason
        assert found.value is None or found.value >= Fraction(best.bound)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_below_the_least_of_all_plans(seed):
    day = drawn_day(seed, steps=2, modules=2)
    least = min(
        (checked.value for plan in _small_plans(day) if (checked := evaluate(day, plan)).feasible), default=None
    )
    best = solve(day, "day-exact")
    assert least is None or best.bound <= least * (1 + 1e-12)


def _small_plans(day: Day):
    """Plans whose modules run one configuration per step, up to four machines of it."""
    choices = [
        [Staffing((Serving(c.hardware, c.batch, 1, n),)) for c in module.profile for n in (1, 2, 3, 4)]
        for module in day.session.modules
    ]
    single = []
    for k in range(len(day.steps)):
        alone = Day("one", day.session, [day.steps[k]])
        plans = [StepPlan(pair) for pair in product(*choices)]
        single.append([plan for plan in plans if evaluate(alone, DayPlan((plan,))).feasible])
    for k, plans in enumerate(single):
        alone = Day("one", day.session, [day.steps[k]])
        single[k] = sorted(plans, key=lambda plan, alone=alone: evaluate(alone, DayPlan((plan,))).value)[:25]
    for steps in product(*single):
        yield DayPlan(steps)


def test_steps_that_are_alike_need_no_changes_and_are_proven():
    day = drawn_day(3)
    same = Day("same", day.session, [day.steps[0]] * 6, 120, 300)
    best = solve(same, "day-exact")
    assert best.status is Status.OPTIMAL
    assert best.evaluation.starts == best.evaluation.stops == 0


def test_an_slo_that_nothing_keeps_is_infeasible():
    day = drawn_day(1)
    session = Session("late", "0.01", day.session.hardware, day.session.modules, day.session.edges)
    result = solve(Day("late", session, day.steps), "day-exact")
    assert result.status is Status.INFEASIBLE
    assert "step 1 of 8 has no plan" in result.reason


def test_a_stock_of_several_modules_is_refused_in_one_line():
    day = drawn_day(1)
    hardware = [Hardware("fast", 2, 1), Hardware("slow", "0.6")]
    session = Session("stock", "0.9", hardware, day.session.modules, day.session.edges)
    result = solve(Day("stock", session, day.steps), "day-exact")
    assert result.status is Status.INAPPLICABLE
    assert "does not cover a stock of machines" in result.reason
