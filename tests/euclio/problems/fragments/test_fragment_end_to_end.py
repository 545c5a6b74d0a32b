"""Latencies from end to end: the client's layers and its uplink before the simulated server."""

from fractions import Fraction
from io import BytesIO

import numpy as np
import pytest
from simulated_fleets import aligned, two_clients

from euclio import solve
from euclio.serving.fragments import Setup, simulate, total_attainment
from euclio.serving.fragments.end_to_end import Ahead, ahead_of, end_to_end_ms, pooled_ms, within_objective
from euclio.serving.latency_figure import draw_latencies
from euclio.serving.requests import SERVED
from euclio.workloads.fragments.clients import draw_clients, fleet_now
from euclio.workloads.fragments.networks import find_model

SETUP = Setup("uniform", seconds=0.05, phases="together")


@pytest.fixture(scope="module")
def served():
    """Eight clients of mob, what is ahead of the server, and GSLICE's plan simulated."""
    clients = draw_clients(find_model("mob"), 8, 3, tx2=2)
    fleet = fleet_now("mob", clients)
    return ahead_of(clients), simulate(fleet, solve(fleet, "gslice").plan, Setup("uniform", seconds=5))


def test_mobile_uplink_and_server_add_up_by_hand():
    """On the server b takes 12, 16 and 20 ms, a takes 24, 28 and 32 ms: see `test_fragment_simulation`."""
    ahead = {"a": Ahead(Fraction("0.005"), Fraction("0.001"), Fraction("0.035"))}
    ahead["b"] = Ahead(Fraction("0.03"), Fraction(0), Fraction(1))
    found = simulate(two_clients(), aligned(), SETUP)
    latencies = end_to_end_ms(found, ahead)
    assert latencies["a"] == pytest.approx([30, 34, 38])
    assert latencies["b"] == pytest.approx([42, 46, 50])
    assert within_objective(found, ahead) == 5 / 6
    assert pooled_ms(latencies) == pytest.approx([30, 34, 38, 42, 46, 50])


def test_what_is_ahead_of_the_server_and_the_budget_are_the_objective(served):
    """Budgets are what the objective leaves, in whole milliseconds, rounded down."""
    ahead, simulation = served
    for fragment in simulation.fleet.fragments:
        own = ahead[fragment.name]
        assert 0 <= own.slo_s - own.mobile_s - own.uplink_s - fragment.budget_s < Fraction(1, 1000)


def test_who_keeps_the_budget_keeps_the_objective(served):
    ahead, simulation = served
    latencies = end_to_end_ms(simulation, ahead)
    for fragment, requests in zip(simulation.fleet.fragments, simulation.requests, strict=True):
        kept = latencies[fragment.name] <= float(1000 * ahead[fragment.name].slo_s)
        assert (kept >= (requests.outcome[requests.finish_ns >= 0] == SERVED)).all()
    assert within_objective(simulation, ahead) == total_attainment(simulation) == 1


def test_a_dropped_request_is_not_within_the_objective():
    ahead = dict.fromkeys("ab", Ahead(Fraction(0), Fraction(0), Fraction(1)))
    found = simulate(two_clients(budget_s="0.021"), aligned(), SETUP)
    assert within_objective(found, ahead) == 0.5
    assert end_to_end_ms(found, ahead)["a"].size == 0


def test_distributions_are_drawn_the_same_every_time():
    panels = {"one": {"x": np.array([1.0, 2.0]), "y": np.zeros(0)}, "two": {"x": np.array([3.0])}}
    pictures = [BytesIO(), BytesIO()]
    for picture in pictures:
        draw_latencies(panels, {"one": [2.5], "two": [3, 4]}).savefig(picture, format="png")
    assert pictures[0].getvalue() == pictures[1].getvalue()
