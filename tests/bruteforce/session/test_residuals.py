"""What is looked up for a vector of splits is what the reassigner makes of it."""

import math

import numpy as np
import pytest

from bruteforce.session.residuals import first_allocation, reassigned_cost, residuals_after
from bruteforce.session.split_search import BREAKPOINTS, CONFIGURATIONS, module_budgets_to_try
from euclio.core.compiled import total_of
from euclio.problems.session import PlanSpace
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.workloads.session.random_sessions import random_session
from heuristics.session.dummy_generator import generator_of
from heuristics.session.latency_reassigner import reassign_latency
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.schedule import new_schedule

MOST = 1 << 30
SPACES = [
    PlanSpace(),
    PlanSpace(dummy="none"),
    PlanSpace("machine-rate"),
    PlanSpace("rr", "none", 2),
    PlanSpace(max_allocations=1),
    PlanSpace(max_allocations=2),
]


def shortest_paths(arrays):
    """Longest paths before and after each module if every module is as fast as it can be."""
    modules = arrays.rate.size
    shortest = np.array([arrays.duration[arrays.first[m] : arrays.first[m + 1]].min() for m in range(modules)])
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(arrays, shortest, before, after)
    return before, after


def vectors(arrays, dummies, grid, seed):
    """Twenty feasible plans, whose modules have budgets of the grid, and the residuals of each."""
    modules = arrays.rate.size
    draw = np.random.default_rng(seed)
    grids = [module_budgets_to_try(arrays, m, dummies, grid, 0.0) for m in range(modules)]
    if not all(own.size for own in grids):
        return
    before, after = np.zeros(modules), np.zeros(modules)
    for _ in range(20):
        plan = new_schedule(arrays)
        made = [
            schedule_module(arrays, m, arrays.rate[m], draw.choice(grids[m]), dummies, plan) for m in range(modules)
        ]
        if not all(made) or path_times(arrays, plan.latency, before, after) > arrays.slo:
            continue
        starts = [first_allocation(arrays, m, plan) for m in range(modules)]
        yield plan, np.array([(m, k, plan.machines[k]) for m, k in enumerate(starts)])


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("seed", range(40))
def test_looked_up_cost_is_that_of_the_reassigner_bit_for_bit(seed, space):
    """The search leaves out vectors by the looked-up cost, so one that differs would lose the best split.

    Rates and durations repeat among the drawn configurations, so that budgets fall on those at which plans change.
    """
    shape = ("chain", "diamond", "dag")[seed % 3]
    session = random_session(seed, 4, 6, shape=shape, slo_over_least=(1.2, 4.0))
    arrays = session_arrays(session, space)
    dummies = generator_of(space.dummy)
    before, after = shortest_paths(arrays)
    for plan, starts in vectors(arrays, dummies, (CONFIGURATIONS, BREAKPOINTS)[seed % 2], seed):
        residuals, at = residuals_after(arrays, dummies, arrays.slo - before - after, starts)
        found = reassigned_cost(arrays, residuals, at, plan.latency.copy(), plan.cost.copy())
        reassign_latency(arrays, dummies, MOST, False, plan)
        assert math.isnan(found) or found == total_of(plan.cost)


def test_most_vectors_are_looked_up():
    """A table that left every cost open would be right and useless."""
    known = []
    for seed in range(20):
        arrays = session_arrays(random_session(seed, 4, 6, shape="chain", slo_over_least=(1.2, 4.0)), PlanSpace())
        dummies = generator_of(PlanSpace().dummy)
        before, after = shortest_paths(arrays)
        for plan, starts in vectors(arrays, dummies, CONFIGURATIONS, seed):
            residuals, at = residuals_after(arrays, dummies, arrays.slo - before - after, starts)
            known.append(not math.isnan(reassigned_cost(arrays, residuals, at, plan.latency, plan.cost)))
    assert len(known) > 50
    assert np.mean(known) > 0.95
