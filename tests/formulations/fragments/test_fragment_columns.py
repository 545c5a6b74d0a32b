import math
import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.fragments import Fleet, FragmentSpace
from euclio.fragments.realigned import least_set, part_of
from euclio.fragments.stages import Stages
from euclio.fragments.workloads.random_fleets import random_fleet
from euclio.fragments.workloads.small_fleets import small_fleet
from formulations.fragments.columns.closing import sets_within
from formulations.fragments.columns.relaxation import Pricer
from formulations.fragments.columns.types import UNIT, tables_of, types_of

SPACES = (
    {},
    {"budgets": "own"},
    {"sharing": "uniform"},
    {"sharing": "alone"},
    {"max_members": 2},
    {"max_instances": 2},
)


def even(fleet):
    """The fleet with the first fragment's rate for all."""
    rate = fleet.fragments[0].rate_rps
    return Fleet(fleet.name, fleet.network, [replace(fragment, rate_rps=rate) for fragment in fleet.fragments])


def shares_of_all_sets(fleet, space):
    """The least share of every set of places that has one."""
    stages, number = Stages(fleet.network), len(fleet.fragments)
    parts = [part_of(fleet, [k]) for k in range(number)]
    most = space.max_members or number
    sets = (places for size in range(1, most + 1) for places in combinations(range(number), size))
    found = {places: least_set(stages, [parts[k] for k in places], space, merge=True) for places in sets}
    return {places: priced.total_pct for places, priced in found.items() if priced is not None}


def pricer_of(fleet, space):
    stages = Stages(fleet.network)
    types = types_of(fleet, stages)
    return Pricer(types, tables_of(types, stages, space))


@pytest.mark.parametrize("changes", [{}, {"max_members": 2}, {"max_instances": 2}], ids=str)
@pytest.mark.parametrize("seed", range(100))
def test_pricing_finds_the_largest_gain_of_all_sets(seed, changes):
    fleet, space = even(small_fleet(seed)), FragmentSpace(**changes)
    pricer, rng = pricer_of(fleet, space), random.Random(seed)
    kinds = {k: kind for kind, own in enumerate(pricer.types.members) for k in own}
    prices = np.array([rng.randrange(150 * UNIT) for _ in pricer.types.members], dtype=np.int64)
    gains = [
        sum(int(prices[kinds[k]]) for k in places) - share * UNIT
        for places, share in shares_of_all_sets(fleet, space).items()
    ]
    bound, found = pricer.price(prices)
    worth = [sum(k * int(prices[kind]) for kind, k in column) - share * UNIT for column, share in found]
    assert max([0, *worth]) == max([0, *gains])
    assert bound <= sum(int(k) * int(price) for k, price in zip(pricer.types.counts, prices, strict=True))


@pytest.mark.parametrize("changes", [{}, {"max_members": 2}, {"max_instances": 2}], ids=str)
@pytest.mark.parametrize("seed", range(100))
def test_the_sets_within_a_slack_are_those_of_the_enumeration(seed, changes):
    fleet, space = even(small_fleet(seed)), FragmentSpace(**changes)
    pricer, rng = pricer_of(fleet, space), random.Random(seed)
    kinds = {k: kind for kind, own in enumerate(pricer.types.members) for k in own}
    prices = np.array([rng.randrange(60 * UNIT) for _ in pricer.types.members], dtype=np.int64)
    slack = rng.randrange(60 * UNIT)
    expected = {}
    for places, share in shares_of_all_sets(fleet, space).items():
        own = [kinds[k] for k in places]
        if share * UNIT - sum(int(prices[kind]) for kind in own) <= slack:
            expected[tuple((kind, own.count(kind)) for kind in sorted(set(own)))] = share
    assert sets_within(pricer, prices, slack, math.inf) == expected


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(200))
def test_columns_find_what_the_enumeration_finds(seed, changes):
    space = FragmentSpace(**changes)
    for fleet in (small_fleet(seed), even(small_fleet(seed))):
        best, found = solve(fleet, "fragments-bruteforce", space=space), solve(fleet, "fragment-columns", space=space)
        if best.status is not Status.INAPPLICABLE:
            assert (found.status, found.value) == (best.status, best.value)


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("seed", range(6))
def test_columns_find_what_set_partitioning_finds(seed, most):
    fleet, space = random_fleet(seed, 10, 6), FragmentSpace(max_members=most)
    best, found = solve(fleet, "set-partition", space=space), solve(fleet, "fragment-columns", space=space)
    assert (found.status, found.value) == (Status.OPTIMAL, best.value)


@pytest.mark.parametrize("seed", range(2))
def test_twenty_five_fragments_are_proven(seed):
    found = solve(random_fleet(seed, 25, 8), "fragment-columns", time_limit_s=30)
    assert found.status is Status.OPTIMAL
    assert found.value <= solve(random_fleet(seed, 25, 8), "graft").value


def test_a_late_fragment_proves_that_there_is_no_plan():
    fleet = random_fleet(0, 6, 4)
    late = replace(fleet.fragments[2], budget_s="0.0001")
    found = solve(Fleet("late", fleet.network, [*fleet.fragments[:2], late, *fleet.fragments[3:]]), "fragment-columns")
    assert found.status is Status.INFEASIBLE


def test_the_time_limit_is_kept_with_a_plan_and_a_bound():
    found = solve(random_fleet(1, 50, 8), "fragment-columns", time_limit_s=1.5)
    assert found.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert found.bound is not None
    assert found.bound <= found.value
    assert found.wall_s < 10
