"""Brute force over latency splits: the search that leaves out splits equals the plain enumeration of all."""

import math

import pytest
from worked_examples import M_1, M_3, one_module

from bruteforce.session.split_search import (
    BREAKPOINTS,
    CONFIGURATIONS,
    STEPS,
    enumerate_splits,
    module_budgets_to_try,
    split_optimum,
)
from bruteforce.session.split_solver import MOST_NODES
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import FULL_SPACE, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.random_sessions import random_session
from heuristics.session.dummy_generator import ANY_RATE, WHOLE_MACHINES, generator_of

GRIDS = {"configurations": CONFIGURATIONS, "breakpoints": BREAKPOINTS, "steps": STEPS}
STEPS_IN_SLO = 15
SEEDS = range(20)
SPACES = [
    PlanSpace("rr", "none", 2),
    PlanSpace("machine-rate"),
    PlanSpace("rr-even", "none", 2),
    PlanSpace("machine-rate-even"),
    PlanSpace("tc-shared"),
    PlanSpace("tc-shared", "none"),
    PlanSpace(max_allocations=1),
    PlanSpace(dummy="continuous"),
    PlanSpace("rr", "continuous"),
    PlanSpace("rr-even", "continuous"),
    PlanSpace("machine-rate-even", "continuous"),
    PlanSpace(dummy="continuous", max_allocations=2),
]


def series(seed: int) -> Session:
    """A chain of three modules with a few configurations each."""
    return random_session(seed, 3, 4, shape="chain", slo_over_least=(1.2, 4.0))


def costs(session: Session, space: PlanSpace, grid: int) -> tuple[float, float]:
    """Cost of the pruned search and of the plain enumeration."""
    arrays = session_arrays(session, space)
    step = arrays.slo / STEPS_IN_SLO
    return (
        split_optimum(arrays, generator_of(space.dummy), grid, step, 0.0, math.inf, MOST_NODES).cost,
        enumerate_splits(arrays, generator_of(space.dummy), False, grid, step, math.inf).cost,
    )


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_search_equals_enumeration_on_series(seed, grid):
    """What the search prunes by the relaxation is never the best split; the enumeration prunes nothing."""
    pruned, plain = costs(series(seed), FULL_SPACE, GRIDS[grid])
    assert pruned == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("seed", range(8))
def test_search_equals_enumeration_in_other_plan_spaces(seed, space):
    """Prices of a module differ by plan space, and what is pruned with them."""
    pruned, plain = costs(series(seed), space, CONFIGURATIONS)
    assert pruned == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_registered_solvers_agree(seed):
    """The same by the registry, so that neither is handed another grid or step."""
    pruned, plain = (solve(series(seed), name) for name in ("split-bruteforce", "split-enumeration"))
    assert (pruned.status, pruned.cost) == (plain.status, plain.cost and pytest.approx(plain.cost, rel=1e-9))


