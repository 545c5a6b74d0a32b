"""The prover of fleets: bounds by duality against the dynamic program, and what is said where they show nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.solving import solve
from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentSpace, Network, Server, Sharing, evaluate
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.proving.fragments import certifying
from euclio.proving.fragments.certifying import bound_of_uniform, find_better
from euclio.proving.fragments.duality import bound_of
from euclio.proving.fragments.pricing import NEVER, UNIT, Costs, Pricing, TooLargeError
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from tests.drawn.fleets import limited_fleet

FULL = FragmentSpace()
SPACES = [FULL, FragmentSpace(max_members=2), FragmentSpace(max_instances=2)]


def alone(fleet: Fleet, space: FragmentSpace) -> list[int] | None:
    stages = Stages(fleet.network)
    found = [least_set(stages, [part_of(fleet, [k])], space, merge=True) for k in range(len(fleet.fragments))]
    return None if None in found else [own.total_pct for own in found]


def of_whole_rates(fleet: Fleet) -> Fleet:
    fragments = [
        Fragment(f.name, f.partition_point, f.budget_s, max(5, round(f.rate_rps / 5) * 5)) for f in fleet.fragments
    ]
    return Fleet(fleet.name, fleet.network, fragments)


def of_one_rate(fleet: Fleet) -> Fleet:
    fragments = [Fragment(f.name, f.partition_point, f.budget_s, 20) for f in fleet.fragments]
    return Fleet(fleet.name, fleet.network, fragments)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_at_most_the_optimum(seed, space):
    """A bound above the optimum would certify a plan that is not the best."""
    fleet = of_whole_rates(small_fleet(seed))
    best = solve(fleet, "set-partition", space=space)
    shares = alone(fleet, space)
    assert (shares is None) == (best.plan is None)
    if shares is not None:
        found = bound_of(fleet, space, shares, Fraction(10**9), math.inf)
        assert found.ended
        assert found.share_pct <= best.value


@pytest.mark.parametrize("space", [*SPACES, FragmentSpace(sharing="uniform")])
@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_at_most_the_optimum_within_memory(seed, space):
    """Where it forgot memory it would still be a bound, where it kept too much of it none."""
    fleet = of_whole_rates(limited_fleet(seed))
    shares, best = alone(fleet, space), solve(fleet, "set-partition", space=space)
    assert (shares is None) == (best.plan is None)
    if shares is not None:
        uniform = space.sharing is Sharing.UNIFORM
        found = bound_of_uniform(fleet, space) if uniform else bound_of(fleet, space, shares, Fraction(10**9), math.inf)
        assert found.share_pct <= best.value


def test_the_bound_of_many_fragments_knows_of_memory():
    """A process and a layer take 60 of 200 MB, so that every instance has at least 30 % of a GPU."""
    fleet = random_fleet(0, 10, 4)
    network = replace(fleet.network, layer_memory_mb=[10] * 4, instance_memory_mb=50, server=Server(200))
    limited = replace(fleet, network=network)
    free, bound = (bound_of(own, FULL, alone(own, FULL), Fraction(10**9), math.inf) for own in (fleet, limited))
    best = solve(limited, "fragment-columns").value
    assert free.share_pct < bound.share_pct <= best
    assert find_better(limited, FULL, Fraction(bound.share_pct), math.inf).exhausted


@pytest.mark.parametrize("seed", range(12))
def test_a_set_gains_what_the_pricing_says_at_one_rate(seed):
    """No subset gains more than the gain of its least limit, and one gains as much."""
    fleet = of_one_rate(small_fleet(seed))
    pricing = Pricing(fleet, FULL)
    prices = solve_prices(fleet, seed)
    gains, columns = pricing.gains(prices)
    stages, largest = Stages(fleet.network), dict.fromkeys(pricing.limits, 0)
    for mask in range(1, 1 << len(fleet.fragments)):
        places = [k for k in range(len(fleet.fragments)) if mask >> k & 1]
        own = least_set(stages, [part_of(fleet, [k]) for k in places], FULL, merge=True)
        if own is not None:
            gain = int(prices[places].sum()) - own.total_pct * UNIT
            limit = min(pricing.costs.limits[k] for k in places)
            largest[limit] = max(largest[limit], gain)
    # Sets whose fragments all have more time count for a limit too.
    assert all(gain >= 0 for gain in gains)
    for limit, gain in zip(pricing.limits, gains, strict=True):
        assert gain >= largest[limit]
        assert gain <= max([0, *(largest[other] for other in pricing.limits if other >= limit)])
    for column in columns:
        own = least_set(stages, [part_of(fleet, [k]) for k in column.fragments], FULL, merge=True)
        assert own is not None
        assert own.total_pct <= column.share_pct


def solve_prices(fleet: Fleet, seed: int):
    import numpy as np

    shares = alone(fleet, FULL) or [50] * len(fleet.fragments)
    factors = np.random.default_rng(seed).uniform(0.4, 1.1, len(shares))
    return np.floor(np.array(shares) * factors * UNIT).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_it_certifies_a_claim_of_many_fragments_and_no_more(seed):
    """The claim of the bound itself passes; one of a percent more is neither proven nor refuted."""
    fleet = random_fleet(seed, 16, 6)
    best = solve(fleet, "fragment-columns")
    bound = bound_of(fleet, FULL, alone(fleet, FULL), Fraction(10**9), math.inf).share_pct
    assert find_better(fleet, FULL, Fraction(bound), math.inf).exhausted
    more = find_better(fleet, FULL, Fraction(best.value) + 1, math.inf)
    assert not more.exhausted
    assert more.plan is None
    assert f"less than {bound} %" in more.reason


def test_a_claim_that_fragments_by_themselves_refute_is_refuted():
    fleet = random_fleet(0, 14, 5)
    apart = sum(alone(fleet, FULL))
    found = find_better(fleet, FULL, Fraction(apart + 1), math.inf)
    assert evaluate(fleet, found.plan, FULL).value == apart


def test_a_fleet_without_a_plan_is_proven_to_have_none():
    fleet = random_fleet(0, 14, 5)
    late = [Fragment(f.name, f.partition_point, Fraction(1, 10**6), f.rate_rps) for f in fleet.fragments[:1]]
    assert find_better(Fleet("late", fleet.network, [*late, *fleet.fragments[1:]]), FULL, None, math.inf).exhausted


@pytest.mark.parametrize("seed", range(30))
def test_uniform_groups_are_proven_one_by_one(seed, monkeypatch):
    """Groups are bounded apart from each other, and of one rate the sum is the optimum itself."""
    fleet, space = of_whole_rates(small_fleet(seed)), FragmentSpace(Sharing.UNIFORM)
    best = solve(fleet, "set-partition", space=space)
    if best.plan is None:
        return
    assert bound_of_uniform(fleet, space).share_pct <= best.value
    same = of_one_rate(fleet)
    one = solve(same, "set-partition", space=space)
    if one.plan is not None:
        assert bound_of_uniform(same, space).share_pct == one.value
        monkeypatch.setattr(certifying, "FEW_FRAGMENTS", 0)
        monkeypatch.setattr(certifying, "MOST_FRAGMENTS", 0)
        assert find_better(same, space, Fraction(one.value), math.inf).exhausted


def test_fragments_that_may_not_share_are_proven_by_themselves():
    fleet, space = random_fleet(3, 30, 5), FragmentSpace(Sharing.ALONE)
    apart = Fraction(solve(fleet, "gslice").value)
    assert find_better(fleet, space, apart, math.inf).exhausted
    assert find_better(fleet, space, apart + 1, math.inf).plan is not None


def test_what_it_cannot_do_is_said_in_one_line():
    fleet = random_fleet(0, 14, 5)
    own = find_better(fleet, FragmentSpace(budgets=Budgets.OWN), Fraction(1), math.inf)
    assert (own.exhausted, own.reason) == (False, "with time budgets of their own the prover takes at most 12")
    late = find_better(fleet, FULL, Fraction(1000), -math.inf)
    assert late.reason == "the time limit was reached"


def test_numbers_that_do_not_fit_are_refused():
    fleet = random_fleet(0, 3, 3)
    rates = [Fraction(1), Fraction(1, 99991), Fraction(7)]
    fragments = [
        Fragment(f.name, f.partition_point, f.budget_s, q) for f, q in zip(fleet.fragments, rates, strict=True)
    ]
    with pytest.raises(TooLargeError):
        Pricing(Fleet("odd", fleet.network, fragments), FULL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_and_the_dynamic_program_agree_where_both_can(seed, monkeypatch):
    """The prover changes its method with the number of fragments; on the border both say the same."""
    fleet = random_fleet(seed, 8, 5)
    value = Fraction(solve(fleet, "set-partition").value)
    assert find_better(fleet, FULL, value, math.inf).exhausted
    better = find_better(fleet, FULL, value + 1, math.inf)
    assert evaluate(fleet, better.plan, FULL).value <= value
    monkeypatch.setattr(certifying, "FEW_FRAGMENTS", 12)
    assert find_better(fleet, FULL, value, math.inf).exhausted


def test_a_share_beyond_64_bits_is_never_enough():
    """A million requests per second of 10^11 s each, seven times, on 100 %: 7·10^19 %, where 2^63 is 9.2·10^18."""
    network = Network("far", [1], [1, 100], [[["1e11", "1e11"]]])
    fleet = Fleet("far", network, [Fragment(f"f{k}", 0, "1e12", "1e6") for k in range(7)])
    assert Costs(fleet, FULL).stages(0, 1, 7).share_pct.tolist() == [[0, *[NEVER] * 7]]
