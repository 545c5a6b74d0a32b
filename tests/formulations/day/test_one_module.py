"""The least cost of one module over time, against plain enumeration; rules next to it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.certificate import Verdict
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.day import Day, Step
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.proving.certifying import certify
from formulations.day.paths import ChangePrices
from formulations.day.rate_table import cheapest_of_one_module, rate_table
from tests.drawn.days import nasty_day
from tests.drawn.reference_days import day_truth

RULES = ("day-peak", "day-per-machine", "day-thresholds", "day-per-step")


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_least_of_all_plans(seed):
    """Against every path through machine numbers."""
    day = nasty_day(seed, modules=1, steps=3)
    result = solve(day, "day-exact")
    expected = day_truth(day, None).lower
    if expected is None:
        assert (result.status, result.value) == (Status.INFEASIBLE, None)
        assert "within the SLO and the stock" in result.reason
        return
    assert result.status is Status.OPTIMAL
    assert result.value >= expected
    assert result.value == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_no_rule_costs_less_and_every_plan_is_accepted(seed):
    """Rules of practice are plans of the same space: one below the optimum refutes the proof."""
    day = nasty_day(seed, modules=1, steps=8)
    best = solve(day, "day-exact")
    for rule in RULES:
        found = solve(day, rule)
        assert found.status is not Status.ERROR, found.reason
        if found.value is not None:
            assert found.value >= best.value
        elif rule != "day-per-machine":
            assert best.status is Status.INFEASIBLE
            assert "within the SLO and the stock" in found.reason


@pytest.mark.parametrize("seed", range(20))
def test_fractions_find_the_same(seed):
    """The search in floats loses nothing against the one in fractions."""
    day = nasty_day(seed, modules=1, steps=3)
    result = solve(day, "day-exact")
    if result.value is not None:
        bound = cheapest_of_one_module(day, math.inf, True).bound
        assert bound == pytest.approx(float(result.value), rel=1e-9, abs=1e-12)


def test_a_budget_that_machines_keep_exactly_is_kept():
    session = Session("tie", "0.3", [Hardware("h", 1)], [Module("m", 10, [Configuration("h", 2, 1, "0.1")])])
    day = Day("tie", session, [Step(60, [Fraction(10)]), Step(60, [Fraction(20)])])
    assert solve(day).value == Fraction(2, 60)


def test_a_vector_that_serves_by_rounding_alone_is_found_out():
    # One machine serves 1/0.3 req/s; the load is more by less than floats can tell.
    session = Session("near", 1, [Hardware("h", 1)], [Module("m", 1, [Configuration("h", 1, 1, "0.3")])])
    rate = Fraction(10, 3) * (1 + Fraction(1, 10**14))
    result = solve(Day("near", session, [Step(60, [rate])]))
    assert (result.status, result.value) == (Status.OPTIMAL, Fraction(2, 60))


def test_spare_machines_make_batches_faster():
    session = Session("spare", "0.7", [Hardware("h", 1)], [Module("m", 10, [Configuration("h", 4, 1, "0.4")])])
    table = rate_table(session, session.modules[0], session.slo_s, Fraction(10))
    assert table.rate.tolist() == [0, 0, 20]


def test_a_machine_is_kept_on_where_that_is_no_more_expensive():
    session = Session("gap", 1, [Hardware("h", 1)], [Module("m", 10, [Configuration("h", 1, 1, "0.1")])])
    steps = [Step(600, [20]), Step(600, [10]), Step(600, [20])]
    kept = solve(Day("gap", session, steps, warm_up_s=300, keep_alive_s=400))
    assert [sum(one.machines for one in step.modules[0].idle) for step in kept.plan.steps] == [0, 1, 0]
    stopped = solve(Day("gap", session, steps, warm_up_s=300, keep_alive_s=200))
    assert (stopped.evaluation.starts, stopped.evaluation.stops) == (1, 1)
    assert kept.value == Fraction(1)
    assert stopped.value == Fraction(5, 6) + Fraction(500, 3600)


def test_changes_cost_what_all_pairs_say():
    draw = np.random.default_rng(3)
    cost = draw.integers(0, 30, (4, 5)).astype(float)
    changes = ChangePrices((2.0, 0.5), (1.0, 3.0))

    def change(a, b):
        return sum(changes.start[i] * max(0, b[i] - a[i]) + changes.stop[i] * max(0, a[i] - b[i]) for i in range(2))

    arrived = changes.after_change(cost)
    for b in np.ndindex(4, 5):
        assert arrived[b] == min(cost[a] + change(a, b) for a in np.ndindex(4, 5))
        before = changes.best_before(cost, b)
        assert cost[before] + change(before, b) == arrived[b]


@pytest.mark.parametrize("seed", range(12))
def test_the_independent_prover_agrees(seed):
    """What is claimed optimal is certified, and what a rule costs too much is not."""
    day = nasty_day(seed, modules=1, steps=5)
    result = solve(day, "day-exact")
    found = certify(day, result, time_limit_s=60)
    assert found.verdict is Verdict.CERTIFIED or "too many" in found.reason
    if result.value:
        worse = solve(day, "day-peak")
        if worse.value > result.value:
            claimed = replace(worse, status=Status.OPTIMAL, bound=float(worse.value))
            assert certify(day, claimed, time_limit_s=60).verdict is not Verdict.CERTIFIED


def test_a_time_limit_ends_the_search():
    assert solve(nasty_day(1, modules=1, steps=3), "day-exact", time_limit_s=1e-9).status is Status.UNKNOWN
