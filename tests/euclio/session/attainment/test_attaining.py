"""Results that keep an attainment, of every kind of planner: legal plans of the instance, with a bound on all."""

import pytest
from worked_examples import M_1, M_3, module

from euclio import evaluate
from euclio.core.result import Status
from euclio.files import load_result, save_result
from euclio.session import Hardware, Session
from euclio.session.attainment import solve_attaining
from euclio.session.simulation import Setup, simulate

# Not in the quick tier: a search over margins for every planner.
pytestmark = pytest.mark.slow

SESSION = Session("two", "1.4", [Hardware("gpu", 1)], [module("a", 60, M_1), module("b", 60, M_3)], [("a", "b")])
SOLVERS = ("exact", "harpagon", "nexus", "scrooge", "inferline", "clipper", "piccolo", "scrooge-greedy", "harpagon:dt")


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", SOLVERS)
def test_every_planner_can_be_asked(name, tmp_path):
    result = solve_attaining(SESSION, name, 0.95, Setup(dispatch="pull"))
    assert (result.status, result.solver) == (Status.FEASIBLE, name)
    assert 0 < result.bound <= result.cost
    assert result.stats["attainment_at_least"] >= 0.95
    # A heuristic may happen to find a cheaper plan of a stricter session, as Clipper's does here.
    assert name != "exact" or result.stats["cost_without_margins"] <= result.cost
    checked = evaluate(SESSION, result.plan, result.space)
    assert checked.feasible
    assert checked.cost_per_h == result.value
    save_result(result, SESSION, tmp_path / "result.json")
    assert load_result(tmp_path / "result.json", SESSION).value == pytest.approx(result.value, rel=1e-9)


def test_the_written_plan_keeps_it_too(tmp_path):
    result = solve_attaining(SESSION, "piccolo", 0.95, Setup(dispatch="pull"))
    save_result(result, SESSION, tmp_path / "result.json")
    written = load_result(tmp_path / "result.json", SESSION)
    setup = Setup(dispatch="pull", seconds=2000, seed=77, dummies=False, partial="shared")
    assert simulate(SESSION, written.plan, setup, written.space).attainment >= 0.95


def test_a_session_without_a_plan_is_answered_as_without_the_demand():
    tight = Session("tight", "0.01", [Hardware("gpu", 1)], [module("a", 60, M_1)])
    assert solve_attaining(tight, "exact", 0.9).status is Status.INFEASIBLE


def test_no_margin_that_keeps_it_is_unknown_and_says_what_to_do():
    tight = Session("tight", "0.26", [Hardware("gpu", 1)], [module("a", 60, M_1)])
    result = solve_attaining(tight, "exact", 0.9999, Setup("bursty", timeout_s=float("inf")))
    assert (result.status, result.raw_status) == (Status.UNKNOWN, "no margin")
    assert "no margin that was tried keeps 99.99 % within the SLO" in result.reason


@pytest.mark.slow
def test_the_time_limit_ends_the_search():
    result = solve_attaining(SESSION, "exact", 0.999, time_limit_s=0.5)
    assert result.wall_s < 3


@pytest.mark.parametrize("router", ["round-robin", "random", "least-outstanding", "power-of-two"])
def test_a_plan_is_found_behind_a_router_and_holds_on_other_requests(router):
    """Judged behind it, stated so, and kept on requests and draws of another seed."""
    result = solve_attaining(SESSION, "exact", 0.95, Setup(dispatch=router), policy="load-balancer")
    assert result.stats["attainment_at_least"] >= 0.95
    assert (result.planned_for["dispatch"], result.planned_for["attainment"]) == (router, 0.95)
    assert 0 < result.bound <= result.cost
    setup = Setup(dispatch=router, seconds=2000, seed=78, dummies=False, partial="shared")
    assert simulate(SESSION, result.plan, setup, result.space).attainment >= 0.95


def test_what_routers_cost_is_in_the_order_of_what_they_know():
    """Behind draws a plan costs most, behind two choices less, behind all loads no more than that."""
    cost = {
        router: solve_attaining(SESSION, "exact", 0.95, Setup(dispatch=router), policy="load-balancer").cost
        for router in ("random", "power-of-two", "least-outstanding")
    }
    assert cost["random"] > cost["power-of-two"] >= cost["least-outstanding"]
