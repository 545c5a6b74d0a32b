"""Piccolo: its row and its 13 alternatives, the dummy generator that fills machines to the point, stretched budgets."""

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from worked_examples import PICCOLO_M_1, PICCOLO_M_2, PICCOLO_M_3, module, one_module

import heuristics.session.solver as running
from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Configuration,
    DummyRule,
    Hardware,
    Module,
    ModulePlan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.policies import POLICIES, Form
from euclio.workloads.session.random_sessions import random_session
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.planner import stretched
from heuristics.session.schedule import new_schedule, plan_of
from heuristics.session.systems import (
    ALTERNATIVES,
    BASELINES,
    PICCOLO,
    PICCOLO_SYSTEMS,
    SYSTEMS,
    Hetero,
    Splitter,
    Start,
    System,
)
from tests.drawn.small_sessions import small_session

CONTINUOUS = DummyRule.CONTINUOUS
CELLS = [f.name for f in fields(System) if f.name not in ("name", "summary")]

# What §IV-C says that each alternative disables.
CHANGED = {
    "np": {"concurrency": False},
    "nb": {"batching": False},
    "nh": {"hetero": Hetero.ONE},
    "1bpc": {"allocations": 1, "dummy": DummyRule.NONE},
    "2bpc": {"allocations": 2, "dummy": DummyRule.NONE},
    "2d": {"dispatch": Policy.RR},
    "dt": {"dispatch": Policy.MACHINE_RATE},
    "tb": {"splitter": Splitter.THROUGHPUT},
    "q0.01": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.01},
    "q0.1": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.1},
    "0re": {"reassignments": 0},
    "1re": {"reassignments": 1},
    "nd": {"dummy": DummyRule.NONE},
}

# Piccolo's Table III: batch, spatial, hetero, worst-case latency, configurations, reassign, dummy. Its 2d over equal
# machines is `rr-even`.
TABLE_III = {
    "piccolo": (True, True, True, Policy.TC, None, True, True),
    "nexus": (True, False, False, Policy.RR, 2, False, False),
    "scrooge": (True, True, True, Policy.MACHINE_RATE_EVEN, 2, False, False),
    "inferline": (True, False, True, Policy.RR_EVEN, 1, False, False),
    "clipper": (True, False, False, Policy.RR_EVEN, 1, False, False),
}


def allocations(result: Result) -> list[tuple[int, int, float]]:
    """Batch, whole machines and partial rate of the allocations of the first module."""
    found = result.plan.modules[0].allocations
    return [(a.configuration.batch, a.machines, pytest.approx(float(a.partial_rps), rel=1e-9)) for a in found]


def scheduled(profile: list[tuple[int, str]], rate: int, budget: str, space: PlanSpace = PICCOLO.space) -> ModulePlan:
    """Algorithm 1 and the dummy generator at one budget, with no split before them."""
    session = one_module(profile, rate, budget)
    arrays = session_arrays(session, space)
    schedule = new_schedule(arrays)
    assert schedule_module(arrays, 0, arrays.rate[0], arrays.slo, ANY_RATE, schedule)
    plan = plan_of(session, arrays, schedule, CONTINUOUS)
    assert evaluate(session, plan, space).feasible
    return plan.modules[0]


def table_ii() -> Session:
    """Piccolo's Table II: M_2 at 50 req/s, then M_3 at 40 req/s, within 0.9 s."""
    modules = [module("M_2", 50, PICCOLO_M_2), module("M_3", 40, PICCOLO_M_3)]
    return Session("Table II", "0.9", [Hardware("gpu", 1)], modules, [("M_2", "M_3")])


# Rows.


def test_there_are_13_alternatives():
    assert [system.name for system in ALTERNATIVES] == [f"piccolo:{label}" for label in CHANGED]


@pytest.mark.parametrize("system", ALTERNATIVES, ids=lambda system: system.name)
def test_alternative_is_piccolo_with_exactly_these_cells_changed(system):
    expected = {cell: getattr(PICCOLO, cell) for cell in CELLS} | CHANGED[system.name.removeprefix("piccolo:")]
    assert {cell: getattr(system, cell) for cell in CELLS} == expected


@pytest.mark.parametrize("s", [PICCOLO, *BASELINES], ids=lambda s: s.name)
def test_system_is_its_row_of_piccolos_table_iii(s):
    dummy = s.dummy is not DummyRule.NONE
    row = (s.batching, s.concurrency, s.hetero is Hetero.ALL, s.dispatch, s.allocations, s.reassignments != 0, dummy)
    assert row == TABLE_III[s.name]


