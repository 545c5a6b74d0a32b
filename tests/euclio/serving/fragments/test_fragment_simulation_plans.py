"""Systems' plans, simulated: whose requests keep their time budgets, and the reason where they do not.

A plan counts on a request waiting at most as long as it executes (Graft §4.3). That is certain where no more requests
can coincide than are taken at once (`euclio.serving.fragments.metrics`).
"""

from functools import cache

import pytest

from euclio import solve
from euclio.serving.fragments import Setup, simulate, total_attainment
from euclio.serving.fragments.metrics import longest_wait, most_in_an_execution
from euclio.workloads.fragments.random_fleets import random_fleet

SYSTEMS = ("gslice", "gslice+", "graft", "set-partition")
SEEDS = range(60)


@cache
def planned(system):
    """Fleets of five clients with the system's plans."""
    fleets = [random_fleet(seed, 5, 4) for seed in SEEDS]
    return [(fleet, solve(fleet, system).plan) for fleet in fleets]


def attainments(system, **setup):
    return [
        total_attainment(simulate(fleet, plan, Setup("uniform", seconds=3, **setup))) for fleet, plan in planned(system)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dispatch", ["shared", "even"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_clients_one_after_the_other_keep_every_budget(system, dispatch):
    assert attainments(system, phases="staggered", dispatch=dispatch) == [1] * len(SEEDS)


@pytest.mark.fifth("phases")
@pytest.mark.parametrize("phases", ["random", "together"])
def test_clients_with_instances_of_their_own_keep_every_budget(phases):
    assert attainments("gslice", phases=phases) == [1] * len(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("system", ["graft", "set-partition"])
def test_clients_that_coincide_on_shared_instances_may_not(system):
    found = attainments(system, phases="together")
    assert min(found) < 0.9
    assert sum(share == 1 for share in found) > 5


@pytest.mark.fifth("system")
@pytest.mark.parametrize("dispatch", ["shared", "even"])
@pytest.mark.parametrize("phases", ["random", "together"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_waits_longer_than_an_execution_where_all_that_coincide_are_taken_at_once(system, phases, dispatch):
    setup = Setup("uniform", seconds=3, phases=phases, dispatch=dispatch)
    certain = 0
    for fleet, plan in planned(system):
        found = simulate(fleet, plan, setup)
        for stage in found.stages:
            if most_in_an_execution(found, stage) <= stage.stage.batch * stage.stage.instances:
                certain += 1
                wait = longest_wait(found, stage)
                assert wait is None or wait <= 1
    assert certain >= 10
