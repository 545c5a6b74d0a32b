"""Days of six modules for the benchmark: three sessions, each under a smooth load and under a noisy one (ours)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio import load
from euclio.problems.day import Day, Step
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.workloads.session.published import published_session

STEPS, LENGTH_S = 288, 300
"""Five minutes for a day."""
MADE_UP = {
    "A100": (Fraction("3.67"), Fraction("0.0030"), Fraction("0.00015")),
    "L4": (Fraction("0.71"), Fraction("0.0055"), Fraction("0.0013")),
    "T4": (Fraction("0.35"), Fraction("0.0080"), Fraction("0.0026")),
    "cpu": (Fraction("0.10"), Fraction("0.0100"), Fraction("0.0180")),
}
"""Price per hour, seconds per batch, seconds per request: machines of docs/findings/whole-machines.md."""
MODELS = (("0.4", "1"), ("2.0", "1"), ("0.8", "0.8"), ("1.1", "0.5"), ("1.6", "0.7"), ("3.0", "0.3"))
"""How much longer its models take, and their requests per request that enters."""
FLOW = ((0, 1), (1, 2), (1, 3), (1, 4), (4, 5))
N_SHAPE = ((0, 2), (0, 3), (1, 3), (2, 4), (3, 4), (3, 5))
"""A DAG with two sources, two sinks and no series-parallel form."""
CHAIN_SCALES = (("0.3", "0.5"), ("5", "0.5"), ("2", "0.4"), ("0.5", "1"))
"""Rates and objectives of the days of chains, as shares of those drawn."""
PUBLISHED = ("ssd_resnet50", "resnet50", "resnext101", "bert_base_128", "resnet50_tensorrt", "efficientnet_b0")


def planner() -> Session:
    """Six made-up models in a tree on four types of machines."""
    modules = []
    for m, (longer, share) in enumerate(MODELS):
        profile = [
            Configuration(name, b, 1, (fixed + b * each) * Fraction(longer))
            for name, (_, fixed, each) in MADE_UP.items()
            for b in (1, 2, 4, 8, 16, 32)
        ]
        modules.append(Module(f"m{m}", 600 * Fraction(share), profile))
    hardware = [Hardware(name, price) for name, (price, _, _) in MADE_UP.items()]
    return Session("planner", "0.3", hardware, modules, _named(FLOW))


def published() -> Session:
    """Six published models on three types of GPUs, in a DAG that is not series-parallel."""
    chain = published_session(PUBLISHED, 1500, "0.25")
    rates = (900, 1200, 700, 1500, 2400, 1000)
    modules = [
        Module(f"m{m}", rate, own.profile) for m, (own, rate) in enumerate(zip(chain.modules, rates, strict=True))
    ]
    return Session("published", "0.25", chain.hardware, modules, _named(N_SHAPE))


def measured(folder: Path) -> Session | None:
    """Six measured models on four types of GPUs in a chain with a branch; None: the folder has none."""
    known: dict[str, Module] = {}
    prices: dict[str, Hardware] = {}
    for path in sorted((folder / "sessions").glob("*.json")):
        session = load(path)
        if len(session.hardware) == 4:
            prices |= {h.name: h for h in session.hardware}
            known |= {module.name: module for module in session.modules}
    if len(known) < 6:
        return None
    rates = (90, 60, 120, 40, 70, 30)
    chosen = [known[name] for name in sorted(known)][:6]
    modules = _modules(chosen, rates)
    edges = _named(((0, 1), (1, 2), (1, 3), (3, 4), (3, 5)))
    return Session("measured", "0.9", tuple(prices.values()), modules, edges)


def days(folder: Path) -> Iterator[Day]:
    """All days; those of measured models only where the folder of measured sessions is there."""
    for session in (planner(), published(), measured(folder)):
        if session is not None:
            for kind in ("smooth", "noisy"):
                yield day(session, kind)


def day(session: Session, kind: str, seed: int = 1, steps: int = STEPS) -> Day:
    """A session under a load with a low at night and two peaks.

    Args:
        session: the application; its rates are those of the highest peak, about.
        kind: `smooth`; or `noisy`: each module for itself up to a quarter more or less in each step.
        seed: of the noise.
        steps: steps of five minutes.
    """
    draw = random.Random(seed)
    rows = []
    for k in range(steps):
        t = 24 * k / steps
        level = 0.15 + 0.6 * math.exp(-(((t - 11) / 3.5) ** 2)) + 0.75 * math.exp(-(((t - 19.5) / 2.2) ** 2))
        noise = [1 + (draw.uniform(-0.25, 0.25) if kind == "noisy" else 0.0) for _ in session.modules]
        rates = [
            own.rate_rps * Fraction(round(1000 * level * n), 1000)
            for own, n in zip(session.modules, noise, strict=True)
        ]
        rows.append(Step(LENGTH_S, rates))
    return Day(f"{session.name}-{kind}", session, rows, 120, 300, "0.01")


def chains() -> Iterator[Day]:
    """Sixteen days of seven made-up image models in a chain, four under each of four loads and objectives."""
    for seed in (11, 12, 13, 14):
        session, levels = _chain(random.Random(seed))
        for rates, objective in CHAIN_SCALES:
            scaled = replace(session, slo_s=session.slo_s * Fraction(objective))
            steps = [Step(600, [own.rate_rps * Fraction(rates) * level for own in session.modules]) for level in levels]
            yield Day(f"chain-{seed}-{rates}-{objective}", scaled, steps, 180, 300, "0.05")


def _chain(draw: random.Random) -> tuple[Session, list[Fraction]]:
    """A chain on two types of GPUs, and its load in 134 steps as shares of its rates: a peak with a walk around it."""
    hardware = [Hardware("H100", "3.9"), Hardware("B200", "6.4")]
    modules, least = [], 0.0
    for m in range(7):
        fixed, each = draw.uniform(0.02, 0.4), draw.uniform(0.1, 1.5)
        quicker = draw.uniform(0.45, 0.7)
        profile = [
            Configuration(name, b, 1, Fraction(round((fixed + each * b**0.93) * speed * 10000), 10000))
            for name, speed in (("H100", 1.0), ("B200", quicker))
            for b in (1, 2, 4, 8)
        ]
        least += float(min(c.duration_s for c in profile))
        modules.append(Module(f"m{m}", Fraction(round(draw.uniform(1, 6) * 100), 100), profile))
    slo = Fraction(round(least * draw.uniform(2.2, 5) * 1000), 1000)
    walk, levels = 0.0, []
    for k in range(134):
        walk = 0.8 * walk + draw.gauss(0, 0.06)
        level = max(0.05, 0.25 + 0.6 * math.exp(-(((k / 6 - 14) / 5) ** 2)) + walk)
        levels.append(Fraction(round(1000 * level), 1000))
    return Session("chain", slo, hardware, modules, _named(tuple((m, m + 1) for m in range(6)))), levels


def _modules(known: Iterable[Module], rates: Iterable[int]) -> list[Module]:
    rated = enumerate(zip(known, rates, strict=True))
    return [Module(f"m{m}", rate, own.profile) for m, (own, rate) in rated]


def _named(edges: tuple[tuple[int, int], ...]) -> list[tuple[str, str]]:
    return [(f"m{a}", f"m{b}") for a, b in edges]
