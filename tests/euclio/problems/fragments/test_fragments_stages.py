"""The least GPU share of stages and realigned sets, against plain arithmetic in fractions."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from bruteforce.fragments.enumeration import _FleetEnumeration
from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, FragmentSpace, Network, evaluate
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet

SPACES = {
    "all": FragmentSpace(),
    "own budgets": FragmentSpace(budgets="own"),
    "at most 2 instances": FragmentSpace(max_instances=2),
}


def with_long_numbers(fleet):
    """Latencies of 32 digits, so that nothing fits into 64 bits."""
    own = fleet.network
    rows = [
        [[x + Fraction(1 + i + k, 10**30) for k, x in enumerate(row)] for row in r]
        for i, r in enumerate(own.layer_latency_s)
    ]
    return replace(fleet, network=Network(own.name, own.batches, own.shares_pct, rows))


def plain_least(network, first, end, rate, time_s, most):
    found = []
    for batch in network.batches:
        for share in network.shares_pct:
            latency = network.latency_s(first, end, batch, share)
            instances = math.ceil(rate * latency / batch)
            if latency <= time_s and (most is None or instances <= most):
                found.append(share * instances)
    return min(found, default=None)


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("lengthen", [lambda fleet: fleet, with_long_numbers], ids=["64 bits", "long"])
def test_a_frontier_has_the_least_share_for_every_time(seed, most, lengthen):
    """Every solver takes shares from the frontier; a point that is missing would be missing in all."""
    fleet = lengthen(small_fleet(seed))
    network, stages = fleet.network, Stages(fleet.network)
    for first, end in combinations(range(network.layers + 1), 2):
        for rate in {fragment.rate_rps for fragment in fleet.fragments}:
            frontier = stages.frontier(first, end, rate, most)
            times = {network.latency_s(first, end, b, s) for b in network.batches for s in network.shares_pct}
            for time_s in times | {t - Fraction(1, 10**40) for t in times}:
                stage = frontier.stage(math.floor(time_s * stages.ticks_per_s))
                wanted = plain_least(network, first, end, rate, time_s, most)
                assert (None if stage is None else stage.total_pct) == wanted


def test_shares_in_steps_of_one_percent_are_exact():
    fleet = random_fleet(1, 4, 6)
    network, stages = fleet.network, Stages(fleet.network)
    for budget_ms in (3, 5, 8, 13, 40):
        stage = stages.frontier(2, 6, Fraction(100), None).stage(
            math.floor(Fraction(budget_ms, 1000) * stages.ticks_per_s)
        )
        wanted = plain_least(network, 2, 6, Fraction(100), Fraction(budget_ms, 1000), None)
        assert (None if stage is None else stage.total_pct) == wanted


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("lengthen", [lambda fleet: fleet, with_long_numbers], ids=["64 bits", "long"])
def test_the_least_set_is_that_of_the_enumeration(seed, space, lengthen):
    """The least share of one set of fragments, with batches and instances listed one by one."""
    fleet = lengthen(small_fleet(seed))
    enumeration, stages = _FleetEnumeration(fleet, space, math.inf), Stages(fleet.network)
    for size in range(1, len(fleet.fragments) + 1):
        for places in combinations(range(len(fleet.fragments)), size):
            wanted = enumeration._set(places)
            found = least_set(stages, [part_of(fleet, [k]) for k in places], space, merge=True)
            assert (found is None) == (wanted is None)
            if found is not None:
                assert found.total_pct == wanted[0]
                alone = replace(fleet, fragments=tuple(fleet.fragments[k] for k in places))
                assert priced_alone(alone, places, found, space) == found.total_pct


def priced_alone(fleet, places, found, space):
    """What the checker says of a set, in a fleet of its fragments alone."""
    order = {k: i for i, k in enumerate(places)}
    heads = tuple(replace(head, fragments=tuple(order[k] for k in head.fragments)) for head in found.plan.heads)
    checked = evaluate(fleet, FragmentPlan((replace(found.plan, heads=heads),)), space)
    assert checked.violations == ()
    return checked.value


@pytest.mark.parametrize("seed", range(10))
def test_parts_that_keep_their_own_heads_are_never_cheaper(seed):
    """Running the first layers apart only adds machines; a lower share would be a part left out."""
    fleet = small_fleet(seed)
    stages, parts = Stages(fleet.network), [part_of(fleet, [k]) for k in range(len(fleet.fragments))]
    merged = least_set(stages, parts, FragmentSpace(), merge=True)
    apart = least_set(stages, parts, FragmentSpace(), merge=False)
    if merged is not None and apart is not None:
        assert merged.total_pct <= apart.total_pct
    assert apart is None or merged is not None


def test_many_parts_of_one_rate_are_counted_not_listed():
    # 40 parts have 2^40 subsets, and 40 numbers of them.
    fleet = random_fleet(0, 40, 4)
    alike = replace(
        fleet, fragments=tuple(replace(f, partition_point=0, budget_s=Fraction(1)) for f in fleet.fragments)
    )
    parts = [part_of(alike, [k]) for k in range(40)]
    merged = least_set(Stages(alike.network), parts, FragmentSpace(), merge=True, points=[2])
    apart = least_set(Stages(alike.network), parts, FragmentSpace(), merge=False, points=[2])
    assert merged is not None
    assert apart is not None
    assert merged.total_pct <= apart.total_pct
    assert sorted(merged.plan.fragments) == list(range(40))


def test_a_set_may_have_more_parts_than_python_may_call_functions():
    network = Network("one", [1, 8], [10, 100], [[["0.008", "0.002"], ["0.02", "0.004"]]] * 2)
    fragments = [Fragment(f"c{k}", 0, "0.1", 30) for k in range(1500)]
    fleet = Fleet("many", network, fragments)
    found = least_set(Stages(network), [part_of(fleet, [k]) for k in range(1500)], FragmentSpace(), merge=True)
    assert found is not None
    assert evaluate(fleet, FragmentPlan((found.plan,)), FragmentSpace()).value == found.total_pct
