"""Seeded random fleets of any size, with shares in steps of 1 % (ours).

A layer's time follows from its work, of which a part grows with the batch, and from the share, up to the share beyond
which it gains nothing. Clients cut the network at few layers, as partitioning does (Graft §5.1), with time budgets of
their own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.core.numbers import Number, exact
from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.memory import WHOLE_GPU_PCT, Server

BATCHES = (1, 2, 4, 8, 16)
RATE_RPS = 30
"""Requests per second of a client (Graft §5.1)."""
POINTS = 4
"""Most layers at which clients cut the network."""
TIGHTEST, LOOSEST = 2.5, 8.0
"""Time budgets over the time of batch 1 on the whole GPU."""


def random_fleet(seed: int, fragments: int, layers: int) -> Fleet:
    """The fleet of a seed.

    Args:
        seed: the seed.
        fragments: number of fragments.
        layers: number of layers.
    """
    rng = random.Random(seed)
    network = _network(rng, layers)
    points = [rng.randrange(layers) for _ in range(POINTS)]
    clients = [_fragment(rng, network, f"client-{k}", rng.choice(points)) for k in range(fragments)]
    return Fleet(f"random-fleet-{seed}", network, clients)


def random_fleets(settings: dict[str, int], count: int, seed: int) -> Iterator[Fleet]:
    """Fleets of successive seeds; settings as the arguments of `random_fleet`."""
    fragments, layers = settings.get("fragments", 10), settings.get("layers", 8)
    return (random_fleet(seed + k, fragments, layers) for k in range(count))


def on(fleet: Fleet, server: Server, instance_memory_mb: Number | None) -> Fleet:
    """The same on a server with limits, where each instance takes so many megabytes, whatever its layers.

    Raises:
        InputError: no GPU has room for an instance.
    """
    own = fleet.network
    network = Network(own.name, own.batches, own.shares_pct, own.layer_latency_s, None, instance_memory_mb, server)
    return replace(fleet, network=network)


def _network(rng: random.Random, layers: int) -> Network:
    rows = [_layer(rng) for _ in range(layers)]
    return Network("random", BATCHES, range(1, WHOLE_GPU_PCT + 1), rows)


def _layer(rng: random.Random) -> list[list[Fraction]]:
    """Seconds in whole microseconds by batch and share."""
    work_s, fixed, enough = rng.uniform(2e-4, 2e-3), rng.uniform(0.3, 0.8), rng.uniform(30, 100)
    return [
        [
            exact(f"{work_s * (fixed + (1 - fixed) * batch) * WHOLE_GPU_PCT / min(share, enough):.6f}")
            for share in range(1, WHOLE_GPU_PCT + 1)
        ]
        for batch in BATCHES
    ]


def _fragment(rng: random.Random, network: Network, name: str, begin: int) -> Fragment:
    fastest = network.latency_s(begin, network.layers, 1, WHOLE_GPU_PCT)
    assert fastest is not None
    budget = exact(f"{float(fastest) * rng.uniform(TIGHTEST, LOOSEST):.4f}")
    return Fragment(name, begin, budget, RATE_RPS)
