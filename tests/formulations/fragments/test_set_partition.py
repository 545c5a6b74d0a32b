import math
import random

import numpy as np
import pytest

from bruteforce.fragments.enumeration import divisions
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.workloads.fragments.random_fleets import random_fleet
from formulations.fragments import set_partition as closing
from formulations.fragments.set_partition import best_partition


def drawn(seed, most=60):
    """Sets of six elements with their shares, the single ones among them."""
    rng = random.Random(seed)
    number = 6
    sets = {(k,): rng.randrange(5, most) for k in range(number)}
    for _ in range(rng.randrange(30)):
        sets[tuple(sorted(rng.sample(range(number), rng.randint(2, 4))))] = rng.randrange(5, most)
    holds = np.array([[k in places for k in range(number)] for places in sets])
    return sets, holds


def least(sets):
    return min(
        sum(sets[places] for places in division)
        for division in divisions(tuple(range(6)))
        if all(places in sets for places in division)
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_best_partition_is_that_of_the_enumeration(seed):
    """The closing search over given sets alone, against all divisions of six elements."""
    sets, holds = drawn(seed)
    found = best_partition(holds, list(sets.values()), None, math.inf)
    assert found.proven
    assert found.share_pct == found.bound_pct == least(sets)
    assert (holds[list(found.chosen)].sum(axis=0) == 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_shares_beyond_64_bits_are_added_up_exactly(seed):
    """Engines compute in floats, the claim in integers."""
    sets, holds = drawn(seed)
    large = {places: 10**19 + share for places, share in sets.items()}
    assert best_partition(holds, list(large.values()), None, math.inf).share_pct == least(large)


@pytest.mark.parametrize("seed", range(20))
def test_prices_that_gain_are_lowered_until_they_bound(seed, monkeypatch):
    """Wrong duals of an engine cost time, never the proof."""
    sets, holds = drawn(seed)

    class Wrong(closing.Linear):
        def solve(self, cost):
            found = super().solve(cost)
            return found and type(found)(found.values, found.duals * 1.3 + 2)

    monkeypatch.setattr(closing, "Linear", Wrong)
    assert best_partition(holds, list(sets.values()), None, math.inf).share_pct == least(sets)


def test_what_is_not_searched_to_its_end_is_not_proven(monkeypatch):
    sets, holds = next(
        own for own in map(drawn, range(100)) if best_partition(own[1], [*own[0].values()], None, math.inf).nodes > 3
    )
    monkeypatch.setattr(closing, "MOST_NODES", 1)
    start = list(range(6))
    found = best_partition(holds, list(sets.values()), start, math.inf)
    assert not found.proven
    assert found.bound_pct <= least(sets) <= found.share_pct


@pytest.mark.parametrize("seed", range(3))
def test_no_heuristic_is_better_than_the_optimum_of_eight_fragments(seed):
    """Two engines name one optimum, and published systems stay above it."""
    fleet = random_fleet(seed, 8, 6)
    best = solve(fleet, "set-partition")
    assert best.status is Status.OPTIMAL
    assert solve(fleet, "set-partition-cpsat").value == best.value
    for name in ("graft", "graft:uniform", "gslice+", "gslice"):
        assert solve(fleet, name).value >= best.value


@pytest.mark.parametrize("name", ["set-partition", "set-partition-cpsat"])
def test_too_many_sets_are_inapplicable(name):
    assert solve(random_fleet(0, 40, 4), name).status is Status.INAPPLICABLE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["set-partition", "set-partition-cpsat"])
def test_the_time_limit_is_kept(name):
    result = solve(random_fleet(0, 14, 8), name, time_limit_s=0.2)
    assert result.status is Status.UNKNOWN
    assert result.wall_s < 1
