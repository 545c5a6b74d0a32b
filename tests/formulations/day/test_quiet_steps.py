"""Steps in which nothing comes: no machines are needed there, and what is kept on is kept because that is cheaper."""

from __future__ import annotations

import math
import random
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from euclio.core.certificate import Verdict
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.day import Day, DayPlan, Idle, Serving, Staffing, Step, StepPlan, evaluate
from euclio.problems.day.family import day_from_text, day_to_text
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.proving.certifying import certify
from euclio.questions.day_figure import draw_day
from euclio.questions.day_rules import compare_day
from formulations.day import joint
from formulations.day.cheapest import cheapest_plans
from formulations.day.choices import box
from formulations.day.first_plans import first_plans
from formulations.day.solver import _PlanSearch

RULES = ("day-peak", "day-per-machine", "day-thresholds", "day-per-step")
ALL = (*RULES, "day-exact")


def one(rates: list[int], **changes) -> Day:
    """A module whose machines take 10 requests per second each at 1 per hour, in steps of an hour."""
    session = Session("one", 1, [Hardware("h", 1)], [Module("m", 10, [Configuration("h", 1, 1, "0.1")])])
    return Day("one", session, [Step(3600, [rate]) for rate in rates], **changes)


def chain(rates: list[tuple[int, ...]], slo: str = "0.65", **changes) -> Day:
    """Modules in a row, each of a type of its own with 10 requests per second a machine: 0.2 s with one machine."""
    names = "abc"[: len(rates[0])]
    hardware = [Hardware(f"h{name}", 1) for name in names]
    modules = [Module(name, 10, [Configuration(f"h{name}", 1, 1, "0.1")]) for name in names]
    session = Session("chain", slo, hardware, modules, list(pairwise(names)))
    return Day("chain", session, [Step(3600, rate) for rate in rates], **changes)


@pytest.fixture(params=[False, True], ids=["joint", "searched"])
def both_ways(request, monkeypatch):
    """`day-exact` with vectors of all modules together, and as if there were too many of these."""
    if request.param:
        monkeypatch.setattr(joint, "MOST_CELLS", 0)


