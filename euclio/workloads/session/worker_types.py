"""Sessions on many worker types (ours): seeded variations of one machine's speed and price.

Scrooge's Table 1 counts up to 24 VM types with a GPU at one cloud provider, prices that differ by up to 8.38 times and
speeds by up to 2.41 times, the two not correlated; §4.3 runs 30 types without listing them.
"""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

from euclio.core.numbers import exact
from euclio.problems.session import Configuration, Hardware, Module, Session

PRICE_RATIO, SPEED_RATIO = 8.38, 2.41
"""Most expensive over cheapest type and fastest over slowest one (Scrooge Table 1)."""
LEAST_PRICE_PER_H = 0.9
MODULE_VARIATION = (0.85, 1.18)
"""A module's own speed-up on a type over the type's; models gain differently from a GPU (Scrooge Table 2)."""


def on_worker_types(session: Session, count: int, seed: int) -> Session:
    """The session with other worker types instead of its own.

    Args:
        session: the instance; its first hardware is the slowest type's machine. A module that cannot run on it, such
            as one for machines without a GPU, keeps its own profile and hardware.
        count: number of types.
        seed: seed of their speeds and prices.

    Returns:
        A session whose modules can run on each type as they do on that machine, faster by the type's and the module's
        factor, durations rounded to microseconds.
    """
    base = session.hardware[0].name
    hardware, speeds = worker_types(count, seed)
    apart = [m for m in session.modules if all(c.hardware != base for c in m.profile)]
    kept = {c.hardware for m in apart for c in m.profile}
    modules = [
        m if m in apart else Module(m.name, m.rate_rps, _profile(m.profile, base, hardware, speeds, seed))
        for m in session.modules
    ]
    types = (*hardware, *(h for h in session.hardware if h.name in kept))
    return Session(f"{session.name}-{count}-types", session.slo_s, types, modules, session.edges)


@cache
def worker_types(count: int, seed: int) -> tuple[tuple[Hardware, ...], tuple[float, ...]]:
    """Worker types that are drawn, and each one's speed over the slowest type that could be."""
    stream = random.Random(f"worker-types/{seed}/{count}")
    hardware, speeds = [], []
    for number in range(1, count + 1):
        price = exact(f"{LEAST_PRICE_PER_H * PRICE_RATIO ** stream.random():.2f}")
        hardware.append(Hardware(f"type-{number:02d}", price))
        speeds.append(SPEED_RATIO ** stream.random())
    return tuple(hardware), tuple(speeds)


@cache
def _profile(
    profile: tuple[Configuration, ...], base: str, hardware: tuple[Hardware, ...], speeds: tuple[float, ...], seed: int
) -> tuple[Configuration, ...]:
    stream = random.Random(f"worker-types/{seed}/{profile[0].duration_s}")
    low, high = MODULE_VARIATION
    rows: list[Configuration] = []
    for machine, speed in zip(hardware, speeds, strict=True):
        factor = speed * low * (high / low) ** stream.random()
        rows += [
            Configuration(machine.name, c.batch, c.concurrency, _microseconds(float(c.duration_s) / factor))
            for c in profile
            if c.hardware == base
        ]
    return tuple(rows)


def _microseconds(seconds: float) -> Fraction:
    return exact(f"{seconds:.6f}")
