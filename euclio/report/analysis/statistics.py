"""Measured numbers with 95 % intervals: Wilson for shares, seeded bootstrap (percentile or BCa) for means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Z_95 = 1.959963984540054
RESAMPLES = 2000
BOOTSTRAP_SEED = 1131
SHIFT_S = 1.0
"""Shift of mean times in seconds. Times far below it count alike, so that noise of milliseconds does not decide."""

_CELLS = 5_000_000

Values = NDArray[np.float64]
Interval = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured number.

    Attributes:
        value: the number; NaN if there is nothing to measure.
        low: lower end of the 95 % interval; None if an interval has no meaning (a maximum, a time).
        high: its upper end.
        n: number of observations.
        exact: whether it needs no interval, such as a number of a worked case.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 0
    exact: bool = False


def share(hits: pd.Series[bool], scale: float = 100.0) -> Measured:
    """Share of true values in per cent, with the Wilson score interval (Wilson 1927)."""
    n = len(hits)
    if n == 0:
        return Measured(float("nan"))
    p = float(hits.mean())
    centre = (p + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 / (1 + Z_95**2 / n) * float(np.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n)))
    return Measured(scale * p, scale * max(0.0, centre - half), scale * min(1.0, centre + half), n)


def mean(
    values: pd.Series[float] | Values,
    scale: float = 1.0,
    *,
    interval: Interval = "percentile",
    seed: int = BOOTSTRAP_SEED,
) -> Measured:
    """Mean with a bootstrap interval; values that are not finite are left out.

    Args:
        values: the observations.
        scale: factor of all of them, such as 100 for per cent.
        interval: "percentile", or "bca" (bias-corrected and accelerated: Efron 1987).
        seed: seed of the resamples.

    Returns:
        The mean. With any observation the ends of the interval are finite; if all are equal, they are the mean itself.
    """
    given: Values = np.asarray(values, dtype=np.float64)
    return means(given[np.isfinite(given)][:, None] * scale, interval=interval, seed=seed)[0]


def means(columns: Values, *, interval: Interval = "percentile", seed: int = BOOTSTRAP_SEED) -> list[Measured]:
    """Means of several columns over the same resampled rows, so that their intervals belong together.

    Args:
        columns: shape (observations, columns); a column leaves out its values that are not finite.
        interval: as of `mean`.
        seed: seed of the resamples.

    Returns:
        One mean per column, as of `mean`.
    """
    known = np.isfinite(columns)
    drawn = list(_resampled_means(np.where(known, columns, 0.0), known, seed)) if columns.size else []
    resampled = np.concatenate(drawn) if drawn else np.zeros((0, columns.shape[1]))
    return [_measured(columns[known[:, k], k], resampled[:, k], interval) for k in range(columns.shape[1])]


def ratio_of_sums(above: pd.Series[float], below: pd.Series[float], scale: float = 1.0) -> Measured:
    """Ratio of two sums over the same observations, with a bootstrap interval.

    The resampled observations come from the linearised ratio: each is the ratio plus its own effect, so that their mean
    is the ratio.

    Args:
        above: terms of the numerator.
        below: terms of the denominator, not all 0.
        scale: factor of the ratio, such as 100 for per cent.
    """
    if not len(below):
        return Measured(float("nan"))
    ratio = above.sum() / below.sum()
    return mean(ratio + (above - ratio * below) / below.mean(), scale)


def _resampled_means(columns: Values, known: NDArray[np.bool_], seed: int) -> Iterator[Values]:
    """Means of the resamples, a part at a time to bound the memory; NaN if a resample has no known value."""
    generator = np.random.default_rng(seed)
    n = len(columns)
    shares = np.full(n, 1.0 / n)
    part = max(1, _CELLS // n)
    for start in range(0, RESAMPLES, part):
        weights = generator.multinomial(n, shares, size=min(part, RESAMPLES - start)).astype(np.float64)
        with np.errstate(invalid="ignore"):
            yield weights @ columns / (weights @ known)


def _measured(values: Values, resampled: Values, interval: Interval) -> Measured:
    """The mean of known values, with the interval that their resampled means give."""
    if values.size == 0:
        return Measured(float("nan"))
    value = float(values.mean())
    if values.min() == values.max():
        return Measured(value, value, value, int(values.size))
    found = resampled[np.isfinite(resampled)]
    low, high = np.percentile(found, (2.5, 97.5) if interval == "percentile" else _bca_percentiles(values, found))
    return Measured(value, float(low), float(high), int(values.size))


def _bca_percentiles(values: Values, resampled: Values) -> tuple[float, float]:
    """Percentiles of the resampled means that are the BCa interval's ends (Efron 1987, section 3).

    Resamples that equal the mean count half, so that many ties (most gaps 0) do not push the bias to infinity.
    """
    from scipy.stats import norm

    value = values.mean()
    below = float(np.mean(resampled < value) + 0.5 * np.mean(resampled == value))
    least = 0.5 / resampled.size
    bias = float(norm.ppf(min(max(below, least), 1 - least)))
    away = values - value
    acceleration = float((away**3).sum() / (6 * (away**2).sum() ** 1.5))

    def percentile(z: float) -> float:
        corrected = bias + z
        room = 1 - acceleration * corrected
        return 100 * float(norm.cdf(bias + corrected / room)) if room > 0 else 100.0 * (z > 0)

    return percentile(-Z_95), percentile(Z_95)


def largest(values: pd.Series[float], scale: float = 1.0) -> Measured:
    """Largest value, without an interval; values that are not finite are left out."""
    kept = values[np.isfinite(values)]
    return Measured(scale * float(kept.max()) if len(kept) else float("nan"), n=len(kept))


@dataclass(frozen=True, slots=True)
class Sample:
    """Observations and their statistic; its number is available without the interval, which takes far longer.

    Attributes:
        values: the observations; of a share whether each of them counts.
        of: `mean`, `share` or `largest`.
        scale: factor of the number, such as 100 for per cent.
    """

    values: pd.Series[Any] | Values
    of: Callable[[Any, float], Measured]
    scale: float = 100.0

    @property
    def value(self) -> float:
        """The number; NaN if there is nothing to measure."""
        if self.of is not mean:
            return self.of(self.values, self.scale).value
        given: Values = np.asarray(self.values, dtype=np.float64)
        kept = given[np.isfinite(given)] * self.scale
        return float(kept.mean()) if kept.size else float("nan")

    def measured(self) -> Measured:
        """The number with its interval."""
        return self.of(self.values, self.scale)


def measured(samples: Mapping[str, Sample]) -> dict[str, Measured]:
    """The numbers with their intervals, by the same keys."""
    return {key: sample.measured() for key, sample in samples.items()}


def exactly(value: float, n: int = 0) -> Measured:
    """A number that needs no interval, such as one of a worked case."""
    return Measured(float(value), n=n, exact=True)


def of_one_run(value: float, n: int = 0) -> Measured:
    """A number that varies between runs but was measured once, so it has no interval."""
    return Measured(float(value), n=n)


def shifted_geometric_mean(values: pd.Series[float] | Values, shift: float = SHIFT_S) -> float:
    """Geometric mean of value + shift, less the shift (Achterberg 2007, appendix A).

    Args:
        values: at least 0, in any unit; values that are not finite are left out.
        shift: in the same unit; 0 is the plain geometric mean.

    Returns:
        The mean; NaN of nothing.
    """
    given: Values = np.asarray(values, dtype=np.float64)
    kept: Any = given[np.isfinite(given)]
    if kept.size == 0:
        return float("nan")
    with np.errstate(divide="ignore"):
        return max(0.0, float(np.exp(np.log(kept + shift).mean()) - shift))
