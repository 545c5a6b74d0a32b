"""When requests come: evenly spaced, at random, in bursts, or as recorded (PPipe §7.1; gamma and on/off are ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from euclio.core.numbers import exact
from euclio.serving.gaps import Gaps, gaps_of
from euclio.serving.multiples import whole_multiples
from euclio.serving.on_off import on_off_times
from euclio.serving.setup import Arrivals, Setup
from euclio.serving.units import NANOSECONDS, Clock, Floats, Ints

CHUNK = 1 << 16
"""Arrivals that are drawn at once."""


def arrivals_of(setup: Setup, rates_rps: Sequence[float | Fraction]) -> list[Ints]:
    """All arrivals of each stream, such as those of a model.

    Args:
        setup: how requests come, for how long, and the seed; every stream has a generator of its own.
        rates_rps: mean rate of each stream in requests per second, a float standing for its shortest decimal text;
            0: no requests.

    Returns:
        Per stream the times in whole nanoseconds, ascending, in [0, seconds).
    """
    return [np.concatenate([np.zeros(0, np.int64), *chunks]) for chunks in arrival_chunks(setup, rates_rps)]


def arrival_chunks(
    setup: Setup, rates_rps: Sequence[float | Fraction], most: int = CHUNK, clock: Clock = NANOSECONDS
) -> list[Iterator[Ints]]:
    """The arrivals of each stream piece by piece, so that memory does not grow with their number.

    Args:
        setup: as for `arrivals_of`.
        rates_rps: as for `arrivals_of`.
        most: arrivals that a piece has at most; the pieces together are the same for every size.
        clock: what times are counted in.

    Returns:
        Per stream what gives its pieces in turn: whole ticks, ascending, in [0, seconds). Of evenly spaced arrivals
        each is rounded down by itself, so that they are at the rate however many they are.
    """
    streams = np.random.default_rng(setup.seed).spawn(len(rates_rps))
    return [_chunks(setup, rate, stream, most, clock) for rate, stream in zip(rates_rps, streams, strict=True)]


def _chunks(
    setup: Setup, rate_rps: float | Fraction, stream: np.random.Generator, most: int, clock: Clock
) -> Iterator[Ints]:
    if rate_rps <= 0:
        return
    if setup.arrivals is Arrivals.UNIFORM:
        yield from _evenly(exact(rate_rps), exact(setup.seconds), most, clock)
        return
    expected = float(rate_rps) * setup.seconds
    most = int(min(most, expected + 10 * np.sqrt(expected) + 100))
    # The last tick before the end: a product in floating point may be rounded up to the end itself.
    last = clock.up(setup.seconds) - 1
    for times in _times(setup, float(rate_rps), stream, most):
        inside = times < setup.seconds
        if inside.any():
            yield np.minimum(np.floor(times[inside] * clock.ticks_per_s).astype(np.int64), last)
        if not inside.all():
            return


def _times(setup: Setup, rate_rps: float, stream: np.random.Generator, most: int) -> Iterator[Floats]:
    """Arrivals at random without end in seconds, in pieces of `most`."""
    match setup.arrivals:
        case Arrivals.ON_OFF:
            return on_off_times(setup.on_s, setup.off_s, rate_rps, stream, most, setup.seconds)
        case Arrivals.TRACE:
            return _summed(gaps_of(setup, rate_rps, stream), 1.0, most)
        case _:
            return _summed(gaps_of(setup, rate_rps, stream), rate_rps, most)


def _evenly(rate_rps: Fraction, seconds: Fraction, most: int, clock: Clock) -> Iterator[Ints]:
    """Request k comes at k over the rate; those that do before the end."""
    requests = math.ceil(rate_rps * seconds)
    for first in range(0, requests, most):
        yield whole_multiples(clock.ticks_per_s / rate_rps, first, min(most, requests - first))


def _summed(gaps: Gaps, pace: float, most: int) -> Iterator[Floats]:
    """Sums of gaps over the pace; they are added one after the other, so that pieces make no difference."""
    last = 0.0
    while True:
        sums = np.cumsum(np.concatenate(([last], gaps(most))))[1:]
        last = float(sums[-1])
        yield sums / pace
