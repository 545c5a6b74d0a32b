import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace, Network
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from heuristics.fragments.graft import uniform_groups
from heuristics.fragments.gslice import evenly

SPACES = ({}, {"budgets": "own"}, {"max_members": 2}, {"max_instances": 2})


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(30))
def test_gslice_is_the_best_plan_of_fragments_alone(seed, changes):
    """Without sharing there is nothing to choose but batches: the heuristic is exact in its space."""
    fleet = small_fleet(seed)
    best = solve(fleet, "fragments-bruteforce", space=FragmentSpace(sharing="alone", **changes))
    found = solve(fleet, "gslice", space=FragmentSpace(**changes))
    assert (found.status, found.value) == (best.status, best.value)


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(30))
def test_gslice_plus_has_a_plan_of_uniform_sets_where_there_is_one(seed, changes):
    """A plan is found wherever the enumeration has one, and none that is better."""
    fleet = small_fleet(seed)
    best = solve(fleet, "fragments-bruteforce", space=FragmentSpace(sharing="uniform", **changes))
    found = solve(fleet, "gslice+", space=FragmentSpace(**changes))
    assert (found.value is None) == (best.value is None)
    if found.value is None:
        assert found.status is Status.INFEASIBLE
    else:
        assert found.value >= best.value


def test_gslice_plus_merges_uniform_fragments():
    # 10 ms on 50 %: 30 req/s keep 0.3 of an instance busy, three such fragments 0.9 of one.
    network = Network("one layer", [1], [50], [[["0.01"]]])
    fleet = Fleet("three", network, [Fragment(f"c{k}", 0, "0.02", 30) for k in range(3)])
    assert solve(fleet, "gslice").value == 150
    assert solve(fleet, "gslice+").value == 50
    assert solve(fleet, "gslice+", max_members=2).value == 100


def test_a_limit_of_instances_divides_uniform_fragments_evenly():
    # 60 req/s keep 0.6 of an instance busy: five fragments need three instances, so that two sets are enough for two.
    network = Network("one layer", [1], [50], [[["0.01"]]])
    fleet = Fleet("five", network, [Fragment(f"c{k}", 0, "0.02", 60) for k in range(5)])
    found = solve(fleet, "gslice+", max_instances=2)
    assert [len(own.fragments) for own in found.plan.sets] == [2, 3]
    assert found.value == 200


def test_groups_are_divided_into_even_parts():
    assert [len(part) for part in evenly(range(7), 3)] == [2, 2, 3]


def test_uniform_groups_hold_every_fragment_once():
    fleet = random_fleet(0, 300, 6)
    assert sorted(k for group in uniform_groups(fleet) for k in group) == list(range(300))


@pytest.mark.slow
def test_a_thousand_fragments_take_less_than_a_second():
    fleet = random_fleet(0, 1000, 17)
    for solver in ("gslice", "gslice+"):
        result = solve(fleet, solver)
        assert result.value is not None
        assert result.wall_s < 1
