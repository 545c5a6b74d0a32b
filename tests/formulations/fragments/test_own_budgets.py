"""Pricing with own time budgets against the least share of every set."""

import math
import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from euclio.core.errors import InapplicableError
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, FragmentSpace
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from formulations.fragments.candidates import TimeUpError
from formulations.fragments.columns.own_budgets import OwnPricer
from formulations.fragments.columns.tables import UNIT, tables_of
from formulations.fragments.columns.types import types_of


def even(fleet):
    rate = fleet.fragments[0].rate_rps
    return Fleet(fleet.name, fleet.network, [replace(fragment, rate_rps=rate) for fragment in fleet.fragments])


def pricer_of(fleet, space):
    stages = Stages(fleet.network)
    types = types_of(fleet, stages)
    return OwnPricer(types, tables_of(types, stages, space))


@pytest.mark.parametrize("changes", [{}, {"max_members": 2}, {"max_instances": 2}], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_pricing_finds_the_largest_gain_of_all_sets(seed, changes):
    """Members with budgets of their own are cut apart or merged; pricing tries every way."""
    fleet, space = even(small_fleet(seed)), FragmentSpace(budgets="own", **changes)
    pricer, rng = pricer_of(fleet, space), random.Random(seed)
    kinds = {k: kind for kind, own in enumerate(pricer.types.members) for k in own}
    prices = np.array([rng.randrange(150 * UNIT) for _ in kinds], dtype=np.int64)[: len(pricer.types.members)]
    stages, places = Stages(fleet.network), range(len(fleet.fragments))
    gains = [0]
    for size in range(1, (space.max_members or len(places)) + 1):
        for own in combinations(places, size):
            found = least_set(stages, [part_of(fleet, [k]) for k in own], space, merge=True)
            if found is not None:
                gains.append(sum(int(prices[kinds[k]]) for k in own) - found.total_pct * UNIT)
    _, columns = pricer.price(prices)
    worth = [sum(k * int(prices[kind]) for kind, k in column) - share * UNIT for column, share in columns]
    assert max([0, *worth]) == max(gains)


def test_different_rates_are_refused():
    fleet = random_fleet(0, 3, 3)
    uneven = Fleet("rates", fleet.network, [replace(fleet.fragments[0], rate_rps=10), *fleet.fragments[1:]])
    with pytest.raises(InapplicableError, match="one rate"):
        pricer_of(uneven, FragmentSpace(budgets="own"))


def test_the_deadline_is_kept():
    pricer = pricer_of(random_fleet(0, 10, 4), FragmentSpace(budgets="own"))
    with pytest.raises(TimeUpError):
        pricer.price(np.full(len(pricer.types.members), 100 * UNIT, dtype=np.int64), -math.inf)


@pytest.mark.compiled
def test_many_fragments_get_a_plan_no_worse_than_with_least_budgets_and_a_bound():
    fleet = random_fleet(0, 20, 6)
    own = solve(fleet, "fragment-columns", space=FragmentSpace(budgets="own"))
    least = solve(fleet, "fragment-columns")
    assert least.status is Status.OPTIMAL
    assert 0.9 * float(own.value) <= own.bound <= own.value <= least.value
