"""Measured numbers with 95 % intervals: Wilson for shares, seeded bootstrap percentiles for means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

Z_95 = 1.959963984540054
RESAMPLES = 2000
BOOTSTRAP_SEED = 1131


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured number.

    Attributes:
        value: the number; NaN: nothing to measure.
        low: lower end of the 95 % interval; None where an interval says nothing (a maximum, a time).
        high: its upper end.
        n: how many observations it is made of.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0


def share(hits: pd.Series[bool], scale: float = 100.0) -> Measured:
    """Share of true values in per cent, with the Wilson score interval."""
    n = len(hits)
    if n == 0:
        return Measured(float("nan"))
    p = float(hits.mean())
    centre = (p + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 / (1 + Z_95**2 / n) * float(np.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n)))
    return Measured(scale * p, scale * max(0.0, centre - half), scale * min(1.0, centre + half), n)


def mean(values: pd.Series[float], scale: float = 1.0) -> Measured:
    """Mean with the bootstrap percentile interval; values that are not finite are left out."""
    kept = values[np.isfinite(values)].to_numpy(dtype=np.float64) * scale
    if kept.size == 0:
        return Measured(float("nan"))
    generator = np.random.default_rng(BOOTSTRAP_SEED)
    weights = generator.multinomial(kept.size, np.full(kept.size, 1.0 / kept.size), size=RESAMPLES)
    means = weights @ kept / kept.size
    low, high = np.percentile(means, [2.5, 97.5])
    return Measured(float(kept.mean()), float(low), float(high), int(kept.size))


def largest(values: pd.Series[float], scale: float = 1.0) -> Measured:
    """Largest value, without an interval; values that are not finite are left out."""
    kept = values[np.isfinite(values)]
    return Measured(scale * float(kept.max()) if len(kept) else float("nan"), n=len(kept))


def exactly(value: float, n: int = 0) -> Measured:
    """A number that needs no interval, such as one of a worked case."""
    return Measured(float(value), n=n)
