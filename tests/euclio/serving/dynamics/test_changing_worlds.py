"""Worlds: clients, frames, input complexity over time."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.serving.dynamics.world import Client, Complexity, at, client_counts, draw_world, walk
from euclio.serving.units import NS_PER_S


def test_a_client_sends_at_its_rate_from_when_it_joins_until_it_leaves():
    client = Client(4, NS_PER_S, 2 * NS_PER_S + 1)
    assert client.frames_ns.tolist() == [1_000_000_000, 1_250_000_000, 1_500_000_000, 1_750_000_000, 2_000_000_000]
    assert Client(4, NS_PER_S, 2 * NS_PER_S).frames_ns.size == 4


@pytest.mark.parametrize("application", ["traffic", "face", "tracker", "audio"])
def test_worlds_keep_to_what_is_printed(application):
    world = draw_world(application, 1, seconds=200)
    low, high = world.application.client_rps
    assert len(world.clients) == 12
    assert all(low <= client.fps <= high for client in world.clients)
    assert np.all(np.diff(world.arrival_ns) >= 0)
    assert world.arrival_ns.size == sum(client.frames_ns.size for client in world.clients)
    assert world.ingress_rps(100 * NS_PER_S) == sum(client.fps for client in world.clients)
    assert np.all(world.counts[:, 0] == 1)
    for m, module in enumerate(world.application.application.modules):
        least, most = world.application.ballooning[module.name]
        assert world.balloons[:, m].min() >= min(least, 1.0) - 1e-12
        assert world.balloons[:, m].max() <= max(most, 1.0) + 1e-12


def test_invocations_add_up_to_the_scaling_factors():
    world = draw_world("traffic", 3, seconds=300)
    own = [module.scaling for module in world.application.application.modules]
    means = world.counts.mean(axis=0)
    for (low, high), mean in zip(own, means, strict=True):
        assert low - 0.1 <= mean <= high + 0.1
    # Whole numbers next to the factor of their second, never more than one away from it.
    assert world.counts[:, 1].max() <= np.ceil(own[1][1])


def test_the_same_seed_gives_the_same_world_and_another_another():
    a, b, c = (draw_world("face", seed, seconds=50) for seed in (1, 1, 2))
    assert a.clients == b.clients
    assert np.array_equal(a.counts, b.counts)
    assert a.clients != c.clients


def test_what_a_client_invokes_does_not_depend_on_the_others():
    alone = draw_world("traffic", 3, clients=1, seconds=60)
    assert np.array_equal(client_counts("traffic", 3, 0, 60), alone.counts)
    both = draw_world("traffic", 3, clients=2, seconds=60)
    parts = [client_counts("traffic", 3, number, 60) for number in range(2)]
    assert sum(part.sum() for part in parts) == both.counts.sum()


def test_walks_stay_in_the_range_and_near_their_level():
    places = np.array(walk(random.Random("walk"), Complexity(5.0, 0.1), 5000))
    assert places.min() >= 0.0
    assert places.max() <= 1.0
    assert places.std() == pytest.approx(0.1, rel=0.2)
    steps = np.diff(places)
    # Second by second it moves less than over many seconds.
    assert steps.std() < places.std()
    assert at(0.0, (2.0, 8.0)) == 2.0
    assert at(0.5, (2.0, 8.0)) == pytest.approx(4.0)


def test_an_unknown_application_is_refused():
    with pytest.raises(InputError, match="choose from traffic"):
        draw_world("weather", 1)


def test_changes_are_all_times_at_which_clients_come_or_go():
    world = draw_world("pose", 1, clients=3, seconds=30)
    assert len(world.changes_ns) == 6
    assert world.ingress_rps(world.changes_ns[0] - 1) == 0
    assert world.ingress_rps(world.changes_ns[-1]) == 0
    assert Fraction(world.ingress_rps(15 * NS_PER_S)) > 0