@pytest.mark.parametrize("seed", SEEDS)
def test_split_optimum_never_costs_more_than_harpagon_on_series(seed):
    """In a series every budget of Algorithm 2 is on the grid {d + b/T}."""
    harpagon = solve(series(seed), "harpagon")
    if harpagon.value is not None and not harpagon.stats["start_fallback"]:
        assert solve(series(seed), "split-bruteforce").cost <= harpagon.cost * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_split_optimum_is_never_below_the_plan_optimum(seed):
    """The best split with Harpagon's scheduler is one plan among all that `exact` searches."""
    split = solve(series(seed), "split-bruteforce")
    assert split.value is None or split.cost >= solve(series(seed), "exact").cost * (1 - 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_split_optimum_makes_no_claim_about_other_plans(seed):
    """No bound: other plans than those of Harpagon's scheduler may be cheaper."""
    assert solve(series(seed), "split-bruteforce").bound is None


def test_configurations_grid_holds_the_latencies_of_the_configurations():
    """M_1 at 100 req/s: 0.16 + 0.02, 0.20 + 0.04, 0.32 + 0.08 s; the last is above the SLO."""
    arrays = session_arrays(one_module(M_1, 100, "0.39"), FULL_SPACE)
    assert module_budgets_to_try(arrays, 0, WHOLE_MACHINES, CONFIGURATIONS, 0.0).tolist() == pytest.approx([0.18, 0.24])


def test_breakpoints_hold_the_latencies_before_and_after_filling():
    """M_3 at 198 req/s within 1 s: 0.8 + 32/198 s before filling, 0.8 + 32/200 s with dummies."""
    found = module_budgets_to_try(
        session_arrays(one_module(M_3, 198, 1), FULL_SPACE), 0, WHOLE_MACHINES, BREAKPOINTS, 0.0
    )
    assert {round(x, 9) for x in found} >= {round(0.8 + 32 / 198, 9), 0.96}


def test_steps_are_multiples_within_the_slo():
    arrays = session_arrays(one_module(M_1, 100, "0.05"), FULL_SPACE)
    assert module_budgets_to_try(arrays, 0, WHOLE_MACHINES, STEPS, 0.01).tolist() == pytest.approx(
        [0.01, 0.02, 0.03, 0.04, 0.05]
    )


def test_time_limit_leaves_a_share():
    session = random_session(3, 5, 12, shape="chain", slo_over_least=(4.0, 6.0))
    assert 0 < solve(session, "split-enumeration", time_limit_s=0.001).stats["share"] < 1


def test_no_split_within_the_slo_is_infeasible():
    assert solve(one_module(M_1, 100, "0.1"), "split-bruteforce").status is Status.INFEASIBLE


# Dummies at any rate: Piccolo's components.


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_search_equals_enumeration_with_continuous_dummies(seed, grid):
    """With dummies at any rate a module's cost jumps at other budgets, which the search has to try too."""
    pruned, plain = costs(series(seed), PlanSpace(dummy="continuous"), GRIDS[grid])
    assert pruned == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("name", ["split-bruteforce", "split-enumeration", "piccolo-bruteforce"])
@pytest.mark.parametrize("seed", SEEDS)
def test_split_with_continuous_dummies_is_accepted_and_never_below_the_plan_optimum(seed, name):
    """Rounded dummy rates stay within the SLO, and no plan is below the proven bound."""
    split = solve(series(seed), name, dummy="continuous")
    exact = solve(series(seed), "exact", dummy="continuous")
    assert split.status in (Status.FEASIBLE, Status.INFEASIBLE, Status.UNKNOWN)
    assert split.value is None or float(split.value) >= exact.bound * (1 - 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_piccolos_brute_force_never_costs_more_than_piccolo(seed):
    """Piccolo's own split is one of those that are tried."""
    piccolo = solve(series(seed), "piccolo")
    if piccolo.value is not None:
        assert solve(series(seed), "piccolo-bruteforce").cost <= piccolo.cost * (1 + 1e-9)


def test_breakpoints_end_where_every_budget_has_a_plan_of_its_own():
    """One configuration, 2 in 0.16 s, at 5 req/s takes 0.16 + 2/5 = 0.56 s; below, dummies fill for any budget."""
    arrays = session_arrays(one_module(M_1[:1], 5, "0.7"), PlanSpace(dummy="continuous"))
    found = module_budgets_to_try(arrays, 0, ANY_RATE, BREAKPOINTS, 0.0).tolist()
    assert found == pytest.approx([0.56, 0.56], rel=1e-9)


def test_a_search_that_nodes_end_has_not_gone_through_all():
    """What no clock decides is the same on a busy machine: three nodes are not enough for any session here."""
    arrays = session_arrays(series(3), FULL_SPACE)
    found = [
        split_optimum(arrays, generator_of(FULL_SPACE.dummy), CONFIGURATIONS, 0.0, 0.0, math.inf, n)
        for n in (3, MOST_NODES)
    ]
    assert [one.share for one in found] == [0.0, 1.0]
