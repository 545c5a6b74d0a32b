"""Small random sessions for tests and fuzzing, and long chains for speed (ours)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from euclio.core.errors import InputError
from euclio.core.numbers import exact, short
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.workloads.session.applications import applications
from euclio.workloads.session.protocol import latency_range, log_uniform, round_up

K = TypeVar("K")
Edges = tuple[tuple[int, int], ...]

SHAPES = ("chain", "fork", "diamond", "n", "dag")
"""Shapes of DAGs; `n` holds the smallest one that is not series-parallel, `dag` is drawn at random."""

_RATES = (0.2, 400.0)
_SLO_OVER_LEAST = (0.7, 6.0)
_PRICES = (1.0, 2.07, 3.06, 0.53)


def shape_edges(shape: str, modules: int, stream: random.Random) -> Edges:
    """Edges of a DAG as pairs of indices, parent first.

    Raises:
        InputError: unknown shape.
    """
    chain = tuple((i, i + 1) for i in range(modules - 1))
    if shape == "chain" or modules < 3:
        return chain
    if shape == "fork":
        return tuple((0, i) for i in range(1, modules))
    if shape == "diamond":
        middle = range(1, modules - 1)
        return tuple((0, i) for i in middle) + tuple((i, modules - 1) for i in middle)
    if shape == "n":
        if modules < 4:
            return ((0, 2), (1, 2))
        return ((0, 2), (0, 3), (1, 3), *((i, i + 1) for i in range(3, modules - 1)))
    if shape == "dag":
        return tuple((i, j) for j in range(modules) for i in range(j) if stream.random() < 0.4)
    raise InputError(f"unknown shape {shape!r}; choose from {', '.join(SHAPES)}", field="shape")


def random_session(
    seed: int,
    modules: int = 3,
    configurations: int = 4,
    *,
    hardware: int = 2,
    concurrency: int = 2,
    shape: str | None = None,
    rates_rps: tuple[float, float] = _RATES,
    slo_over_least: tuple[float, float] = _SLO_OVER_LEAST,
    tightness: float | None = None,
) -> Session:
    """A small random session; the same arguments give the same session.

    Args:
        seed: seed of the random stream.
        modules: number of modules.
        configurations: configurations per module, at most.
        hardware: number of machine types.
        concurrency: largest concurrency.
        shape: one of `SHAPES`; by default drawn.
        rates_rps: range of the modules' request rates, drawn log-uniformly.
        slo_over_least: range of the SLO over the session's least latency d + b/T, drawn log-uniformly; below 1 the
            session is infeasible, a little above it may be.
        tightness: place of the SLO between least (0) and most useful (1) latency; None draws the SLO by
            `slo_over_least`.
    """
    stream = random.Random(f"session/{seed}/{modules}/{configurations}/{hardware}/{concurrency}")
    types = tuple(
        Hardware(chr(ord("A") + k), price) for k, price in enumerate(_draw(stream, _PRICES * hardware, hardware))
    )
    kind = shape or SHAPES[int(stream.random() * len(SHAPES))]
    drawn = [
        Module(f"m{i}", short(log_uniform(stream, rates_rps)), _profile(stream, types, configurations, concurrency))
        for i in range(modules)
    ]
    edges = [(f"m{i}", f"m{j}") for i, j in shape_edges(kind, modules, stream)]
    session = Session(f"random-{kind}-{seed:04d}", 1, types, drawn, edges)
    least, useful = latency_range(session)
    slo = least * log_uniform(stream, slo_over_least) if tightness is None else least + tightness * (useful - least)
    return replace(session, slo_s=max(Fraction(1, 1000), round_up(slo)))


def chain_from_modules(seed: int, modules: int = 40, tightness: float = 0.4) -> Session:
    """A long chain of modules drawn from the five applications, each with its own request rate.

    Args:
        seed: seed of the random stream.
        modules: number of modules.
        tightness: place of the SLO between the sums of least (0) and most useful (1) latencies.
    """
    stream = random.Random(f"chain/{seed}/{modules}")
    known = [(a, m) for a in applications().values() for m in a.modules]
    drawn: list[Module] = []
    for i in range(modules):
        application, module = known[int(stream.random() * len(known))]
        best = max(float(c.throughput_rps) for c in module.profile)
        rate = short(best * log_uniform(stream, (1.0, 12.0)))
        drawn.append(Module(f"{i + 1:02d}-{application.name}-{module.name}", rate, module.profile))
    edges = [(a.name, b.name) for a, b in pairwise(drawn)]
    hardware = next(iter(applications().values())).hardware
    session = Session(f"chain-{modules}-{tightness:g}-{seed:04d}", 1, hardware, drawn, edges)
    least, useful = latency_range(session)
    return replace(session, slo_s=round_up(least + tightness * (useful - least)))


def _profile(
    stream: random.Random, types: tuple[Hardware, ...], configurations: int, concurrency: int
) -> tuple[Configuration, ...]:
    keys = [(h.name, b, e) for h in types for b in (1, 2, 4, 8, 16) for e in range(1, concurrency + 1)]
    base, slope = log_uniform(stream, (0.004, 0.06)), log_uniform(stream, (0.002, 0.03))
    speed = {h.name: log_uniform(stream, (0.6, 1.7)) for h in types}
    return tuple(
        Configuration(h, b, e, _seconds((base + slope * b) * e**0.6 / speed[h] * log_uniform(stream, (0.9, 1.1))))
        for h, b, e in _draw(stream, keys, configurations)
    )


def _seconds(value: float) -> Fraction:
    return exact(f"{value:.4f}")


def _draw(stream: random.Random, items: Sequence[K], count: int) -> list[K]:
    rest = list(items)
    return [rest.pop(int(stream.random() * len(rest))) for _ in range(min(count, len(rest)))]
