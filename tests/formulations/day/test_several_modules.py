"""Loads over time of several modules: plans that are accepted, bounds below all of them."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.day import Day, DayPlan, Serving, Staffing, Step, StepPlan, evaluate
from euclio.problems.day.instance import of_modules
from euclio.problems.session import Configuration, Hardware, Module, Session
from formulations.day.answers import day_plan
from formulations.day.block_descent import BlockDescent
from formulations.day.bounds import Course, cheapest_course
from formulations.day.cheapest import cheapest_plans
from formulations.day.choices import Choices, box, choices_of_bounds, choices_of_plans
from formulations.day.first_plans import FirstPlans, first_plans
from formulations.day.pool import cheapest_way
from formulations.day.solver import _PlanSearch, parts_of
from formulations.day.step_kernel import Within, cheapest_steps

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
    """The two sides of what a search that may end with a gap promises."""
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
    """A relaxation over steps that cuts off a plan would show on days small enough to list."""
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


def _gathered(day: Day) -> FirstPlans:
    return first_plans(day, cheapest_plans(day, Fraction(1), math.inf, exact=False))


def with_stock(day: Day, **counts: int) -> Day:
    hardware = [Hardware(h.name, h.price_per_h, counts.get(h.name)) for h in day.session.hardware]
    session = Session(day.session.name, day.session.slo_s, hardware, day.session.modules, day.session.edges)
    return Day(day.name, session, day.steps, day.warm_up_s, day.keep_alive_s, day.price_per_change)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_stock_is_kept_and_costs_no_less(seed, count):
    """No step takes more machines than there are, and a limit never saves."""
    day = drawn_day(seed)
    few = with_stock(day, fast=count)
    best = solve(few, "day-exact")
    if best.status is Status.INFEASIBLE:
        assert "within the SLO and the stock" in best.reason
        return
    assert best.status in {Status.FEASIBLE, Status.OPTIMAL}, best.reason
    assert all(sum(module[0] for module in step) <= count for step in best.evaluation.machines)
    assert best.value >= Fraction(solve(day, "day-exact").bound)
    for rule in RULES:
        found = solve(few, rule)
        assert found.status is not Status.ERROR, found.reason
        assert found.value is None or found.value >= Fraction(best.bound)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_within_a_stock_are_below_the_least_of_all_plans(seed):
    """Prices on a stock are dual ones: too high, and the bound is above the optimum."""
    day = with_stock(drawn_day(seed, steps=2, modules=2), fast=1)
    plans = (evaluate(day, plan) for plan in _small_plans(day))
    least = min((checked.value for checked in plans if checked.feasible), default=None)
    best = solve(day, "day-exact")
    assert least is None or best.bound <= least * (1 + 1e-12)


def test_what_a_step_alone_may_ask_for_is_refused_in_one_line():
    day = drawn_day(1)
    session = replace(day.session, spare_machines=1)
    result = solve(replace(day, session=session), "day-exact")
    assert result.status is Status.INAPPLICABLE
    assert "spare machines" in result.reason


@pytest.mark.parametrize("seed", range(20))
def test_all_bounds_are_below_the_plan_and_rise(seed):
    """Any round may be the last when time ends, so each of their bounds has to hold."""
    day = drawn_day(seed, steps=6)
    found = _gathered(day)
    own = found.own
    search = _PlanSearch(day, [box(day, m, own[:, m]) for m in range(own.shape[1])], found.known, math.inf)
    least, before = math.inf, -math.inf
    for cost, bound in search.rounds():
        least = min(least, cost)
        assert bound >= before
        before = bound
        assert bound <= least
    checked = evaluate(day, day_plan(search.way()))
    assert checked.feasible
    assert float(checked.value) == pytest.approx(least)


def test_a_search_of_a_step_is_that_of_plain_enumeration():
    draw = np.random.default_rng(5)
    through = np.array([[True, True, False], [False, True, True]])
    for _ in range(200):
        sizes = draw.integers(1, 6, 3)
        first = np.array([[[ends - size, ends] for size, ends in zip(sizes, np.cumsum(sizes), strict=True)]])
        vectors = draw.integers(0, 4, (int(sizes.sum()), 2))
        latency = np.concatenate([np.sort(draw.integers(1, 9, size)).astype(float) for size in sizes])
        prices, worth = draw.random((1, 3, 2)), draw.normal(0, 1, (1, 3))
        least, chosen = np.empty(1), np.full((1, 3), -1)
        stock = np.array([np.inf, np.inf]) if draw.random() < 0.5 else draw.integers(0, 9, 2).astype(float)
        weights = np.zeros((1, 2 + np.isfinite(stock).sum()))
        choices, within = Choices(vectors, latency, first), Within(through, 12.0, stock)
        cheapest_steps(choices, prices, worth, within, least, chosen, weights)
        costs = [
            sum(vectors[i] @ prices[0, m] - worth[0, m] * latency[i] for m, i in enumerate(picked))
            for picked in product(*(range(*one) for one in first[0]))
            if all(sum(latency[i] for m, i in enumerate(picked) if path[m]) <= 12 for path in through)
            and (vectors[list(picked)].sum(axis=0) <= stock).all()
        ]
        assert least[0] == (pytest.approx(min(costs)) if costs else math.inf)
        assert (chosen >= 0).all() == bool(costs)
        again = chosen.copy()
        cheapest_steps(choices, prices, worth, within, least, again, weights)
        assert (again == chosen).all()


@pytest.mark.parametrize(
    ("stock", "parts"),
    [(10, (4, 2, 0, 3, 1)), (13, (2, 5, 3, 3)), (18, (2, 11, 2, 3)), (20, (7, 4, 6, 1, 2)), (0, (0, 0))],
)
def test_all_of_a_stock_may_be_used_whatever_its_shares_add_up_to(stock, parts):
    """0.4 + 0.2 + 0.3 + 0.1 is more than 1 to a float: the bound was infinite where a plan had all ten machines."""
    assert stock == 0 or sum(part / stock for part in parts) > 1
    modules = len(parts)
    vectors, latency = np.array([[part] for part in parts]), np.ones(modules)
    first = np.array([[[m, m + 1] for m in range(modules)]])
    prices, worth, through = np.ones((1, modules, 1)), np.zeros((1, modules)), np.eye(modules, dtype=bool)
    for limit, least_of_all in ((stock, sum(parts)), (stock - 1, math.inf)):
        least, chosen = np.empty(1), np.full((1, modules), -1)
        limits, weights = np.array([float(limit)]), np.zeros((1, modules + 1))
        choices, within = Choices(vectors, latency, first), Within(through, 2.0, limits)
        cheapest_steps(choices, prices, worth, within, least, chosen, weights)
        assert least[0] == least_of_all


def test_the_cheapest_way_and_course_are_those_of_all_pairs():
    draw = np.random.default_rng(7)
    start, stop, shape = np.array([2.0, 0.5]), np.array([1.0, 3.0]), np.array([3, 4])
    vectors = np.array(list(np.ndindex(3, 4)))
    latency = np.where(draw.random((2, 12)) < 0.3, np.inf, draw.random((2, 12)))
    latency[:, -1] = 0.1
    row, prices, seconds = np.array([0, 1, 1, 0]), draw.random((4, 2)), draw.normal(0, 2, 4)
    on, kept = np.zeros((4, 2), np.int64), np.zeros(4)
    own = Course(latency, row, shape, np.empty((4, 12)), on, kept)
    found = cheapest_course(own, prices, seconds, start, stop)
    change = np.array(
        [[(np.maximum(b - a, 0) @ start) + (np.maximum(a - b, 0) @ stop) for b in vectors] for a in vectors]
    )
    cost = np.zeros(12)
    for k in range(4):
        arrived = (cost[:, None] + change).min(axis=0) if k else cost
        own = np.where(np.isinf(latency[row[k]]), 0, latency[row[k]])
        cost = np.where(np.isinf(latency[row[k]]), np.inf, arrived + vectors @ prices[k] + seconds[k] * own)
    assert found == pytest.approx(cost.min())
    running = draw.random(48)
    way_cost, way = cheapest_way(np.tile(vectors, (4, 1)), running, np.arange(12, 49, 12), start, stop)
    cost = running[:12]
    for k in range(1, 4):
        cost = (cost[:, None] + change).min(axis=0) + running[12 * k : 12 * k + 12]
    assert way_cost == pytest.approx(cost.min())
    assert [at // 12 for at in way] == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(6))
def test_latencies_of_choices_lie_around_those_of_the_checker(seed):
    """Floats are rounded up for plans and down for bounds; otherwise either could be wrong."""
    day = drawn_day(seed, steps=3)
    own = _gathered(day).own
    boxes = [box(day, m, own[:, m]) for m in range(own.shape[1])]
    above, below = choices_of_plans(day, boxes), choices_of_bounds(day, boxes)
    for k, step in enumerate(day.steps):
        for m, rate in enumerate(step.rates_rps):
            known = {(c.hardware, c.batch): c for c in day.session.modules[m].profile}
            lower = range(*below.first[k, m])
            for i in range(*above.first[k, m]):
                serving = boxes[m].serving(above.vectors[i], rate, above.latency_s[i])
                assert serving
                behind, worst = Fraction(0), Fraction(0)
                for one in reversed(serving):
                    c = known[one.hardware, one.batch]
                    behind += one.machines * c.throughput_rps
                    worst = max(worst, c.duration_s + c.batch / behind)
                assert behind >= rate
                assert worst <= above.latency_s[i] * (1 + 1e-9)
                # Some choice for bounds has no more machines and is no slower.
                at_most = (below.vectors[lower] <= above.vectors[i]).all(axis=1)
                assert below.latency_s[lower][at_most].min() <= worst


def independent_day(edges, count=None):
    """Four modules under a load of eight steps; `fast` machines may be in stock."""
    draw = random.Random(7)
    durations = (("fast", Fraction("0.1")), ("slow", Fraction("0.3")))
    modules = [
        Module(f"m{m}", 1, [Configuration(name, batch, 1, own * batch) for name, own in durations])
        for m, batch in enumerate((1, 2, 1, 3))
    ]
    hardware = [Hardware("fast", 2, count), Hardware("slow", "0.7")]
    session = Session("apart", 2, hardware, modules, edges)
    steps = [Step(600, [draw.randint(1, 60) for _ in modules]) for _ in range(8)]
    return Day("apart", session, steps, 60, 60, "0.05")


def test_modules_that_no_path_joins_are_proven_each_by_itself():
    """They share nothing: together they were left a gap of a tenth of a percent, that a sum of proofs does not have."""
    day = independent_day([])
    apart = [solve(of_modules(day, [m]), "day-exact") for m in range(4)]
    with patch("formulations.day.joint.MOST_CELLS", 0):
        found = solve(day, "day-exact")
    assert found.status is Status.OPTIMAL
    assert found.value == sum(one.value for one in apart)


def test_a_stock_joins_what_no_path_joins():
    """Two fast machines are not enough for all parts as they would have them, so that the sum is a bound only."""
    free = solve(independent_day([]), "day-exact").value
    found = solve(independent_day([], count=2), "day-exact")
    assert found.value > free
    assert found.bound >= float(free) * (1 - 1e-9)
    assert evaluate(independent_day([], count=2), found.plan).feasible


@pytest.mark.parametrize(
    ("edges", "parts"),
    [
        ([], [(0,), (1,), (2,), (3,)]),
        ([("m0", "m2")], [(0, 2), (1,), (3,)]),
        ([("m3", "m0"), ("m1", "m2")], [(0, 3), (1, 2)]),
        ([("m0", "m3"), ("m1", "m3"), ("m2", "m1")], [(0, 1, 2, 3)]),
    ],
)
def test_parts_are_what_paths_join(edges, parts):
    """Whatever the direction of edges, and their order."""
    assert parts_of(independent_day(edges).session) == parts


def test_two_modules_together_find_what_neither_finds_alone():
    """Two slow machines in each module cost 4; one slow and one fast machine 3.1, and neither module leads there alone.

    The first could do with one machine if the second were faster, which for itself is cheaper as it is.
    """
    profile = [Configuration("fast", 1, 1, "0.1"), Configuration("slow", 1, 1, "0.5")]
    hardware = [Hardware("fast", "2.1"), Hardware("slow", 1)]
    session = Session("pair", "1.7", hardware, [Module("a", 1, profile), Module("b", 4, profile)], [("a", "b")])
    day = Day("pair", session, [Step(3600, [1, 4])] * 3)
    boxes = [made for m in range(2) if (made := box(day, m, np.array([[2, 3]]))) is not None]
    descent = BlockDescent(day, boxes, choices_of_plans(day, boxes), math.inf)
    alone = descent.improved(np.array([[[0, 2], [0, 2]]] * 3), 9)
    assert alone.tolist() == [[[0, 2], [0, 2]]] * 3
    assert descent.improved_in_pairs(alone).tolist() == [[[0, 1], [1, 0]]] * 3
