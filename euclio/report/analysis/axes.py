"""Curves of shares, and axes of gaps, ratios and times with readable ticks."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from euclio.report.analysis.statistics import Values

MOST_POINTS = 400
"""Points of a curve that are drawn."""


def cumulative(values: NDArray[np.floating], total: int) -> tuple[Values, Values]:
    """Points of an empirical distribution function, for steps that are drawn "post".

    Args:
        values: finite observations; the others count in `total` alone.
        total: number of observations.

    Returns:
        Places and shares in per cent; starts at 0 at the smallest value.
    """
    ordered = np.sort(values)
    shares = 100.0 * np.arange(1, ordered.size + 1) / total
    return np.r_[ordered[:1], ordered], np.r_[np.zeros(min(ordered.size, 1)), shares]


def thinned(size: int) -> Values:
    """Indices of at most `MOST_POINTS` of so many points in order, the first and the last among them."""
    return np.unique(np.linspace(0, max(size - 1, 0), min(size, MOST_POINTS)).round().astype(int))


def time_axis(axes: Axes, times: Values, which: str = "x") -> None:
    """A logarithmic axis for seconds with plain numbers."""
    known = times[np.isfinite(times) & (times > 0)]
    low, high = (known.min(), known.max()) if known.size else (0.1, 1.0)
    _log_axis(axes, which, low / 1.25, max(high * 1.25, low * 3))


def ratio_axis(axes: Axes, largest: float, *, least: float = 1.0) -> None:
    """A logarithmic horizontal axis of ratios, ticks at readable numbers."""
    _log_axis(axes, "x", least if least == 1.0 else least / 1.05, max(largest, least * 1.01) * 1.02)


def _log_axis(axes: Axes, which: str, low: float, high: float) -> None:
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    ticks = _log_ticks(low, high)
    axis.set_major_locator(FixedLocator([low, *ticks] if low == 1.0 < ticks[0] / 1.05 else ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axis.set_minor_formatter(NullFormatter())


def _log_ticks(low: float, high: float) -> list[float]:
    """At least four round numbers: powers of ten, with parts of them where those are few; within a decade even."""
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    powers = [10.0**d for d in decades if low <= 10.0**d <= high]
    if len(powers) > 6:
        return powers[:: (len(powers) + 5) // 6]
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [f * 10.0**d for d in decades for f in factors if low <= f * 10.0**d <= high]
        if len(found) >= 4 and high > 8 * low:
            return found
    for power in (np.floor(np.log10(high - low)), np.floor(np.log10(high - low)) - 1):
        for factor in (5, 2, 1):
            step = factor * 10.0**power
            found = [float(k * step) for k in range(int(np.ceil(low / step)), int(high / step) + 1)]
            if len(found) >= 4:
                return found
    return [low, high]


def percent_axis(axes: Axes, percents: Values) -> None:
    """An axis of gaps in per cent: linear, or linear near 0 and logarithmic beyond where they span decades."""
    positive = percents[np.isfinite(percents) & (percents > 1e-7)]
    largest = float(positive.max()) if positive.size else 1.0
    start = max(float(np.quantile(positive, 0.1, method="lower")), 1e-4) if positive.size else largest
    if largest / start > 30:
        threshold = 10.0 ** np.floor(np.log10(start))
        axes.set_xscale("symlog", linthresh=threshold, linscale=0.4)
        decades = np.arange(np.log10(threshold), np.log10(largest) + 1e-9)
        axes.xaxis.set_major_locator(FixedLocator([0.0, *(10.0**d for d in decades)]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
        axes.set_xlim(-0.25 * threshold, largest * 1.15)
    else:
        axes.set_xlim(-0.02 * largest, largest * 1.04)
