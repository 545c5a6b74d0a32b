"""When requests come: evenly spaced, Poisson, bursty, or as recorded (PPipe §7.1; the bursty process is ours)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from euclio.simulation.setup import Arrivals, Setup
from euclio.simulation.units import NS_PER_S, Floats, Ints

TAIL = 2.5
"""Exponent of the tail of bursty gaps (Pareto of the second kind, also called Lomax).

Their variance over their squared mean is TAIL / (TAIL - 2) = 5, and so is the index of dispersion of the counts in long
windows (1 for Poisson). Such tails converge slowly: over windows of ten requests it is about 2.6, of a hundred 3.8.
"""


def arrivals_of(setup: Setup, rates_rps: Sequence[float]) -> list[Ints]:
    """Arrivals of each stream, such as those of a model.

    Args:
        setup: how requests come, for how long, and the seed; every stream has a generator of its own.
        rates_rps: mean rate of each stream in requests per second; 0: no requests.

    Returns:
        Per stream the times in whole nanoseconds, ascending, in [0, seconds).
    """
    streams = np.random.default_rng(setup.seed).spawn(len(rates_rps))
    return [_times(setup, rate, stream) for rate, stream in zip(rates_rps, streams, strict=True)]


def _times(setup: Setup, rate_rps: float, stream: np.random.Generator) -> Ints:
    if rate_rps <= 0:
        return np.zeros(0, np.int64)
    if setup.arrivals is Arrivals.UNIFORM:
        times = np.arange(int(rate_rps * setup.seconds) + 1) / rate_rps
    elif setup.arrivals is Arrivals.TRACE:
        times = _recorded(np.asarray(setup.trace_s), rate_rps, setup.seconds, stream)
    else:
        times = _renewal(setup.arrivals is Arrivals.BURSTY, rate_rps, setup.seconds, stream)
    return np.floor(times[times < setup.seconds] * NS_PER_S).astype(np.int64)


def _renewal(bursty: bool, rate_rps: float, seconds: float, stream: np.random.Generator) -> Floats:
    """Independent gaps: exponential, or with a heavy tail."""
    expected = rate_rps * seconds
    size = int(expected + 10 * np.sqrt(expected)) + 100
    pieces, last = [], 0.0
    while last < seconds:
        gaps = stream.pareto(TAIL, size) * (TAIL - 1) if bursty else stream.exponential(size=size)
        pieces.append(last + np.cumsum(gaps) / rate_rps)
        last = float(pieces[-1][-1])
    return np.concatenate(pieces)


def _recorded(trace_s: Floats, rate_rps: float, seconds: float, stream: np.random.Generator) -> Floats:
    """The gaps of a trace, at a pace that makes the mean rate, from a random one on and over again if they run out."""
    gaps = np.diff(np.sort(trace_s))
    gaps = np.roll(gaps, -int(stream.integers(gaps.size))) / (gaps.mean() * rate_rps)
    once = float(gaps.sum())
    return np.cumsum(np.tile(gaps, int(seconds / once) + 1))
