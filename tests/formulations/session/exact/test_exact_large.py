"""`exact` on DAGs of many measured modules: a proof where it is quick, a plan and a bound where it is not."""

import pytest

from euclio import solve
from euclio.core.registry import Limits, find_solver
from euclio.core.result import Status
from euclio.problems.session import FULL_SPACE, evaluate
from tests.bench.large_sessions import dag_of_edges, layered_session


@pytest.mark.parametrize("tight", [False, True])
def test_a_dag_of_twenty_modules_is_proven_and_costs_no_more_than_by_a_heuristic(tight):
    """Fifty took a second and more where each node of the search over modes solved its relaxation from nothing."""
    session = layered_session(100, 20, tight=tight)
    found = solve(session, "exact")
    assert found.status is Status.OPTIMAL
    theirs = find_solver("scrooge").run(session, find_solver("scrooge").space, Limits()).plan
    cost = None if theirs is None else evaluate(session, theirs, FULL_SPACE).cost_per_h
    assert cost is None or found.value <= cost


@pytest.mark.slow
@pytest.mark.parametrize("tight", [False, True])
def test_a_dag_of_a_thousand_modules_has_a_plan_within_two_percent_of_its_bound(tight):
    """A hundred modules had a bound and no plan after a minute."""
    found = solve(layered_session(100, 1000, tight=tight), "exact", time_limit_s=30)
    assert found.plan is not None
    assert found.value - found.bound <= 0.02 * float(found.value)


@pytest.mark.slow
def test_the_optimum_of_fifty_modules_is_that_of_another_exact_method():
    session = layered_session(101, 50, tight=False)
    other = solve(session, "milp-split", time_limit_s=120)
    assert other.status is Status.OPTIMAL
    assert solve(session, "exact").value == pytest.approx(float(other.value), rel=1e-8)


def test_dags_of_few_and_of_many_edges_have_the_same_modules_and_the_edges_of_smaller_ones():
    """Ten chains of four modules have 30 edges, four full layers of ten 300."""
    few, some, all_edges = (dag_of_edges(1, edges) for edges in (30, 120, 300))
    assert [len(session.edges) for session in (few, some, all_edges)] == [30, 120, 300]
    assert set(few.edges) < set(some.edges) < set(all_edges.edges)
    assert few.modules == some.modules == all_edges.modules
    with pytest.raises(ValueError, match="30 to 300"):
        dag_of_edges(1, 301)
