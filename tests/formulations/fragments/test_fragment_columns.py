import math
import os
import random
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from formulations.fragments.columns.proof import sets_within
from formulations.fragments.columns.relaxation import Pricer
from formulations.fragments.columns.tables import UNIT, tables_of
from formulations.fragments.columns.types import types_of

SEEDS = range(min(100, int(os.environ.get("EUCLIO_ORACLE", "25"))))
LIMITS = ({}, {"max_members": 2}, {"max_instances": 2})


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


@pytest.mark.parametrize("changes", LIMITS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_pricing_finds_the_largest_gain_of_all_sets(seed, changes):
    """Column generation ends with a bound only if no set gains more than pricing says."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
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


@pytest.mark.parametrize("changes", LIMITS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_numbers_within_a_slack_are_those_of_the_enumeration(seed, changes):
    """The proof at the end lists all sets within a slack; one that is missed may be the best."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    pricer, rng = pricer_of(fleet, space), random.Random(seed)
    kinds = {k: kind for kind, own in enumerate(pricer.types.members) for k in own}
    prices = np.array([rng.randrange(60 * UNIT) for _ in pricer.types.members], dtype=np.int64)
    slack = rng.randrange(60 * UNIT)
    expected = set()
    known = sorted(set(zip(pricer.types.begin.tolist(), pricer.types.weights.tolist(), strict=True)))
    for places, share in shares_of_all_sets(fleet, space).items():
        own = [kinds[k] for k in places]
        if share * UNIT - sum(int(prices[kind]) for kind in own) <= slack:
            classes = [(int(pricer.types.begin[kind]), int(pricer.types.weights[kind])) for kind in own]
            numbers = tuple(map(classes.count, known))
            expected.add((min(int(pricer.types.limit[kind]) for kind in own), numbers, share * UNIT))
    sets = sets_within(pricer, prices, slack, math.inf)
    limits = np.repeat(pricer.limits, np.diff(sets.start)).tolist()
    listed = zip(limits, map(tuple, sets.numbers.tolist()), sets.share.tolist(), strict=True)
    # A number of fragments that all have more time is listed for less of it too, which no path then takes.
    assert expected <= set(listed)


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("seed", range(6))
def test_columns_find_what_set_partitioning_finds(seed, most):
    """With and without a limit on members, against a model over all sets."""
    fleet, space = random_fleet(seed, 10, 6), FragmentSpace(max_members=most)
    best, found = solve(fleet, "set-partition", space=space), solve(fleet, "fragment-columns", space=space)
    assert (found.status, found.value) == (Status.OPTIMAL, best.value)


@pytest.mark.parametrize("seed", range(4))
def test_sets_of_more_members_than_allowed_are_not_read_as_a_higher_rate(seed):
    """Of sets of at most two, one of the fifth rate serves a unit more than four of the first do."""
    fleet = random_fleet(seed, 6, 4)
    fragments = [replace(own, rate_rps=5 if k else 25) for k, own in enumerate(fleet.fragments)]
    pricer = pricer_of(Fleet("rates", fleet.network, fragments), FragmentSpace(max_members=2))
    prices = np.full(len(pricer.types.members), 100 * UNIT, dtype=np.int64)
    _, found = pricer.price(prices)
    assert max(sum(number for _, number in column) for column, _ in found) == 2
    sets = sets_within(pricer, prices, 0, math.inf)
    assert sets.numbers.sum(axis=1).max() == 2


@pytest.mark.parametrize("seed", range(2))
def test_twenty_five_fragments_are_proven(seed):
    """More than can be listed: the proof closes, and the published heuristic is not below it."""
    found = solve(random_fleet(seed, 25, 8), "fragment-columns", time_limit_s=30)
    assert found.status is Status.OPTIMAL
    assert found.value <= solve(random_fleet(seed, 25, 8), "graft").value


def test_a_late_fragment_proves_that_there_is_no_plan():
    fleet = random_fleet(0, 6, 4)
    late = replace(fleet.fragments[2], budget_s="0.0001")
    found = solve(Fleet("late", fleet.network, [*fleet.fragments[:2], late, *fleet.fragments[3:]]), "fragment-columns")
    assert found.status is Status.INFEASIBLE


@pytest.mark.slow
def test_the_time_limit_is_kept_with_a_plan_and_a_bound():
    """Processor time, as other tests of the machine are no fault of the solver's."""
    begun = time.process_time()
    found = solve(random_fleet(1, 50, 8), "fragment-columns", time_limit_s=1.5)
    assert time.process_time() - begun < 4
    assert found.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert found.bound is not None
    assert found.bound <= found.value


def spread(model, number):
    """Fragments that begin at each layer in turn, at most 17 layers, with one to three times the time they need."""
    network = find_model(model).network
    rng = random.Random(model)
    fragments = []
    for k in range(number):
        begin = k % min(network.layers, 17)
        needs = network.latency_s(begin, network.layers, 1, 60)
        fragments.append(Fragment(f"c{k}", begin, needs * rng.randint(20, 60) / 10, 30))
    return Fleet(f"spread {model}", network, fragments)


@pytest.mark.fifth("model")
@pytest.mark.parametrize("model", ["inc", "mob"])
def test_seventeen_partition_points_are_proven(model):
    found = solve(spread(model, 17), "fragment-columns", space=FragmentSpace(max_members=4))
    assert found.status is Status.OPTIMAL
    assert found.value <= solve(spread(model, 17), "graft").value


def test_a_few_of_many_partition_points_are_those_of_set_partitioning():
    fleet = spread("mob", 9)
    best = solve(fleet, "set-partition", space=FragmentSpace(max_members=3))
    found = solve(fleet, "fragment-columns", space=FragmentSpace(max_members=3))
    assert (found.status, found.value) == (Status.OPTIMAL, best.value)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_different_rates_are_proven(seed):
    """Rates that differ make sets of the same size differ; against a model over all sets."""
    drawn, rng = random_fleet(seed, 12, 6), random.Random(seed)
    fragments = [replace(own, rate_rps=rng.choice((10, 15, 30))) for own in drawn.fragments]
    fleet, space = Fleet("rates", drawn.network, fragments), FragmentSpace(max_members=4)
    best, found = solve(fleet, "set-partition", space=space), solve(fleet, "fragment-columns", space=space)
    assert (found.status, found.value) == (Status.OPTIMAL, best.value)


RATES = {"primes": (7, 11, 13, 17, 19, 23, 29, 31), "far apart": ("1e-6", 30, "1e5", "123.456789")}


@pytest.mark.fifth("changes")
@pytest.mark.parametrize("changes", [{}, {"budgets": "own"}, {"sharing": "uniform"}, {"sharing": "alone"}], ids=str)
@pytest.mark.parametrize("rates", RATES)
def test_any_fleet_gets_a_plan_and_a_bound(rates, changes):
    drawn, space = random_fleet(0, 40, 5), FragmentSpace(**changes)
    fragments = [
        replace(own, budget_s=drawn.fragments[k % 3].budget_s, rate_rps=Fraction(RATES[rates][k % len(RATES[rates])]))
        for k, own in enumerate(drawn.fragments)
        if own.partition_point >= drawn.fragments[k % 3].partition_point
    ]
    fleet = Fleet("rates", drawn.network, fragments)
    found = solve(fleet, "fragment-columns", space=space, time_limit_s=3)
    assert found.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert 0 < found.bound <= found.value
    if "sharing" in changes:
        best = solve(fleet, "gslice" if changes["sharing"] == "alone" else "gslice+")
        assert found.value <= best.value


def test_many_uniform_fragments_are_divided_exactly():
    drawn = random_fleet(0, 1, 4)
    fragments = [replace(drawn.fragments[0], name=f"c{k}") for k in range(300)]
    found = solve(Fleet("alike", drawn.network, fragments), "fragment-columns", space=FragmentSpace(sharing="uniform"))
    assert found.status is Status.OPTIMAL
