"""Seeded random small fleets for tests and fuzzing, made so that exact ties are common (ours).

Latencies are multiples of half a millisecond that neither fall with every share nor grow with every batch, two to four
layers, two to five fragments, some of which begin together, with budgets that some stage just meets; some have no plan.
"""

from __future__ import annotations

import random
from fractions import Fraction

from euclio.problems.fragments.instance import Fleet, Fragment, Network

MS = Fraction(1, 1000)


def small_fleet(seed: int) -> Fleet:
    """The fleet of a seed."""
    rng = random.Random(seed)
    network = _network(rng)
    begins = [rng.randrange(network.layers) for _ in range(rng.randint(1, 3))]
    fragments = [_fragment(rng, network, f"c{k}", rng.choice(begins)) for k in range(rng.randint(2, 5))]
    if rng.random() < 0.4:
        first = fragments[0]
        fragments[-1] = Fragment("twin", first.partition_point, first.budget_s, rng.choice((first.rate_rps, 30)))
    return Fleet(f"small {seed}", network, fragments)


def _network(rng: random.Random) -> Network:
    batches = rng.choice(([1], [1, 2], [1, 2, 4]))
    shares = sorted(rng.sample((5, 10, 20, 25, 40, 50, 100), rng.randint(1, 3)))
    layers = [_layer(rng, batches, shares) for _ in range(rng.randint(2, 4))]
    return Network("drawn", batches, shares, layers)


def _layer(rng: random.Random, batches: list[int], shares: list[int]) -> list[list[Fraction]]:
    """Half milliseconds: less on larger shares, more for larger batches, mostly."""
    base = rng.randint(2, 16)
    rows = []
    for batch in batches:
        work = base + (batch - 1) * rng.randint(0, base)
        rows.append(
            [max(1, round(work * rng.choice((20, 30)) / share) + rng.randint(0, 2)) * MS / 2 for share in shares]
        )
    return rows


def _fragment(rng: random.Random, network: Network, name: str, begin: int) -> Fragment:
    """Half of the time with the budget that some batch and share just meets, else more, seldom less."""
    batch, share = rng.choice(network.batches), rng.choice(network.shares_pct)
    latency = network.latency_s(begin, network.layers, batch, share)
    assert latency is not None
    budget = 2 * latency
    if rng.random() < 0.5:
        budget = max(MS, round(budget * 1000 * Fraction(rng.randint(8, 30), 10)) * MS)
    rate = rng.choice((10, 20, 30, Fraction(rng.randint(10, 90), 3), 1 / latency))
    return Fragment(name, begin, budget, rate)
