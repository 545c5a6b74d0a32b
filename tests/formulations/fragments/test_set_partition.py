"""Set partitioning against the enumeration: 60 seeded fleets; `EUCLIO_ORACLE` sets another number, 200 at most."""

import os

import pytest
from tiny_fleets import SPACES

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.fragments import FragmentSpace
from euclio.fragments.workloads.random_fleets import random_fleet
from euclio.fragments.workloads.small_fleets import small_fleet

SEEDS = range(min(200, int(os.environ.get("EUCLIO_ORACLE", "60"))))


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_set_partitioning_finds_what_the_enumeration_finds(seed, changes):
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    best, found = solve(fleet, "fragments-bruteforce", space=space), solve(fleet, "set-partition", space=space)
    assert (found.status, found.value) == (best.status, best.value)
    twin = solve(fleet, "set-partition-cpsat", space=space)
    assert (twin.status, twin.value) == (best.status, best.value)


@pytest.mark.parametrize("seed", range(3))
def test_no_heuristic_is_better_than_the_optimum_of_ten_fragments(seed):
    fleet = random_fleet(seed, 8, 6)
    best = solve(fleet, "set-partition")
    assert best.status is Status.OPTIMAL
    for name in ("graft", "graft:uniform", "gslice+", "gslice"):
        assert solve(fleet, name).value >= best.value


def test_too_many_sets_are_inapplicable():
    assert solve(random_fleet(0, 40, 4), "set-partition").status is Status.INAPPLICABLE


def test_the_time_limit_is_kept():
    result = solve(random_fleet(0, 14, 8), "set-partition", time_limit_s=0.2)
    assert result.status is Status.UNKNOWN
    assert result.wall_s < 1
