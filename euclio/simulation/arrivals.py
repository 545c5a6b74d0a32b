"""When requests come: evenly spaced, at random, in bursts, or as recorded (PPipe §7.1; gamma and on/off are ours)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from euclio.simulation.gaps import Gaps, gaps_of
from euclio.simulation.on_off import on_off_times
from euclio.simulation.setup import Arrivals, Setup
from euclio.simulation.units import NS_PER_S, Floats, Ints

CHUNK = 1 << 16
"""Arrivals that are drawn at once."""


def arrivals_of(setup: Setup, rates_rps: Sequence[float]) -> list[Ints]:
    """All arrivals of each stream, such as those of a model.

    Args:
        setup: how requests come, for how long, and the seed; every stream has a generator of its own.
        rates_rps: mean rate of each stream in requests per second; 0: no requests.

    Returns:
        Per stream the times in whole nanoseconds, ascending, in [0, seconds).
    """
    return [np.concatenate([np.zeros(0, np.int64), *chunks]) for chunks in arrival_chunks(setup, rates_rps)]


def arrival_chunks(setup: Setup, rates_rps: Sequence[float], most: int = CHUNK) -> list[Iterator[Ints]]:
    """The arrivals of each stream piece by piece, so that memory does not grow with their number.

    Args:
        setup: as for `arrivals_of`.
        rates_rps: as for `arrivals_of`.
        most: arrivals that a piece has at most; the pieces together are the same for every size.

    Returns:
        Per stream what gives its pieces in turn: whole nanoseconds, ascending, in [0, seconds).
    """
    streams = np.random.default_rng(setup.seed).spawn(len(rates_rps))
    return [_chunks(setup, rate, stream, most) for rate, stream in zip(rates_rps, streams, strict=True)]


def _chunks(setup: Setup, rate_rps: float, stream: np.random.Generator, most: int) -> Iterator[Ints]:
    if rate_rps <= 0:
        return
    expected = rate_rps * setup.seconds
    most = int(min(most, expected + 10 * np.sqrt(expected) + 100))
    for times in _times(setup, rate_rps, stream, most):
        inside = times < setup.seconds
        if inside.any():
            yield np.floor(times[inside] * NS_PER_S).astype(np.int64)
        if not inside.all():
            return


def _times(setup: Setup, rate_rps: float, stream: np.random.Generator, most: int) -> Iterator[Floats]:
    """Arrivals without end in seconds, in pieces of `most`."""
    match setup.arrivals:
        case Arrivals.UNIFORM:
            return _evenly(rate_rps, most)
        case Arrivals.ON_OFF:
            return on_off_times(setup.on_s, setup.off_s, rate_rps, stream, most)
        case Arrivals.TRACE:
            return _summed(gaps_of(setup, rate_rps, stream), 1.0, most)
        case _:
            return _summed(gaps_of(setup, rate_rps, stream), rate_rps, most)


def _evenly(rate_rps: float, most: int) -> Iterator[Floats]:
    first = 0
    while True:
        yield np.arange(first, first + most) / rate_rps
        first += most


def _summed(gaps: Gaps, pace: float, most: int) -> Iterator[Floats]:
    """Sums of gaps over the pace; they are added one after the other, so that pieces make no difference."""
    last = 0.0
    while True:
        sums = np.cumsum(np.concatenate(([last], gaps(most))))[1:]
        last = float(sums[-1])
        yield sums / pace
