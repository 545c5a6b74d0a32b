import math

import pytest
from tiny_fleets import SPACES

from bruteforce.fragments.enumeration import divisions
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import FragmentSpace
from euclio.proving.fragments.certifying import find_better
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet


@pytest.mark.parametrize(("size", "bell"), [(0, 1), (1, 1), (3, 5), (6, 203)])
def test_divisions_are_as_many_as_bells_number(size, bell):
    found = list(divisions(tuple(range(size))))
    assert len(found) == len({frozenset(division) for division in found}) == bell


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(25))
def test_the_prover_finds_nothing_better_and_something_as_good(seed, changes):
    """Two programs with nothing in common, the enumeration and the prover, name the same least share."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    result = solve(fleet, "fragments-bruteforce", space=space)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert find_better(fleet, space, result.value, math.inf).exhausted
    if result.value is not None:
        assert find_better(fleet, space, result.value + 1, math.inf).plan is not None


def test_the_prover_stops_at_its_deadline():
    search = find_better(small_fleet(0), FragmentSpace(), None, -math.inf)
    assert (search.plan, search.exhausted, search.reason) == (None, False, "the time limit was reached")


def test_the_prover_leaves_open_what_its_bound_on_many_fragments_does_not_reach():
    fleet = random_fleet(0, 13, 3)
    best = solve(fleet, "fragment-columns").value
    assert best is not None
    search = find_better(fleet, FragmentSpace(), best + 1, math.inf)
    assert (search.plan, search.exhausted) == (None, False)
    assert "less than" in search.reason
