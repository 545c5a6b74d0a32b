"""Static and Static+ plan fleets at the mean bandwidth, and no others."""

from __future__ import annotations

import pytest
from tiny_fleets import tiny_fleet

import euclio
from euclio.core.registry import Limits
from euclio.core.result import Status
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.evaluate import evaluate
from euclio.workloads.fragments.clients import draw_clients, fleet_at_mean, fleet_now
from euclio.workloads.fragments.networks import find_model
from heuristics.fragments.gslice import solve_gslice, solve_gslice_plus, solve_static

FULL = FragmentSpace()
SYSTEMS = {"static": (False, solve_gslice), "static+": (True, solve_gslice_plus)}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("key", ["inc", "vgg"])
def test_the_plan_is_one_of_the_fleet_at_the_mean_and_none_of_the_fleet_now(system, key):
    clients = draw_clients(find_model(key), 8, 1, tx2=2)
    mean = fleet_at_mean("mean", clients)
    together, gslice = SYSTEMS[system]
    found = solve_static(mean, FULL, Limits(), together=together)
    assert found == gslice(mean, FULL, Limits())
    assert evaluate(mean, found.plan).feasible
    assert not evaluate(fleet_now("now", clients), found.plan).feasible


def test_bandwidth_that_stays_is_planned_as_gslice_plans_it():
    clients = draw_clients(find_model("mob"), 6, 0, traces=[(80, 80)])
    now, mean = fleet_now("f", clients), fleet_at_mean("f", clients)
    assert now.fragments == mean.fragments
    assert solve_static(mean, FULL, Limits(), together=False) == solve_gslice(now, FULL, Limits())


@pytest.mark.parametrize("system", SYSTEMS)
def test_other_fleets_are_refused_with_field_and_remedy(system):
    now = fleet_now("moment", draw_clients(find_model("vgg"), 3, 0))
    for fleet, found in ((now, 'moment: points: is "now"'), (tiny_fleet(), "points: is not given")):
        result = euclio.solve(fleet, system)
        assert result.status is Status.INAPPLICABLE
        assert found in result.reason
        assert "--bandwidth mean" in result.reason


def test_uniform_fragments_together_never_cost_more():
    mean = fleet_at_mean("f", draw_clients(find_model("mob"), 20, 0))
    assert euclio.solve(mean, "static+").value <= euclio.solve(mean, "static").value
