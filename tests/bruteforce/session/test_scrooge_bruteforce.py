import math

import pytest
from worked_examples import scrooge, scrooge_best_plan

from euclio import solve
from euclio.core.result import Status
from euclio.workloads.session.protocol import SEED, draw
from euclio.workloads.session.random_sessions import random_session
from heuristics.session import SCROOGE_SPACE

BRUTE_FORCE = "scrooge-bruteforce"


def cost(session, solver, **options):
    result = solve(session, solver, space=SCROOGE_SPACE, **options)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE), result.reason
    return math.inf if result.cost is None else result.cost


def test_worked_example_is_solved_to_the_papers_plan():
    """2 + 19.85/80·3 + 1.6·3 = 7.5444 at 272.8 ms."""
    result = solve(scrooge(), BRUTE_FORCE)
    assert [m.allocations for m in result.plan.modules] == [m.allocations for m in scrooge_best_plan().modules]
    assert (round(result.cost, 4), round(float(result.evaluation.latency_s), 4)) == (7.5444, 0.2728)


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_exact_on_random_sessions(seed):
    """Scrooge's plan space listed in another order and by other code than ours."""
    session = random_session(seed, 1 + seed % 4, 8, concurrency=3)
    assert cost(session, BRUTE_FORCE) == pytest.approx(cost(session, "exact"), rel=1e-6)


@pytest.mark.fifth("number")
@pytest.mark.parametrize("number", range(1, 11))
def test_agrees_with_exact_on_workloads(number):
    session = draw(SEED, number).session
    assert cost(session, BRUTE_FORCE) == pytest.approx(cost(session, "exact"), rel=1e-6)


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_plan_enumeration_at_few_allocations(seed, most):
    """To the digit: both price by the checker, in fractions."""
    session = random_session(seed, 2, 4, rates_rps=(5, 60))
    space = {"policy": "machine-rate", "dummy": "none", "max_allocations": most}
    ours, plain = solve(session, BRUTE_FORCE, max_allocations=most), solve(session, "plan-bruteforce", **space)
    assert (ours.value, ours.status) == (plain.value, plain.status)


def test_time_limit_leaves_no_plan_and_no_bound():
    result = solve(draw(SEED, 2).session, BRUTE_FORCE, time_limit_s=1e-6)
    assert (result.status, result.plan, result.bound) == (Status.UNKNOWN, None, None)
    assert "time limit" in result.reason


def test_other_policies_are_refused():
    assert solve(scrooge(), BRUTE_FORCE, policy="tc").status is Status.INAPPLICABLE
