"""Histograms of times whose bins are at most 0.1 % wide, so that memory does not grow with the entries (ours).

A time v in whole nanoseconds below 2048 has a bin of its own; above, its eleven leading bits decide.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled, compiled_on_tables
from euclio.serving.units import Floats, Ints

BITS = 10
LEADING = 1 << BITS
"""Bins per power of two."""
BINS = (62 - BITS) * LEADING + LEADING
"""Bins that hold all times below 2⁶²."""


@compiled_on_tables
def bin_of(time: int, guess: int) -> tuple[int, int]:
    """The bin of a time, and its exponent.

    `time` is in nanoseconds, 0 or more; the search begins at the exponent `guess`, often that of the entry before.
    """
    exponent = guess
    while (time >> exponent) >= 2 * LEADING:
        exponent += 1
    while exponent > 0 and (time >> exponent) < LEADING:
        exponent -= 1
    return exponent * LEADING + (time >> exponent), exponent


@compiled
def bins_of(times: Ints, never: int, ticks_per_ns: int) -> Ints:
    """The bins of times; `BINS` for times above all bins.

    Args:
        times: in ticks, 0 or more.
        never: the value that stands for a time above all bins.
        ticks_per_ns: ticks of a nanosecond; parts of one are left out.
    """
    bins, exponent = np.empty(times.size, np.int64), 0
    for k in range(times.size):
        if times[k] == never:
            bins[k] = BINS
        else:
            bins[k], exponent = bin_of(times[k] // ticks_per_ns, exponent)
    return bins


def edges(bins: Ints) -> Ints:
    """The least time of each bin, in nanoseconds."""
    exponent = np.maximum(bins // LEADING - 1, 0)
    found: Ints = (bins - exponent * LEADING) << exponent
    return found


def quantiles(histogram: Ints, shares: Floats) -> Floats:
    """Times that shares of the entries do not exceed, in nanoseconds, to half a bin; NaN if there are no entries.

    Args:
        histogram: entries per bin, shape (BINS,).
        shares: in [0, 1].
    """
    reached = np.cumsum(histogram)
    if reached[-1] == 0:
        return np.full(len(shares), np.nan)
    # The k-th smallest of n entries, k = ⌈share·n⌉ and at least the first.
    wanted = np.maximum(np.ceil(np.asarray(shares) * reached[-1] - 1e-9), 1)
    bins = np.searchsorted(reached, wanted)
    low, high = edges(bins), edges(bins + 1)
    return (low + high - 1) / 2
