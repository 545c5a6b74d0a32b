"""Seeded random small sessions for the oracle ladder, made so that exact ties are common.

Durations are multiples of a few milliseconds (equal ratios), every third rate is a whole number of machines
(T = n·t), and every second SLO is the latency of a path of plain plans (latency = SLO exactly).
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import ceil

from euclio.problems.session import Configuration, Hardware, Module, Session, longest_path
from euclio.problems.session.objectives import Objective

from .sessions import SHAPES

NAMES = ("N", "two apart", "chain of 2", "chain of 3", "diamond", "fork", "join", "single")
BATCHES = (1, 2, 3, 4, 6, 8, 16)
PRICES = ("1", "1.5", "2", "2.07", "3.06", "0.7")


def small_session(seed: int) -> Session:
    """The session of a seed."""
    rng = random.Random(seed)
    shape = rng.choice(NAMES)
    count, edges = SHAPES[shape]
    hardware = [Hardware(name, rng.choice(PRICES)) for name in ("X", "Y")[: rng.randint(1, 2)]]
    modules = [_module(rng, f"M{i}", hardware, count) for i in range(count)]
    named = [(f"M{a}", f"M{b}") for a, b in edges]
    return Session(f"{shape} {seed}", _slo(rng, modules, named, hardware), hardware, modules, named)


def _module(rng: random.Random, name: str, hardware: list[Hardware], count: int) -> Module:
    most = rng.choice((1, 1, 2))
    keys = [(h.name, b, e) for h in hardware for b in BATCHES for e in range(1, most + 1)]
    profile = [
        Configuration(h, b, e, _duration(rng, b, e))
        for h, b, e in rng.sample(keys, rng.randint(2, 6 if count < 4 else 4))
    ]
    rng.shuffle(profile)
    return Module(name, _rate(rng, profile), profile)


def _duration(rng: random.Random, batch: int, concurrency: int) -> Fraction:
    """Seconds that grow with the batch, coarse so that b·e/d ties often."""
    kind = rng.randrange(3)
    if kind == 0:  # a throughput of 10, 20 or 25 req/s exactly
        return batch * concurrency / Fraction(rng.choice(("10", "20", "25")))
    if kind == 1:
        return Fraction(5 * (batch * concurrency + rng.randint(1, 6)), 100)
    per_request = Fraction(rng.randint(10, 90), 1000)
    return rng.randint(5, 60) / Fraction(1000) + per_request * batch * concurrency


def _rate(rng: random.Random, profile: list[Configuration]) -> Fraction:
    """From 0.3 req/s to about six machines of the middle configuration."""
    throughputs = sorted(c.throughput_rps for c in profile)
    kind = rng.randrange(6)
    if kind == 0:
        return Fraction(rng.randint(3, 30), 10)
    if kind <= 2:  # whole machines exactly, of one configuration or of two
        rate = rng.randint(1, 4) * rng.choice(throughputs[: 1 + len(throughputs) // 2])
        return rate + rng.randint(0, 1) * rng.choice(throughputs)
    middle = throughputs[len(throughputs) // 2]
    return max(Fraction(3, 10), Fraction(round(float(middle) * rng.uniform(0.1, 6) * 10), 10))


def _slo(rng: random.Random, modules: list[Module], edges: list[tuple[str, str]], hardware: list[Hardware]) -> Fraction:
    """Either exactly the longest path of one latency per module, or a rounded share of it."""
    latencies = _some_latencies(rng, modules)
    loose = Session("without SLO", 10**6, hardware, modules, edges)
    path = longest_path(loose, latencies)[0]
    if rng.random() < 0.5:
        return path
    return max(Fraction(1, 100), Fraction(round(float(path) * rng.uniform(0.3, 3) * 100), 100))


def _some_latencies(rng: random.Random, modules: Iterable[Module]) -> list[Fraction]:
    """A latency of each module with some configuration."""
    latencies = []
    for module in modules:
        c = rng.choice(module.profile)
        collecting = rng.choice((module.rate_rps, module.rate_rps, c.throughput_rps, c.batch / c.duration_s))
        latencies.append(c.duration_s + c.batch / collecting)
    return latencies


def with_objectives(session: Session, seed: int, *, always: bool = False) -> Session:
    """The session with delays and objectives: at paths of some latencies, so that ties are common, or far from them.

    Some modules lead to no objective, some objectives are shorter than the delays before them, and some are so long
    that others decide. One session in six has delays alone, unless objectives are asked for always.
    """
    rng = random.Random(f"objectives {seed}")
    latencies = _some_latencies(rng, session.modules)
    delays = {edge: rng.choice((0, 0, Fraction(1, 1000), Fraction(3, 100), min(latencies))) for edge in session.edges}
    if delays and rng.random() < 0.1:
        delays[rng.choice(session.edges)] = 2 * session.slo_s
    until = list(latencies)
    for m in session.order:
        own = session.modules[m].name
        before = [until[p] + delays[session.modules[p].name, own] for p in session.parents()[m]]
        until[m] += max(before, default=Fraction(0))
    delays_alone = rng.random() < 1 / 6
    if delays_alone and not always:
        return replace(session, slo_s=max(until), delay_s=delays)
    named = rng.sample(range(len(until)), rng.randint(1, len(until)))
    objectives = [
        Objective(
            f"o{k}", session.modules[m].name, until[m] * rng.choice((1, 1, 1, Fraction(9, 10), Fraction(6, 5), 1000))
        )
        for k, m in enumerate(named)
    ]
    return replace(session, slo_s=None, delay_s=delays, objectives=objectives)


def bought_session(seed: int, modules: int = 3, configurations: int = 3) -> Session:
    """A session of few machines, full of ties.

    Prices are the same or nothing, rates are whole machines as floats print them, and some plan takes the SLO exactly.

    Args:
        seed: seed.
        modules: most modules.
        configurations: most configurations of a module.
    """
    rng = random.Random(f"bought {seed}")
    count, edges = SHAPES[rng.choice([name for name in NAMES if SHAPES[name][0] <= modules])]
    prices = ("1", "1", "1.5", "2", "3", "0") if rng.random() < 0.3 else ("1", "1.5", "2", "2.07", "0.1")
    hardware = [Hardware(name, rng.choice(prices)) for name in ("X", "Y")[: rng.randint(1, 2)]]
    made = []
    for i in range(count):
        keys = [(h.name, b, e) for h in hardware for b in (1, 2, 4, 6) for e in (1, 1, 2)]
        chosen = dict.fromkeys(rng.sample(keys, min(len(keys), rng.randint(1, configurations))))
        profile = [Configuration(h, b, e, _duration(rng, b, e)) for h, b, e in chosen]
        t = rng.choice(profile).throughput_rps
        machines = rng.choice((Fraction(1, 3), 1, 2, Fraction(5, 2), Fraction(rng.randint(1, 30), 10)))
        rate = rng.choice((t * machines, Fraction(str(float(t * machines))), Fraction(rng.randint(3, 300), 10)))
        made.append(Module(f"M{i}", min(rate, 4 * t), profile))
    named = [(f"M{a}", f"M{b}") for a, b in edges]
    return Session(f"bought {seed}", _bought_slo(rng, made, named, hardware), hardware, made, named)


def _bought_slo(
    rng: random.Random, modules: list[Module], edges: list[tuple[str, str]], hardware: list[Hardware]
) -> Fraction:
    """The longest path of one latency per module, with a few machines of one configuration, or next to that."""
    latencies = []
    for module in modules:
        c = rng.choice(module.profile)
        machines = max(1, ceil(module.rate_rps / c.throughput_rps)) + rng.choice((0, 0, 1, 2))
        latencies.append(c.duration_s + c.batch / (machines * c.throughput_rps))
    path = longest_path(Session("without SLO", 10**6, hardware, modules, edges), latencies)[0]
    return path * rng.choice((1, 1, Fraction(9, 10), Fraction(6, 5), 2))


def stocked(session: Session, seed: int) -> Session:
    """The session with a stock of some of its hardware: none, one, or a few machines."""
    rng = random.Random(f"stock {seed}")
    counts = [rng.choice((None, 0, 1, 2, 3, 5)) for _ in session.hardware]
    if all(count is None for count in counts):
        counts[0] = rng.choice((0, 1, 2, 3))
    hardware = [Hardware(h.name, h.price_per_h, n) for h, n in zip(session.hardware, counts, strict=True)]
    return Session(f"{session.name} in stock", session.slo_s, hardware, session.modules, session.edges)