def test_piccolo_starts_at_the_least_latency_and_has_neither_of_harpagons_split_optimizations():
    assert (PICCOLO.start, PICCOLO.splitter) == (Start.LEAST_LATENCY, Splitter.LATENCY_COST)
    assert (PICCOLO.stretch, PICCOLO.merge, PICCOLO.direct) == (True, False, False)


def test_piccolo_searches_the_continuous_plan_space():
    assert solvers()["piccolo"].space == PlanSpace(Policy.TC, CONTINUOUS)


@pytest.mark.parametrize("system", PICCOLO_SYSTEMS, ids=lambda system: system.name)
def test_system_is_registered_as_a_heuristic(system):
    assert solvers()[system.name].kind == "heuristic"


# The dummy generator.


@pytest.mark.parametrize("name", ["piccolo", "piccolo:1bpc", "piccolo:2bpc"])
def test_leftover_is_filled_just_up_to_what_the_budget_needs(name):
    """M_1 at 270 req/s within 2.2 s: two machines of batch 100 leave 70 over, and 100/(2.2 − 1.0) = 83.33 are needed.

    Batch 20 would take the 70 at 70/80 = 0.875 of a machine; filled, it is 0.8333 of one of batch 100.
    """
    found = solve(one_module(PICCOLO_M_1, 270, "2.2"), name, dummy="continuous")
    assert allocations(found) == [(100, 2, 250 / 3)]
    assert float(found.plan.modules[0].dummy_rps) == pytest.approx(40 / 3)
    assert found.cost == pytest.approx(2 + 5 / 6)


def test_whole_machine_of_dummies_would_not_have_paid():
    """Harpagon's rule fills up to 100 req/s only: 1.0 against 0.875.

    At any rate it pays for Harpagon too, once the reassigner gives all of the SLO: its split leaves 1 + 100/270 s.
    """
    session = one_module(PICCOLO_M_1, 270, "2.2")
    assert solve(session, "harpagon").cost == pytest.approx(2.875)
    assert solve(session, "harpagon", dummy="continuous").cost == pytest.approx(2 + 5 / 6)


def test_dummies_that_save_nothing_are_not_added():
    """At 240 req/s, 40 are left over: 0.5 machines of batch 20, or 0.8333 of batch 100."""
    found = solve(one_module(PICCOLO_M_1, 240, "2.2"), "piccolo")
    assert allocations(found) == [(100, 2, 0), (20, 0, 40)]
    assert found.plan.modules[0].dummy_rps == 0


def test_rest_that_fits_no_configuration_is_closed():
    """Batch 100 alone, 70 req/s within 2.2 s: 83.33 req/s are just enough."""
    (only,) = scheduled(PICCOLO_M_1[2:], 70, "2.2").allocations
    assert (only.machines, float(only.partial_rps)) == (0, pytest.approx(250 / 3))


def test_rest_is_closed_by_more_whole_machines_than_it_fills():
    """(8, 0.25 s) at 10 req/s within 0.4 s needs 8/0.15 = 53.3 req/s: two machines of 32, which take 0.25 + 8/64 s."""
    plan = scheduled([(8, "0.25")], 10, "0.4")
    assert (plan.allocations[0].machines, plan.allocations[0].partial_rps, plan.dummy_rps) == (2, 0, 54)


@pytest.mark.parametrize("name", ["piccolo", "piccolo:2bpc"])
def test_second_configuration_is_filled_as_well(name):
    """291 req/s within 1.5 s: two machines of batch 100 leave 91; batch 20 for 0.81 per hour takes 80 and leaves 11.

    It needs 20/(1.5 − 0.25) = 16, which costs 0.81·16/80 = 0.162. Another machine of batch 100 would need 100 for 1.0,
    batch 5 take the 11 for 0.22.
    """
    profile = [
        Configuration("gpu", 5, 1, "0.1"),
        Configuration("cheap", 20, 1, "0.25"),
        Configuration("gpu", 100, 1, 1),
    ]
    session = Session("s", "1.5", [Hardware("gpu", 1), Hardware("cheap", "0.81")], [Module("M", 291, profile)])
    found = solve(session, name, dummy="continuous")
    assert allocations(found) == [(100, 2, 0), (20, 1, 16)]
    assert found.cost == pytest.approx(2.972)


# The split.


def test_budgets_are_stretched_in_proportion():
    """Two modules in a row and one next to them: the longest path, 0.2 + 0.4, fills 0.9 s."""
    modules = [module(name, 50, PICCOLO_M_2) for name in "abc"]
    session = Session("s", "0.9", [Hardware("gpu", 1)], modules, [("a", "b")])
    arrays = session_arrays(session, PICCOLO.space)
    assert stretched(arrays, np.array([0.2, 0.4, 0.3])).tolist() == pytest.approx([0.3, 0.6, 0.45])


