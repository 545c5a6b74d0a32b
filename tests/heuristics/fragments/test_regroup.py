from dataclasses import replace

import pytest
from tiny_fleets import SPACES

from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, FragmentSpace
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(40))
def test_regroup_has_a_plan_where_there_is_one_and_none_that_is_better_than_the_best(seed, changes):
    """Against the enumeration: a lower share would be a fragment left out."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    best, found = solve(fleet, "fragments-bruteforce", space=space), solve(fleet, "regroup", space=space)
    assert (found.value is None) == (best.value is None)
    assert found.value is None or found.value >= best.value


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_regroup_is_never_worse_than_the_published_systems(seed, changes):
    """What the comparison with them says holds on each fleet, not on average only."""
    space = FragmentSpace(**changes)
    fleet = random_fleet(seed, 40, 6)
    rates = [replace(fragment, rate_rps=10 + 7 * k % 30) for k, fragment in enumerate(fleet.fragments)]
    for one in (fleet, Fleet("rates", fleet.network, rates)):
        found = solve(one, "regroup", space=space)
        for name in ("graft", "graft:massive", "gslice+"):
            other = solve(one, name, space=space)
            assert other.value is None or found.value <= other.value


def test_the_same_plan_is_found_again():
    fleet = random_fleet(3, 60, 8)
    assert solve(fleet, "regroup").plan == solve(fleet, "regroup").plan
