"""Nasty legal fleets of fragments and plan spaces, drawn from a `random.Random`.

A campaign draws with one seed per instance; hypothesis can drive the same code with `st.randoms` and shrink the draws.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentSpace, Network, Server, Sharing
from euclio.workloads.fragments.random_fleets import small_fleet

from .numbers import LARGEST, SMALLEST, digits, nearly, next_float, printed, spread, supported

BATCHES = ((1,), (1,), (2,), (1, 2), (1, 2), (1, 2, 4), (3, 7), (1, 1000))
SHARES = ((100,), (100,), (50, 100), (1, 100), (20, 50), (7, 13, 99), (33, 66, 99), (10, 20, 30, 100))


def fleet_case(rng: Random, most: int = 6) -> tuple[Fleet, FragmentSpace]:
    """A nasty fleet of at most `most` fragments of a network of at most 4 layers, and a plan space."""
    network = _network(rng)
    number = 1 if rng.randrange(12) == 0 else rng.randint(min(2, most), most)
    fragments = _fragments(rng, network, number)
    points, space = rng.choice((None, None, "now", "mean")), fragment_space(rng)
    # Last, so that what is drawn before is what it was without.
    if rng.randrange(3) == 0:
        network = _limited(rng, network)
    return Fleet("adversary", network, fragments, points), space


def limited_fleet(seed: int, *, one_rate: bool = False) -> Fleet:
    """The small fleet of a seed with memory and a GPU that holds some range of layers at some share exactly, mostly."""
    fleet = small_fleet(seed)
    fragments = [replace(own, rate_rps=fleet.fragments[0].rate_rps) if one_rate else own for own in fleet.fragments]
    network = _limited(Random(f"memory {seed}"), fleet.network)
    return replace(fleet, network=network, fragments=tuple(fragments))


def fragment_space(rng: Random) -> FragmentSpace:
    """Sharing, budgets and limits drawn; half of the time the full plan space with either kind of budgets."""
    budgets = rng.choice(tuple(Budgets))
    if rng.randrange(2):
        return FragmentSpace(budgets=budgets)
    sharing = rng.choice((Sharing.REALIGNED, Sharing.REALIGNED, Sharing.UNIFORM, Sharing.ALONE))
    return FragmentSpace(sharing, budgets, rng.choice((None, None, 1, 2, 3)), rng.choice((None, None, 1, 2, 5)))


def _network(rng: Random) -> Network:
    layers = rng.choice((1, 2, 2, 3, 3, 4))
    batches, shares = rng.choice(BATCHES), rng.choice(SHARES)
    style = rng.choice(("coarse", "coarse", "float", "milli", "fine", "anything"))
    scale = Fraction(10) ** rng.choice((0, 0, 0, 0, -3, 3, rng.randint(-6, 6)))
    base = spread(rng, 0.05, 0.5)
    rows = [
        [[_seconds(rng, style, base, batch, share) * scale for share in shares] for batch in batches]
        for _ in range(layers)
    ]
    if rng.randrange(6) == 0:  # layers alike, so that many points cost the same
        rows = [rows[0]] * layers
    if rng.randrange(6) == 0:  # a layer that takes next to nothing
        rows[rng.randrange(layers)] = [[SMALLEST] * len(shares) for _ in batches]
    return Network("n", batches, shares, rows)


def _limited(rng: Random, network: Network) -> Network:
    """The network with memory of layers, and a GPU that a range of them fills at a measured share, or next to it."""
    figures = rng.choice(((Decimal(0), Decimal(60)), (Decimal("0.1"), Decimal("0.2")), (Decimal(97), Decimal("1e-12"))))
    layers = tuple(Fraction(rng.choice(figures)) for _ in range(network.layers))
    besides = rng.choice((None, Fraction(500), Fraction(1, 10)))
    found = replace(network, layer_memory_mb=layers, instance_memory_mb=besides)
    first = rng.randrange(network.layers)
    filled = found.memory_mb(first, rng.randint(first + 1, network.layers)) * 100 / rng.choice(network.shares_pct)
    least = max(found.memory_mb(i, i + 1) for i in range(network.layers))
    memory = Fraction(nearly(rng, max(filled, least, Fraction(1, 1000))))
    most = rng.choice((None, None, 1, 2, 3, 48))
    return replace(found, server=Server(None if most is not None and rng.randrange(2) else max(memory, least), most))


def _seconds(rng: Random, style: str, base: float, batch: int, share: int) -> Fraction:
    """Seconds of a batch on one layer; they need not fall with the share, nor grow with the batch."""
    if style == "coarse":
        return Fraction(rng.randint(1, 9), 10)
    if style == "float":  # multiples of a tenth as adding floats makes them, such as 0.30000000000000004
        return Fraction(Decimal(repr(sum([0.1] * rng.randint(1, 9)))))
    usual = base * (0.3 + 0.2 * batch) / (share / 100) ** 0.7 * rng.uniform(0.8, 1.25)
    if style == "milli":
        return Fraction(Decimal(f"{usual:.3f}")) or Fraction(1, 1000)
    if style == "fine":
        return Fraction(Decimal(repr(usual)))
    return Fraction(digits(rng, base * spread(rng, 0.01, 100)))


def _fragments(rng: Random, network: Network, number: int) -> list[Fragment]:
    points = rng.choice(((network.layers - 1,), (0,), (0, network.layers - 1), range(network.layers)))
    rated = rng.choice(("equal", "equal", "few", "few", "any", "far apart"))
    same, few = _rate(rng, network), [_rate(rng, network) for _ in range(2)]
    if rng.randrange(3) == 0:
        same, few = Decimal(30), [Decimal(30), rng.choice((Decimal(1), Decimal(20), Decimal("30.000000000000004")))]
    budgets = [_budget(rng, network, rng.choice(points)) for _ in range(rng.choice((1, 2, 3)))]
    found: list[Fragment] = []
    for k in range(number):
        if found and rng.randrange(5) == 0:  # as another one in everything
            like = rng.choice(found)
            found.append(Fragment(f"f{k}", like.partition_point, like.budget_s, like.rate_rps))
            continue
        point = rng.choice(points)
        rate = {"equal": same, "few": rng.choice(few)}.get(rated) or _rate(rng, network)
        if rated == "far apart":
            rate = digits(rng, spread(rng, 1e-9, 1e9))
        budget = rng.choice(budgets) if rng.randrange(3) == 0 else _budget(rng, network, point)
        if rng.randrange(8) == 0:
            budget = next_float(budget, rng.choice((-1, 1)))
        found.append(Fragment(f"f{k}", point, budget if supported(budget) else printed(1), rate))
    return found


def _budget(rng: Random, network: Network, begin: int) -> Decimal:
    """Twice what an own and a shared stage made at random take, to the last digit or next to it; or more; or any."""
    point = rng.randint(begin, network.layers - 1)
    seconds = _latency(rng, network, point, network.layers)
    if point > begin:
        seconds += _latency(rng, network, begin, point)
    kind = rng.randrange(12)
    if kind <= 5:
        found = nearly(rng, 2 * seconds)
    elif kind == 6:  # as floats add it up
        found = Decimal(repr(float(seconds) + float(seconds)))
    elif kind == 7:
        found = rng.choice((Decimal("1e12"), Decimal("1e12"), digits(rng, spread(rng, 1, 9e11))))
    else:
        found = digits(rng, float(seconds) * rng.uniform(1.5, 6))
    return found if supported(found) else printed(min(max(seconds, SMALLEST), LARGEST))


def _latency(rng: Random, network: Network, first: int, end: int) -> Fraction:
    found = network.latency_s(first, end, rng.choice(network.batches), rng.choice(network.shares_pct))
    assert found is not None
    return found


def _rate(rng: Random, network: Network) -> Decimal:
    """A rate: some instances' throughput as it is, as it prints or next to it, or a part of it; or any number."""
    first = rng.randrange(network.layers)
    end = rng.randint(first + 1, network.layers)
    served = rng.choice(network.batches) / _latency(rng, network, first, end)
    kind = rng.randrange(8)
    if kind <= 4:
        rate = nearly(rng, served * rng.choice((1, 1, 2, Fraction(1, 2), Fraction(1, 3))))
    else:
        rate = digits(rng, float(served) * (rng.uniform(0.05, 3) if kind < 7 else spread(rng, 1e-9, 1e3)))
    return rate if supported(rate) else Decimal(1)
