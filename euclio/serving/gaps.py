"""Gaps between requests: exponential, with a heavy tail, of a given variability, or as recorded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from euclio.serving.setup import Arrivals, Setup
from euclio.serving.units import Floats

Gaps = Callable[[int], Floats]
"""Gives so many gaps more, which go on where the last ones ended."""

TAIL = 2.5
"""Exponent of the tail of bursty gaps (Pareto of the second kind, also called Lomax).

Their variance over their squared mean is TAIL / (TAIL - 2) = 5, and so is the index of dispersion of the counts in long
windows (1 for Poisson). Such tails converge slowly: over windows of ten requests it is about 2.6, of a hundred 3.8.
"""


def gaps_of(setup: Setup, rate_rps: float, stream: np.random.Generator) -> Gaps:
    """The gaps of a process: drawn ones have mean 1, recorded ones are in seconds at the rate.

    Gamma gaps have the setup's coefficient of variation: their shape is 1 / cv², their scale cv².
    """
    match setup.arrivals:
        case Arrivals.BURSTY:
            return lambda count: stream.pareto(TAIL, count) * (TAIL - 1)
        case Arrivals.GAMMA:
            shape = setup.cv**-2
            return lambda count: stream.gamma(shape, 1 / shape, count)
        case Arrivals.TRACE:
            return _recorded(np.asarray(setup.trace_s), rate_rps, stream)
        case _:
            return lambda count: stream.exponential(size=count)


def _recorded(trace_s: Floats, rate_rps: float, stream: np.random.Generator) -> Gaps:
    """The gaps of a trace, at a pace that makes the mean rate, from a random one on, over again when they run out."""
    recorded = np.diff(np.sort(trace_s))
    gaps: Floats = np.roll(recorded, -int(stream.integers(recorded.size))) / (recorded.mean() * rate_rps)
    used = 0

    def following(count: int) -> Floats:
        nonlocal used
        taken: Floats = gaps[np.arange(used, used + count) % gaps.size]
        used = (used + count) % gaps.size
        return taken

    return following
