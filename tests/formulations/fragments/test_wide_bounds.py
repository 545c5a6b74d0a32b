"""The bound for thousands of fragments, held against enumeration, against pricing of few types, and on large fleets."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from test_fragment_columns import pricer_of, shares_of_all_sets

from euclio.core.registry import Limits
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace, Network
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.clients import fleets_of
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from formulations.fragments.columns.gains import wide_tables
from formulations.fragments.columns.relaxation import relaxed
from formulations.fragments.columns.tables import UNIT
from formulations.fragments.columns.types import types_of
from formulations.fragments.columns.wide import WidePricing, fluid_bound_pct, solve_wide, wide_bound
from heuristics.fragments.regrouping import REACH
from heuristics.fragments.regrouping_tables import queues_of
from tests.drawn.fleets import limited_fleet

SPACES = ({}, {"max_members": 2}, {"max_instances": 2})


def even(fleet):
    """The fleet with the first fragment's rate for all."""
    rate = fleet.fragments[0].rate_rps
    return Fleet(fleet.name, fleet.network, [replace(own, rate_rps=rate) for own in fleet.fragments])


def pricing_of(fleet, space, width):
    """Queues and pricing of a fleet, with tables up to so many fragments of a stage."""
    stages = Stages(fleet.network)
    queues = queues_of(fleet, stages, range(len(fleet.fragments)), REACH)
    tables = wide_tables(types_of(fleet, stages), stages, space, width)
    return queues, WidePricing(queues, tables, space.max_members or len(fleet.fragments))


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(60))
def test_no_set_gains_more_than_pricing_says(seed, changes):
    """The bound of large fleets rests on this inequality alone."""
    fleet, space, rng = even(small_fleet(seed)), FragmentSpace(**changes), random.Random(seed)
    queues, pricing = pricing_of(fleet, space, 250)
    price = np.zeros(len(queues.places))
    for first, end in zip(queues.starts[:-1], queues.starts[1:], strict=True):
        price[first:end] = sorted((rng.uniform(0, 150) for _ in range(first, end)), reverse=True)
    units = np.floor(price * UNIT).astype(np.int64)
    of = {int(place): int(worth) for place, worth in zip(queues.places, units, strict=True)}
    stages = Stages(fleet.network)
    limit = [stages.execution_ticks(fragment.budget_s) for fragment in fleet.fragments]
    best = dict.fromkeys(sorted(set(limit)), 0)
    for places, share in shares_of_all_sets(fleet, space).items():
        own = min(limit[k] for k in places)
        # Sets of looser fragments count for tighter limits as well: they have those budgets too.
        for least in (at for at in best if at <= own):
            best[least] = max(best[least], sum(of[k] for k in places) - share * UNIT)
    gains = pricing.gains(units)[0]
    alone = [least_set(stages, [part_of(fleet, [k])], space, merge=True) for k in range(len(fleet.fragments))]
    if None not in alone:
        for gain, own in zip(gains.tolist(), best.values(), strict=True):
            assert gain <= own
        assert max(gains.tolist()) == max(best.values())
    narrow = pricing_of(fleet, space, 1)[1].gains(units)[0]
    assert (narrow >= gains).all()


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(60))
def test_bound_and_plan_of_many_fragments_keep_memory(seed, changes):
    """Ranges that no share holds have no rows in the tables; the optimum, by enumeration, lies between both."""
    fleet, space = limited_fleet(seed, one_rate=True), FragmentSpace(**changes)
    best = solve(fleet, "fragments-bruteforce", space=space).value
    if best is not None:
        found = solve_wide(fleet, Stages(fleet.network), space, Limits())
        assert found.bound <= best <= found.claimed


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_that_of_the_linear_program_over_types(seed, changes):
    """The quick bound is never above an engine's linear program, and less than 0.1 % of a GPU below it."""
    fleet, space = random_fleet(seed, 14, 6), FragmentSpace(**changes)
    stages = Stages(fleet.network)
    types = types_of(fleet, stages)
    found = [least_set(stages, [part_of(fleet, [own[0]])], space, merge=True) for own in types.members]
    if None in found:
        return
    alone = {((kind, 1),): priced.total_pct for kind, priced in enumerate(found)}
    exact = relaxed(pricer_of(fleet, space), alone, math.inf)
    queues = queues_of(fleet, stages, range(14), REACH)
    bound = wide_bound(types, queues, stages, space, [], math.inf)
    assert bound.bound_units / UNIT <= exact.value + 1e-6
    assert bound.bound_units / UNIT >= exact.bound_units / UNIT - 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "inc"])
def test_a_hundred_and_fifty_fragments_are_within_two_percent(name):
    fleet = random_fleet(0, 150, 8) if name == "random" else next(iter(fleets_of(find_model(name), 150, 0, 1, 0)))
    found = solve_wide(fleet, Stages(fleet.network), FragmentSpace(), Limits())
    assert found.bound <= found.claimed <= 1.02 * found.bound
    assert found.claimed <= solve(fleet, "graft").value


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"budgets": "own"}, {"max_instances": 5}, {}], ids=str)
def test_a_large_fleet_of_different_rates_has_a_plan_and_a_bound(changes):
    drawn, rng = random_fleet(2, 210, 6), random.Random(2)
    fleet = Fleet("rates", drawn.network, [replace(own, rate_rps=rng.choice((7, 10, 30))) for own in drawn.fragments])
    space = FragmentSpace(**changes)
    found = solve(fleet, "fragment-columns", space=space)
    assert found.status is Status.FEASIBLE
    assert found.bound <= found.value <= solve(fleet, "graft", space=space).value


def test_times_that_no_float_holds_leave_the_bound_of_the_least_share_per_request():
    # The time budget is that of the smaller share to the last digit; as a float it is below it.
    rows = [["0.10000000000000001", "0.09"]]
    network = Network("long", [1], [50, 100], [rows])
    fleet = Fleet("long", network, [Fragment(f"c{k}", 0, "0.20000000000000002", 5) for k in range(201)])
    found = solve_wide(fleet, Stages(network), FragmentSpace(max_members=1), Limits())
    assert found.bound == fluid_bound_pct(fleet) < found.claimed