def test_nothing_runs_where_nothing_comes():
    """Changes are free: one hour of two machines and one of one."""
    best = solve(one([20, 0, 10, 0]), "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, 3)
    assert best.evaluation.machines == (((2,),), ((0,),), ((1,),), ((0,),))


@pytest.mark.parametrize(("price", "kept"), [("0.4", 0), ("0.6", 1)])
def test_a_machine_is_kept_over_a_quiet_step_where_a_stop_and_a_start_cost_more(price, kept):
    """An hour of it costs 1, a stop and a start twice the price of a change."""
    best = solve(one([10, 0, 10], price_per_change=price), "day-exact")
    assert [step[0][0] for step in best.evaluation.machines] == [1, kept, 1]
    assert best.value == 2 + min(1, 2 * Fraction(price))


@pytest.mark.parametrize("rates", [[0, 20], [20, 0], [0, 0, 10, 0, 0]])
def test_quiet_steps_may_be_the_first_and_the_last(rates):
    """Machines of the first step run already, and those of the last run on: neither have to be there at all."""
    best = solve(one(rates), "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, Fraction(sum(rates), 10))


@pytest.mark.parametrize("solver", ALL)
@pytest.mark.parametrize("modules", [1, 2])
@pytest.mark.parametrize("slo", ["0.65", "0.01"])
def test_a_day_without_requests_needs_no_machines_at_all(solver, modules, slo):
    """No request has to keep the objective. That nothing costs less than 0 is proof enough for a rule too."""
    day = chain([(0,) * modules] * 3, slo)
    found = solve(day, solver)
    assert (found.status, found.value) == (Status.OPTIMAL, 0)
    assert not any(any(on) for step in found.evaluation.machines for on in step)


@pytest.mark.parametrize("solver", ALL)
def test_a_module_that_is_never_used_has_no_machines(solver, both_ways):
    """Its profile is slower than the objective, which nothing asks it to keep."""
    day = chain([(10, 0, 10), (20, 0, 0)], "0.45")
    slow = replace(day.session.modules[1], profile=(Configuration("hb", 1, 1, 9),))
    modules = (day.session.modules[0], slow, day.session.modules[2])
    found = solve(replace(day, session=replace(day.session, modules=modules)), solver)
    assert found.value is not None, found.reason
    assert all(step[1] == (0, 0, 0) for step in found.evaluation.machines)


def test_a_module_without_requests_takes_no_time(both_ways):
    """One machine takes 0.2 s: a and c keep 0.45 s with one machine each while b is quiet; with it they cannot."""
    best = solve(chain([(10, 0, 10), (10, 0, 10)], "0.45"), "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, 4)
    three = solve(chain([(10, 10, 10), (10, 0, 10)], "0.45"), "day-exact")
    assert three.value > 5


def test_a_module_without_requests_is_passed_in_the_session_of_a_step():
    """The path from a to c stays one, so that both together keep the objective."""
    session = chain([(1, 1, 1)]).session
    there = at_rates(session, (Fraction(5), Fraction(0), Fraction(7)))
    assert [(own.name, own.rate_rps) for own in there.modules] == [("a", 5), ("c", 7)]
    assert there.edges == (("a", "c"),)
    assert at_rates(session, (Fraction(0),) * 3) is None


def test_several_quiet_modules_in_a_row_are_passed():
    """Two ways from a to d become one edge, and one end of the graph is gone."""
    profile = [Configuration("h", 1, 1, "0.1")]
    modules = [Module(name, 1, profile) for name in "abcde"]
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")]
    session = Session("dag", 1, [Hardware("h", 1)], modules, edges)
    there = at_rates(session, tuple(map(Fraction, (1, 0, 0, 1, 0))))
    assert there.edges == (("a", "d"),)
    assert at_rates(session, tuple(map(Fraction, (1, 0, 0, 0, 1)))).edges == (("a", "e"),)


def test_the_checker_asks_for_machines_only_where_requests_come():
    """Dummies keep machines full in a quiet step; slow machines make no request late there."""
    day = chain([(10, 0), (0, 0), (10, 10)], "0.45")
    a, b = Staffing((Serving("ha", 1, 1, 1),)), Staffing((Serving("hb", 1, 1, 1),))
    none, idle = Staffing(()), Staffing((), (Idle("hb", 2),))
    for quiet in (none, idle, b):
        assert evaluate(day, DayPlan((StepPlan((a, quiet)), StepPlan((none, quiet)), StepPlan((a, b))))).feasible
    refused = evaluate(day, DayPlan((StepPlan((a, none)), StepPlan((none, none)), StepPlan((a, none)))))
    assert "step 3: module b" in refused.violations[0]


def test_thresholds_release_what_is_not_used_and_stay_there():
    """At 8 of 10 requests per second a machine is used as planned; 0 is below the band, and no machines are within."""
    found = solve(one([8, 0, 0, 8]), "day-thresholds")
    assert [step[0][0] for step in found.evaluation.machines] == [1, 0, 0, 1]


def test_one_configuration_rounded_up_has_no_machines_where_nothing_comes():
    """⌈0 / 10⌉ is 0, for every share of the objective."""
    found = solve(chain([(20, 10), (0, 10), (0, 0)]), "day-per-machine")
    assert [sum(on[0]) > 0 for on in found.evaluation.machines] == [True, False, False]
    assert [sum(on[1]) > 0 for on in found.evaluation.machines] == [True, True, False]


def test_modules_that_never_have_requests_together_need_no_plan_for_both():
    """Each alone keeps 0.25 s; a and b in a row cannot, so that the rule of the peak has no plan and others have."""
    day = chain([(10, 0), (0, 10)], "0.21")
    tight = replace(day, session=replace(day.session, slo_s=Fraction("0.2")))
    assert solve(tight, "day-peak").status is Status.UNKNOWN
    best = solve(tight, "day-exact")
    assert (best.status, best.value) == (Status.OPTIMAL, 2)


def test_a_step_that_nothing_serves_is_named_though_quiet_ones_are_before_it():
    """The first step asks for nothing of the module that is too slow."""
    day = chain([(10, 0), (10, 10)])
    slow = replace(day.session.modules[1], profile=(Configuration("hb", 1, 1, 9),))
    late = replace(day, session=replace(day.session, modules=(day.session.modules[0], slow)))
    for solver in ALL:
        found = solve(late, solver)
        assert found.status is Status.INFEASIBLE
        assert "step 2 of 2 has no plan" in found.reason


def drawn(seed: int, modules: int = 3, steps: int = 8) -> Day:
    """A chain or a fork on two types, with steps in which some or all modules have no requests."""
    draw = random.Random(f"quiet day {seed}")
    hardware = [Hardware("fast", 2), Hardware("slow", "0.6", draw.choice([None, None, 6]))]
    made = [
        Module(
            f"m{m}",
            draw.choice([20, 40]),
            [
                Configuration(name, batch, 1, Fraction(base) * factor * (1 + Fraction(batch, 2)))
                for name, factor in (("fast", 1), ("slow", 3))
                for batch in (1, 4)
            ],
        )
        for m, base in enumerate(draw.choices(["0.02", "0.03", "0.05"], k=modules))
    ]
    edges = [(f"m{draw.choice([0, m - 1])}", f"m{m}") for m in range(1, modules)]
    session = Session(f"quiet-{seed}", draw.choice(["0.5", "0.9"]), hardware, made, edges)
    share = draw.choice([0.2, 0.5, 0.8])
    rows = [
        Step(300, [own.rate_rps * Fraction(draw.randint(2, 12), 8) * (draw.random() >= share) for own in made])
        for _ in range(steps)
    ]
    return Day(f"quiet-{seed}", session, rows, draw.choice([0, 120]), 300, draw.choice([0, "0.01"]))


@pytest.mark.parametrize("seed", range(10))
def test_no_rule_is_cheaper_and_the_bound_is_below(seed, both_ways):
    """Guards the search over choices, whose bounds and plans have a case of their own for modules without requests."""
    day = drawn(seed)
    best = solve(day, "day-exact")
    if best.value is None:
        assert best.status is Status.INFEASIBLE
        return
    assert best.reason == ""
    assert best.bound <= best.value
    for rule in RULES:
        found = solve(day, rule)
        assert found.status is not Status.ERROR, found.reason
        assert found.value is None or found.value >= best.value


@pytest.mark.parametrize("seed", range(10))
def test_both_ways_of_the_least_cost_agree(seed, monkeypatch):
    """Vectors of all modules together prove it; the search may cost more and never be bounded above it."""
    day = drawn(seed, modules=2, steps=5)
    proven = solve(day, "day-exact")
    monkeypatch.setattr(joint, "MOST_CELLS", 0)
    found = solve(day, "day-exact")
    assert (found.value is None) == (proven.value is None)
    if proven.status is Status.OPTIMAL:
        assert found.value >= proven.value * (1 - Fraction(1, 10**9))
        assert found.bound <= proven.value * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("seed", range(10))
def test_bounds_of_every_round_are_below_the_plan(seed):
    """Prices of latency and of machines know nothing of requests; a step that needs none must not lift them."""
    day = drawn(seed)
    if any(not any(step.rates_rps[m] for step in day.steps) for m in range(3)):
        return  # the search sees only modules that are used
    if solve(day, "day-per-step").value is None:
        return
    found = first_plans(day, cheapest_plans(day, Fraction(1), math.inf, exact=False))
    boxes = [box(day, m, found.own[:, m]) for m in range(3)]
    for cost, bound in _PlanSearch(day, boxes, found.known, math.inf).rounds():
        assert bound <= cost * (1 + 1e-9)


def test_the_independent_prover_covers_quiet_steps():
    """It has code of its own for what machines serve; a plan with one idle hour too many is not certified."""
    day = one([20, 0, 10, 0], price_per_change="0.1")
    best = solve(day, "day-exact")
    assert certify(day, best, time_limit_s=60).verdict is Verdict.CERTIFIED
    peak = solve(day, "day-peak")
    claimed = replace(peak, status=Status.OPTIMAL, bound=float(peak.value))
    assert certify(day, claimed, time_limit_s=60).verdict is Verdict.REFUTED


def test_files_tables_and_figures_take_steps_without_requests():
    """Read again as written; tables and figures of a day that has none at all, without a warning."""
    day = one([10, 0])
    assert day_from_text(day_to_text(day)) == day
    for own in (day, one([0, 0])):
        found = compare_day(own, ALL, solve)
        assert found.regret(found.best) == 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            draw_day(found, ALL)
            assert str(found)
            assert found.frame().shape[0] == len(ALL)
            assert found.day.frame().shape[0] == 2
