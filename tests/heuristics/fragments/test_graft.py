from dataclasses import replace

import numpy as np
import pytest
from tiny_fleets import SPACES, tiny_fleet

from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace
from euclio.problems.fragments.realigned import part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet
from heuristics.fragments.graft import Edges, Merging, groups_of, margin, merged, properties, realign, uniform_groups
from heuristics.fragments.systems import VARIANTS


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_graft_has_a_plan_where_there_is_one_and_none_that_is_better_than_the_best(name, changes, seed):
    """Against the enumeration: a lower share would be a fragment left out."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    best, found = solve(fleet, "fragments-bruteforce", space=space), solve(fleet, name, space=space)
    assert (found.value is None) == (best.value is None)
    assert found.value is None or found.value >= best.value


def test_graft_realigns_the_tiny_fleet():
    # Alone each takes 50 %; realigned at layer 1, a's first layer and batches of 2 for all take 50 % each.
    assert solve(tiny_fleet(), "gslice").value == 150
    assert solve(tiny_fleet(), "graft").value == 100


def test_the_margin_is_what_is_left_over():
    # a: half a GPU serves 100 requests per second of two layers in batches of 2, and has to serve 50.
    fleet = tiny_fleet()
    assert margin(Stages(fleet.network), part_of(fleet, [0]), None) == 1


@pytest.mark.parametrize("threshold", [0.01, 0.2, 1.0])
def test_a_part_is_closed_at_the_threshold(threshold):
    fleet = random_fleet(3, 200, 5)
    twins = [
        replace(f, budget_s=fleet.fragments[k % 5].budget_s, partition_point=1) for k, f in enumerate(fleet.fragments)
    ]
    fleet = replace(fleet, fragments=tuple(twins))
    stages = Stages(fleet.network)
    parts = merged(fleet, stages, FragmentSpace(), Merging.THRESHOLD, threshold)
    last = {group[-1] for group in uniform_groups(fleet)}
    for part in parts:
        if not last & set(part.fragments):
            assert margin(stages, part, None) <= threshold
        for size in range(1, len(part.fragments)):
            assert margin(stages, part_of(fleet, part.fragments[:size]), None) > threshold


def test_merging_strategies_keep_every_fragment():
    fleet = random_fleet(0, 150, 5)
    stages = Stages(fleet.network)
    for merging in Merging:
        parts = merged(fleet, stages, FragmentSpace(), merging, 0.2)
        assert sorted(k for part in parts for k in part.fragments) == list(range(150))
    assert len(merged(fleet, stages, FragmentSpace(), Merging.UNIFORM, 0.2)) == len(uniform_groups(fleet))


@pytest.mark.parametrize("size", [1, 3, 5, 100])
def test_groups_hold_every_part_once_and_no_more_than_their_size(size):
    fleet = random_fleet(1, 43, 5)
    parts = [part_of(fleet, [k]) for k in range(43)]
    groups = groups_of(parts, size, (1.0, 1.0, 1.0), seed=7)
    assert sorted(k for group in groups for k in group) == list(range(43))
    assert max(map(len, groups)) <= size
    assert len(groups) == -(-43 // size)


def test_like_parts_are_grouped():
    # Two kinds of clients far apart, two groups: where the seeds are of one kind each, so are the groups.
    fleet = random_fleet(1, 10, 6)
    kinds = [
        replace(f, partition_point=5 * (k % 2), budget_s=f.budget_s + k % 2) for k, f in enumerate(fleet.fragments)
    ]
    parts = [part_of(replace(fleet, fragments=tuple(kinds)), [k]) for k in range(10)]
    seeds = [seed for seed in range(20) if sum(np.random.default_rng(seed).permutation(10)[:2] % 2) == 1]
    for seed in seeds:
        groups = groups_of(parts, 5, (1.0, 1.0, 1.0), seed)
        assert all(len({k % 2 for k in group}) == 1 for group in groups)


def test_properties_are_scaled_to_their_range():
    fleet = random_fleet(0, 30, 5)
    scaled = properties([part_of(fleet, [k]) for k in range(30)], (1.0, 2.0, 1.0))
    assert scaled.min(axis=0).tolist() == [0, 0, 0]
    assert scaled.max(axis=0).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", range(10))
def test_realigning_is_never_worse_than_serving_alone(seed):
    """Alone is one of the ways that realigning tries."""
    fleet = random_fleet(seed, 5, 6)
    parts, stages = [part_of(fleet, [k]) for k in range(5)], Stages(fleet.network)
    found = realign(stages, parts, FragmentSpace())
    assert found is not None
    assert found[0] <= solve(fleet, "gslice").value
    assert sorted(k for priced in found[1] for k in priced.plan.fragments) == list(range(5))


def test_the_same_seed_gives_the_same_plan():
    fleet = random_fleet(0, 60, 8)
    assert solve(fleet, "graft", seed=3).plan == solve(fleet, "graft", seed=3).plan


@pytest.mark.slow
def test_fifty_fragments_take_a_second_at_most_and_a_thousand_ten():
    for fragments, limit in ((50, 1), (1000, 10)):
        result = solve(random_fleet(0, fragments, 17), "graft")
        assert result.value is not None
        assert result.wall_s < limit


def test_literal_edges_put_distant_parts_together():
    network = tiny_fleet().network
    budgets = ["0.1", "0.101", "0.5", "0.501"]
    fleet = Fleet("apart", network, [Fragment(f"{k}", 0, budget, 10) for k, budget in enumerate(budgets)])
    parts = [part_of(fleet, [k]) for k in range(4)]
    # The seed begins groups with a part of each kind, or with two of one kind: those with one of each tell.
    for seed in range(20):
        alike = groups_of(parts, 2, (1.0, 1.0, 1.0), seed)
        apart = groups_of(parts, 2, (1.0, 1.0, 1.0), seed, Edges.DISTANCE)
        if any({0, 1} == set(group) for group in alike):
            assert not any({0, 1} == set(group) for group in apart)
            break
    else:
        raise AssertionError("no seed begins groups with parts of both kinds")
