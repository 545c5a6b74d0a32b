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

# Seeded random small fleets for tests and fuzzing, made so that exact ties are common (ours).
#
# Latencies are multiples of half a millisecond that neither fall with every share nor grow with every batch, two to
# four layers, two to five fragments, some of which begin together, with budgets that some stage just meets; some have
# no plan.

MS = Fraction(1, 1000)


def small_fleet(seed: int) -> Fleet:
    """The fleet of a seed."""
    rng = random.Random(seed)
    network = _small_network(rng)
    begins = [rng.randrange(network.layers) for _ in range(rng.randint(1, 3))]
    fragments = [_small_fragment(rng, network, f"c{k}", rng.choice(begins)) for k in range(rng.randint(2, 5))]
    if rng.random() < 0.4:
        first = fragments[0]
        fragments[-1] = Fragment("twin", first.partition_point, first.budget_s, rng.choice((first.rate_rps, 30)))
    return Fleet(f"small {seed}", network, fragments)


def _small_network(rng: random.Random) -> Network:
    batches = rng.choice(([1], [1, 2], [1, 2, 4]))
    shares = sorted(rng.sample((5, 10, 20, 25, 40, 50, 100), rng.randint(1, 3)))
    layers = [_small_layer(rng, batches, shares) for _ in range(rng.randint(2, 4))]
    return Network("drawn", batches, shares, layers)


def _small_layer(rng: random.Random, batches: list[int], shares: list[int]) -> list[list[Fraction]]:
    """Half milliseconds: less on larger shares, more for larger batches, mostly."""
    base = rng.randint(2, 16)
    rows = []
    for batch in batches:
        work = base + (batch - 1) * rng.randint(0, base)
        rows.append(
            [max(1, round(work * rng.choice((20, 30)) / share) + rng.randint(0, 2)) * MS / 2 for share in shares]
        )
    return rows


def _small_fragment(rng: random.Random, network: Network, name: str, begin: int) -> Fragment:
    """Half of the time with the budget that some batch and share just meets, else more, seldom less."""
    batch, share = rng.choice(network.batches), rng.choice(network.shares_pct)
    latency = network.latency_s(begin, network.layers, batch, share)
    assert latency is not None
    budget = 2 * latency
    if rng.random() < 0.5:
        budget = max(MS, round(budget * 1000 * Fraction(rng.randint(8, 30), 10)) * MS)
    rate = rng.choice((10, 20, 30, Fraction(rng.randint(10, 90), 3), 1 / latency))
    return Fragment(name, begin, budget, rate)


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
