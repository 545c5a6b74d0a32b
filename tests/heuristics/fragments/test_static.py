"""Static and Static+ plan for the mean bandwidth."""

from __future__ import annotations

import pytest

from euclio.core.registry import Limits
from euclio.fragments import FragmentSpace
from euclio.fragments.evaluate import evaluate
from euclio.fragments.workloads.clients import draw_clients, fleet_at_mean, fleet_now
from euclio.fragments.workloads.networks import find_model
from heuristics.fragments.gslice import solve_gslice
from heuristics.fragments.static import STATIC_SYSTEMS, plan_static

FULL = FragmentSpace()


@pytest.mark.parametrize("system", STATIC_SYSTEMS)
@pytest.mark.parametrize("key", ["inc", "vgg"])
def test_the_plan_is_one_of_the_fleet_at_the_mean_and_none_of_the_fleet_now(system, key):
    clients = draw_clients(find_model(key), 8, 1, tx2=2)
    found = plan_static(system, "mean", clients, FULL, Limits())
    assert found.answer.plan is not None
    assert found.fleet == fleet_at_mean("mean", clients)
    assert evaluate(found.fleet, found.answer.plan).feasible
    assert not evaluate(fleet_now("now", clients), found.answer.plan).feasible


def test_bandwidth_that_stays_is_planned_as_gslice_plans_it():
    clients = draw_clients(find_model("mob"), 6, 0, traces=[(80, 80)])
    now = fleet_now("f", clients)
    found = plan_static("static", "f", clients, FULL, Limits())
    assert found.fleet == now
    assert found.answer == solve_gslice(now, FULL, Limits())


def test_uniform_fragments_together_never_cost_more():
    clients = draw_clients(find_model("mob"), 20, 0)
    shares = {}
    for system in STATIC_SYSTEMS:
        found = plan_static(system, "f", clients, FULL, Limits())
        assert found.answer.plan is not None
        shares[system] = evaluate(found.fleet, found.answer.plan).value
    assert shares["static+"] <= shares["static"]
