"""Days whose every step keeps an attainment: what is stated, and that steps keep it on requests nothing has seen."""

from __future__ import annotations

import pytest
from worked_examples import M_1, M_3, module

from euclio import evaluate, plan_day
from euclio.files import load_result, save_result
from euclio.problems.day.evaluate import WHOLE, session_plan, step_space
from euclio.problems.day.instance import Day, Step, at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.serving.attainment.long_run import Run, Watched
from euclio.serving.session import simulate
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import build_system

# Not in the quick tier: searches over margins for every step.
pytestmark = pytest.mark.slow

SESSION = Session("two", "1.4", [Hardware("gpu", 1)], [module("a", 60, M_1), module("b", 60, M_3)], [("a", "b")])
DAY = Day("day", SESSION, [Step(3600, [rate, rate]) for rate in (40, 60, 90, 60, 20)], 60, 60, "0.01")


@pytest.fixture(scope="module")
def found():
    return plan_day(DAY, attainment=0.95, solvers="day-per-step,day-exact")


def test_each_step_keeps_it_on_requests_that_nothing_has_seen(found):
    setup = Setup(seconds=1000, seed=991, dummies=False, partial="shared")
    for step, own in zip(DAY.steps, found.best.plan.steps, strict=True):
        session = at_rates(SESSION, step.rates_rps)
        assert simulate(session, session_plan(session, own.modules), setup, WHOLE).attainment >= 0.95


def test_the_plan_is_one_of_the_day_itself(found):
    for result in found.results:
        checked = evaluate(DAY, result.plan)
        assert checked.feasible
        assert checked.value == result.value
        assert result.stats["attainment_at_least"] >= 0.95
        assert result.value >= result.stats["cost_without_margins"]


def test_nothing_is_proven_and_regret_is_against_the_cheapest_found(found):
    assert found.optimum is None
    assert found.regret(found.best) == 0
    assert found.describe()["attainment"]["target"] == 0.95


def test_a_percentile_is_the_objective_of_all_steps():
    best = plan_day(DAY, p90="1.2", solvers="day-peak")
    assert best.day.session.slo_s == SESSION.slo_s * 12 / 14
    assert best.results[0].stats["attainment_at_least"] >= 0.9


def test_steps_in_which_nothing_comes_have_nothing_to_keep():
    """At night nothing comes, and in one step only to the second module."""
    day = Day("night", SESSION, [Step(3600, rates) for rates in ([0, 0], [40, 40], [0, 40])], 60, 60, "0.01")
    result = plan_day(day, attainment=0.9, solvers="day-per-step").results[0]
    assert result.stats["attainment_at_least"] >= 0.9
    assert evaluate(day, result.plan).feasible


def test_each_step_keeps_the_objective_of_a_module():
    """On requests that nothing has seen; without it a step would keep less, so the objective decides something."""
    kept = {}
    for objective in ({}, {"module_p90": {"b": 0.5}}):
        plan = plan_day(DAY, attainment=0.9, solvers="day-per-step", **objective).best.plan
        kept[bool(objective)] = min(share_through_b(step, own) for step, own in zip(DAY.steps, plan.steps, strict=True))
    assert kept[False] < 0.9 <= kept[True]


def share_through_b(step, own):
    """The share of the requests of a step that pass its second module within 0.5 s."""
    session, setup = at_rates(SESSION, step.rates_rps), Setup(seed=77, dummies=False, partial="shared")
    system = build_system(session, session_plan(session, own.modules), WHOLE, setup)
    run = Run(system, setup, 1.0, 600, watched=(Watched(1, 0.5),))
    run.go_on(600)
    found = run.tallies[0].latencies(600)
    return 1 - found.late.sum() / found.arrived.sum()


def test_an_objective_that_is_not_kept_is_named():
    """The reason names what was asked of the module, as the attainment alone would be kept."""
    (result,) = plan_day(DAY, attainment=0.9, module_p90={"b": 0.35}, solvers="day-per-step").results
    assert result.plan is None
    assert "90 % through b within 350.000 ms in each step" in result.reason


FOUR = Session(
    "four",
    "0.5",
    [Hardware("h", 1)],
    [Module(f"m{k}", 10, [Configuration("h", 1, 1, "0.02"), Configuration("h", 4, 1, "0.05")]) for k in range(4)],
)
SHARED_DAY = Day("four", FOUR, [Step(3600, [rate] * 4) for rate in (5, 12, 25)], 60, 60, "0.01")


def test_shared_machines_of_each_step_keep_it_too_and_the_result_is_read_again(tmp_path):
    """Their queue is simulated as it is, at another seed; whole machines would be four in every step."""
    found = plan_day(SHARED_DAY, machines="packed", attainment=0.95, solvers="day-exact")
    assert found.best.value < 12
    setup = Setup(seconds=2000, seed=992, dummies=False, partial="shared")
    for step, own in zip(SHARED_DAY.steps, found.best.plan.steps, strict=True):
        session = at_rates(FOUR, step.rates_rps)
        served = session_plan(session, own.modules, own.shared)
        assert simulate(session, served, setup, step_space(own)).attainment >= 0.95
    save_result(found.best, SHARED_DAY, tmp_path / "result.json")
    assert load_result(tmp_path / "result.json", SHARED_DAY).plan == found.best.plan
