from fractions import Fraction

import pytest
from tiny_fleets import tiny_fleet

from euclio.core.families import find_family
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.fragments import FragmentSpace
from euclio.fragments.least_budget import explain_budgets, least_budget_s
from euclio.fragments.workloads.small_fleets import small_fleet


def test_the_least_budget_is_twice_the_fastest_execution():
    # Two layers of 6 ms on a whole GPU: 2 * 12 ms.
    fleet = tiny_fleet()
    assert least_budget_s(fleet.network, fleet.fragments[0]) == Fraction("0.024")


def test_a_fleet_without_a_plan_is_explained_by_a_fragment():
    status, text, data = explain_budgets(small_fleet(FIRST_LATE), FragmentSpace())
    assert status is Status.INFEASIBLE
    assert "lacks time: it needs" in text
    assert [entry for entry in data["fragments"] if entry["least_budget_s"] > entry["budget_s"]]


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