def test_splits_of_table_ii():
    """Under TC the three strategies' latencies are d + b/T; Algorithm 2 goes on to batches 4 and 8.

    LC from (2, 2): 15.0 for M_2's batch 4, 16.1 for M_3's, which comes first; then 1.82 for M_3's batch 8 before 1.77
    for M_2's, which no longer fits (0.427 + 0.52 > 0.9). 0.24 and 0.52 s are stretched by 0.9/0.76. M_2 takes two
    machines of batch 4; M_3 one of batch 8, and for 15 req/s 0.75 of batch 4: a filled one of batch 8 would be whole.
    """
    found = solve(table_ii(), "piccolo")
    assert (found.stats["iterations"], found.cost) == (3, pytest.approx(3.75))


def test_stretched_budgets_fill_the_slo():
    arrays = session_arrays(random_session(3, 5), PICCOLO.space)
    modules = arrays.rate.size
    path = path_times(arrays, stretched(arrays, np.full(modules, 0.1)), np.zeros(modules), np.zeros(modules))
    assert path == pytest.approx(arrays.slo, rel=1e-12)


# Every system under dummies at any rate.


@pytest.mark.fifth("system")
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_harpagons_systems_serve_continuous_dummies(system):
    for seed in range(6):
        session = random_session(seed, 3, 6, slo_over_least=(1.5, 6.0), rates_rps=(10.0, 400.0))
        found = solve(session, system.name, dummy="continuous")
        assert found.status in (Status.FEASIBLE, Status.INFEASIBLE, Status.UNKNOWN), found.reason
        assert found.space.dummy is CONTINUOUS


@pytest.mark.parametrize("policy", [p for p in POLICIES if p.form in (Form.LEFT, Form.FIXED)], ids=str)
def test_every_policy_is_filled_to_what_it_needs(policy):
    """A plan with dummies at a rate between none and a whole machine is found and accepted under every policy.

    Under the other forms a partial machine waits no longer than the whole ones next to it, and seldom has to be filled.
    """
    sessions = (small_session(seed) for seed in range(60))
    found = [solve(session, "piccolo", policy=policy) for session in sessions]
    assert all(f.status is not Status.ERROR for f in found)
    partly = [f for f in found if f.plan and any(m.dummy_rps and m.allocations[-1].partial_rps for m in f.plan.modules)]
    assert partly


EQUAL_RATES = """
from euclio.problems.session import Policy
from euclio.problems.session.policies import Form

def latency(place):
    count = place.machines + (1 if place.partial_rps else 0)
    served = place.machines * place.throughput_rps + place.partial_rps
    return place.duration_s * (1 + count * place.throughput_rps / served)

POLICY = Policy(name="equal", help="n machines share R", whole=latency, partial=latency, form=Form.GENERAL)
"""


def test_policy_without_a_formula_is_filled_by_halving(tmp_path):
    """(2, 0.1 s), 25 req/s, 0.21 s: 0.1·(1 + 2·20/R) s asks for R = 36.4, so 16.4 in place of the 5 left over."""
    (tmp_path / "equal.py").write_text(EQUAL_RATES, encoding="utf-8")
    space = PlanSpace(f"{tmp_path / 'equal.py'}:POLICY", CONTINUOUS)
    (only,) = scheduled([(2, "0.1")], 25, "0.21", space).allocations
    assert (only.machines, float(only.partial_rps)) == (1, pytest.approx(400 / 11 - 20))


@pytest.mark.fifth("system")
@pytest.mark.parametrize("system", PICCOLO_SYSTEMS, ids=lambda system: system.name)
def test_no_plan_is_lost_to_rounding(system, monkeypatch):
    """On sessions full of ties the exact check never refuses both attempts, at the SLO and just below it."""
    refused: list[str] = []

    def noted(session, plan, space):
        found = evaluate(session, plan, space)
        refused.extend([] if found.feasible else [session.name])
        return found

    monkeypatch.setattr(running, "evaluate", noted)
    for seed in range(150):
        solve(small_session(seed), system.name)
    assert len(set(refused)) == len(refused)


def test_claimed_cost_is_the_checked_cost():
    for seed in range(60):
        found = solve(small_session(seed), "piccolo")
        assert found.cost is None or found.cost == pytest.approx(found.claimed, rel=1e-9)


def test_costs_are_exact_where_machines_are_whole():
    assert solve(one_module(PICCOLO_M_1, 300, 2), "piccolo").value == Fraction(3)
