"""Switches between plans by hand; the fleet is that of `tiny_fleets`, whose layers take 10 ms on half a GPU."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tiny_fleets import tiny_fleet

from euclio.core.errors import InputError
from euclio.problems.fragments import FragmentPlan, Head, Network, RealignedSet, Stage
from euclio.serving.fragments import switch

HALF = Stage(1, 50, 1)
ALONE = FragmentPlan(
    (RealignedSet(0, HALF, (Head((0,)),)), RealignedSet(1, HALF, (Head((1,)),)), RealignedSet(1, HALF, (Head((2,)),)))
)
ALIGNED = FragmentPlan((RealignedSet(1, Stage(2, 50, 1), (Head((1, 2)), Head((0,), HALF))),))


def switched(old, new, start_s="0.5"):
    return switch(tiny_fleet(), old, tiny_fleet(), new, start_s=start_s)


def test_an_instance_of_the_same_layers_and_share_stays():
    """Of layers 0-1, 1, 1 only one of layer 1 stays, whose batch grows to 2; layer 0 is new. Layers 0-1 take 20 ms."""
    found = switched(ALONE, ALIGNED)
    assert (found.kept, found.started, found.ended) == (1, 1, 2)
    assert (found.before_pct, found.after_pct, found.shadow_pct, found.ending_pct) == (150, 100, 50, 100)
    assert found.most_pct == 200
    assert (found.start_s, found.drain_s, found.seconds) == (Fraction(1, 2), Fraction(4, 100), Fraction(54, 100))
    assert found.extra_pct_s == 50 * Fraction(1, 2) + 100 * Fraction(4, 100)


def test_back_again():
    found = switched(ALIGNED, ALONE)
    assert (found.kept, found.started, found.ended) == (1, 2, 1)
    assert (found.before_pct, found.after_pct, found.most_pct) == (100, 150, 200)
    # Of the old set, own stage and shared stage together take 20 ms, twice that with waiting.
    assert found.drain_s == Fraction(4, 100)


def test_the_same_plan_takes_nothing():
    found = switched(ALONE, ALONE)
    assert (found.kept, found.started, found.ended, found.seconds, found.extra_pct_s) == (3, 0, 0, 0, 0)
    assert found.most_pct == 150


def test_another_share_is_another_instance():
    whole = RealignedSet(0, Stage(1, 100, 1), (Head((0,)),))
    found = switched(ALONE, FragmentPlan((whole, *ALONE.sets[1:])))
    assert (found.kept, found.started, found.ended, found.shadow_pct) == (2, 1, 1, 100)


def test_another_partition_point_is_served_by_the_next_plan():
    old = tiny_fleet()
    moved = replace(old, fragments=(replace(old.fragments[0], partition_point=1), *old.fragments[1:]))
    new = FragmentPlan((RealignedSet(1, Stage(2, 50, 1), (Head((0, 1, 2)),)),))
    found = switch(old, ALONE, moved, new, start_s=1)
    assert (found.kept, found.started, found.ended) == (1, 0, 2)
    assert found.start_s == 0


def test_what_cannot_be_compared_is_refused():
    fleet = tiny_fleet()
    other = replace(fleet, network=Network("other", [1], [50], [[["0.01"]], [["0.02"]]]))
    with pytest.raises(InputError, match="new_fleet: the fleets have different networks"):
        switch(fleet, ALONE, other, ALONE, start_s=1)
    with pytest.raises(InputError, match="new_plan: fragment c is served 0 times"):
        switched(ALONE, FragmentPlan(ALONE.sets[:2]))
    with pytest.raises(InputError, match="start_s: is -1"):
        switched(ALONE, ALIGNED, start_s=-1)
