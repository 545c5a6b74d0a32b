from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_fleets import tiny_fleet

from euclio.core.families import find_family
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import FragmentSpace, Server
from euclio.problems.fragments.least_budget import explain_budgets, least_budget_s
from euclio.workloads.fragments.random_fleets import small_fleet
from tests.drawn.fleets import limited_fleet


def test_the_least_budget_is_twice_the_fastest_execution():
    # Two layers of 6 ms on a whole GPU: 2 * 12 ms.
    fleet = tiny_fleet()
    assert least_budget_s(fleet.network, fleet.fragments[0]) == Fraction("0.024")


def test_a_fleet_without_a_plan_is_explained_by_a_fragment():
    status, text, data = explain_budgets(small_fleet(FIRST_LATE), FragmentSpace())
    assert status is Status.INFEASIBLE
    assert "lacks time: it needs" in text
    assert [entry for entry in data["fragments"] if entry["least_budget_s"] > entry["budget_s"]]


@pytest.mark.parametrize("seed", range(40))
def test_what_is_explained_within_memory_is_what_the_enumeration_finds(seed):
    """A fleet lacks room exactly where it has no plan and would have one without the server's limits."""
    fleet = limited_fleet(seed)
    result = solve(fleet, "fragments-bruteforce")
    status, text, _ = explain_budgets(fleet, FragmentSpace())
    assert (status is Status.INFEASIBLE) == (result.status is Status.INFEASIBLE)
    free = solve(replace(fleet, network=replace(fleet.network, server=None)), "fragments-bruteforce")
    if result.status is Status.INFEASIBLE and free.status is not Status.INFEASIBLE:
        assert "lacks room: within" in text
        assert "network.server.gpu_" in text
        assert "network.server.gpu_" in find_family("fragments").why_infeasible(fleet, result, None)
        assert "network.server.gpu_" in result.reason


def test_a_fragment_that_lacks_room_is_explained_by_the_megabytes_that_it_takes():
    """Two layers of 30 MB fit into 100 MB at 60 %, and were measured at 5 and 10 % only, which hold none of them."""
    fleet = tiny_fleet()
    network = replace(fleet.network, shares_pct=(5, 10), layer_memory_mb=[30, 30], server=Server(100))
    fragments = [replace(fleet.fragments[0], budget_s=1)]
    _, text, _ = explain_budgets(replace(fleet, network=network, fragments=fragments), FragmentSpace())
    assert text.splitlines()[1] == (
        "fragment a lacks room: within 100 MB of GPU memory (network.server.gpu_memory_mb) an instance of its layers 0 "
        "to 1, 60 MB, needs 60 % of a GPU, and no instances serve it; without the limit it is served in its 1 s"
    )


@pytest.mark.parametrize("space", [FragmentSpace(), FragmentSpace(sharing="alone"), FragmentSpace(max_instances=1)])
@pytest.mark.parametrize("seed", range(40))
def test_what_is_explained_is_what_the_enumeration_finds(seed, space):
    """Budgets are called too short exactly where no plan exists."""
    fleet = small_fleet(seed)
    status, _, _ = explain_budgets(fleet, space)
    result = solve(fleet, "fragments-bruteforce", space=space)
    assert (status is Status.INFEASIBLE) == (result.status is Status.INFEASIBLE)
    if result.status is Status.INFEASIBLE:
        assert "lacks" in find_family("fragments").why_infeasible(fleet, result, None)


FIRST_LATE = next(
    seed for seed in range(100) if explain_budgets(small_fleet(seed), FragmentSpace())[0] is Status.INFEASIBLE
)
