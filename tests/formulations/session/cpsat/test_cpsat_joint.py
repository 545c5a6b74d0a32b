"""Solver `cpsat`: splitting and allocation in one model."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.result import Status, WarmStart
from euclio.core.solving import solve
from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.workloads.session.random_sessions import random_session
from formulations.engines.cpsat import check_rows
from formulations.engines.interface import EngineLimits
from formulations.session.joint.candidates import refused, state
from formulations.session.joint.problem import joint_problem
from tests.drawn.small_sessions import small_session

pytest.importorskip("ortools")
from formulations.session.cpsat.joint import allocate_module
from formulations.session.cpsat.joint_model import joint_model

SPACES = [
    FULL_SPACE,
    PlanSpace("tc", "none"),
    PlanSpace("tc-shared", "machine"),
    PlanSpace("rr", "none", 2),
    PlanSpace("machine-rate", "machine", 1),
    PlanSpace(single_hardware=True),
]


def with_slo(session: Session, slo_s: Fraction) -> Session:
    return Session(session.name, slo_s, session.hardware, session.modules, session.edges)


def agree(session: Session, space: PlanSpace) -> bool:
    best, found = (solve(session, name, space=space) for name in ("plan-bruteforce", "cpsat"))
    same = best.cost is None or found.cost == pytest.approx(best.cost, rel=1e-9)
    return found.status is best.status and same


@pytest.mark.parametrize("seed", range(100, 142))
def test_agrees_with_brute_force(seed):
    """The model in integers with numbers scaled: what scaling loses would show in the cost."""
    assert agree(small_session(seed), SPACES[seed % len(SPACES)])


@pytest.mark.parametrize("seed", range(200, 210))
def test_agrees_with_brute_force_without_a_plan_to_start_from(seed):
    """A start hides a model that finds nothing by itself."""
    best = solve(small_session(seed), "plan-bruteforce")
    found = solve(small_session(seed), "cpsat", warm_start="none")
    assert (found.status, found.cost) == (best.status, pytest.approx(best.cost, rel=1e-6))


def single_modules() -> list[Session]:
    sessions = [small_session(seed) for seed in range(300, 330)]
    return [Session(s.name, s.slo_s, s.hardware, s.modules[:1]) for s in sessions]


@pytest.mark.fifth("session")
@pytest.mark.parametrize("session", single_modules(), ids=lambda s: s.name)
def test_one_module_model_agrees_with_brute_force(session):
    """Bound within a millionth of the optimum; infeasible where brute force finds nothing."""
    best = solve(session, "plan-bruteforce")
    problem = joint_problem(session, FULL_SPACE)
    most = Fraction(10**3)
    found = None if problem.infeasible else allocate_module(problem, 0, most, EngineLimits(presolve=False))
    if found is None or found.infeasible:
        assert best.status is Status.INFEASIBLE
    else:
        assert float(found.bound_per_h) == pytest.approx(best.cost, rel=1e-6, abs=1e-4)
        assert found.bound_per_h <= best.value


def chained(seed: int) -> Session:
    """A session whose modules share the SLO."""
    while not small_session(seed).edges:
        seed += 1
    return small_session(seed)


@pytest.mark.parametrize("seed", range(400, 406))
def test_latency_equal_to_the_slo_is_within(seed):
    """Latencies are rounded for the model; at the SLO itself they may not become too long."""
    session = chained(seed)
    best = solve(with_slo(session, 3 * session.slo_s), "plan-bruteforce")
    tight = with_slo(session, best.evaluation.latency_s)
    assert solve(tight, "cpsat").cost == pytest.approx(best.cost, rel=1e-9)


@pytest.mark.parametrize("seed", range(400, 406))
def test_latency_just_above_the_slo_is_refused(seed):
    """The scale cannot distinguish the plan from one within the SLO; the checker can, and the plan is cut off."""
    session = chained(seed)
    best = solve(with_slo(session, 3 * session.slo_s), "plan-bruteforce")
    assert agree(with_slo(session, best.evaluation.latency_s - Fraction(1, 10**9)), FULL_SPACE)


@pytest.mark.parametrize("configurations", [4, 200, 480])
def test_every_row_stays_within_the_limit_of_coefficients(configurations):
    session = random_session(3, 2, configurations, hardware=12, concurrency=8, slo_over_least=(5.0, 6.0))
    problem = joint_problem(session, FULL_SPACE)
    most = sum((2 * min(c.lead_cost_per_h for c in m.configurations) for m in problem.modules), Fraction(0))
    check_rows(joint_model(problem, most, [Fraction(0)] * 2, [most] * 2).model)


def test_optimal_plan_to_start_from_is_used_as_cutoff():
    assert solve(small_session(100), "cpsat", warm_start="plan-bruteforce").warm_start is WarmStart.USED


def test_stopped_run_has_a_valid_bound():
    session = small_session(104)
    best = solve(session, "plan-bruteforce")
    stopped = solve(session, "cpsat", time_limit_s=0.001)
    assert stopped.bound is None or stopped.bound <= best.cost * (1 + 1e-12)


def test_continuous_rule_is_inapplicable():
    result = solve(small_session(100), "cpsat", space=replace(FULL_SPACE, dummy="continuous"))
    assert result.status is Status.INAPPLICABLE


def test_same_seed_same_plan():
    first, second = (solve(small_session(104), "cpsat", seed=5) for _ in range(2))
    assert first.plan == second.plan


@pytest.mark.slow
def test_two_workers_do_not_abort_the_process():
    """Neighbourhood searches presolve products into constraints that OR-Tools 9.14 cannot load, and it aborts."""
    code = (
        "from euclio.core.solving import solve\n"
        "from euclio.workloads.session.protocol import SEED, draw\n"
        "print(solve(draw(SEED, 511).session, 'cpsat', time_limit_s=2, threads=2).status)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_cheapest_plans_of_all_modules_are_taken_where_they_meet_the_slo_together() -> None:
    found = solve(small_session(282), "cpsat", space=PlanSpace("rr", "none", 2), time_limit_s=20.0)
    assert (found.status, found.stats["models"]) == (Status.OPTIMAL, 0.0)


@pytest.mark.parametrize(("machines", "partial_at"), [(1, None), (2, 0), (0, 0)])
def test_too_few_machines_are_cut_off_with_all_smaller_numbers(machines, partial_at):
    """A million machines are needed: one cut takes what engines would go through machine by machine."""
    hardware = [Hardware("gpu", Fraction(1))]
    module = Module("m", Fraction(10**6), [Configuration("gpu", 1, 1, Fraction(1))])
    problem = joint_problem(Session("many", Fraction(10), hardware, [module]), PlanSpace("tc", "none"))
    index = problem.modules[0].configurations[0].index
    raw = state([index], [machines], partial_at)
    plan = problem.plan([[machines]], [partial_at])
    (exclusion,) = refused(problem, [raw], plan, evaluate(problem.session, plan, problem.space))
    assert exclusion.states == {0: raw}
    assert exclusion.fullest is not None
    counts = dict(exclusion.fullest.machines)
    assert counts.get(index, 0) + (partial_at is not None) == (10**6 - 1 if machines else 1)
