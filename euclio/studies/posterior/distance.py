"""How far a setting is from the published figures.

The distance is the weighted root mean square of ln((x + 1)/(p + 1)) over the fitted figures, x measured, p printed:
relative for large figures, absolute below 1 (one per cent), so that 0.2 against 0 is not infinitely wrong. A figure
weighs 1/(0.2² + noise²): noise is how far two samples of so many workloads of one setting lie apart, and 0.2 is what
a model of somebody else's profiles may be off by anyway. Without the second part the least noisy figure would decide
alone; without the first, figures that 60 workloads cannot show would count as much as those that they show well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from euclio.studies.posterior.prior import PAPERS
from euclio.studies.posterior.targets import targets

MODEL_ERROR = 0.2
"""By which part a figure of the true setting may be off, since profiles of several networks share their factors."""
UNKNOWN = 1.5
"""The largest logarithm that counts, 4.5 times too much or too little, and that of a figure which no workload shows.

What no setting reaches is wrong by so much for all of them, and must not hide the others.
"""
LEAST = -0.9
"""Figures below it (cheaper by per cents where an extra cost is printed) count as it."""

Values = NDArray[np.float64]


def logarithms(figures: Mapping[str, float], keys: Sequence[str]) -> Values:
    """ln((x + 1)/(p + 1)) of every figure; NaN where there is nothing measured."""
    measured = np.array([figures.get(key, np.nan) for key in keys], dtype=np.float64)
    printed = np.array([targets()[key].value for key in keys])
    logs: Values = np.log((np.maximum(measured, LEAST) + 1) / (printed + 1))
    return logs


def weights(noise: Mapping[str, float], keys: Sequence[str]) -> Values:
    """Weight of every figure, 1 in sum."""
    raw = np.array([1 / (MODEL_ERROR**2 + noise.get(key, 0.0) ** 2) for key in keys])
    scaled: Values = raw / raw.sum()
    return scaled


def distance(
    figures: Mapping[str, float], noise: Mapping[str, float], keys: Sequence[str], papers: Sequence[str] = PAPERS
) -> float:
    """The distance of measured figures from the published ones; infinite: the setting has no workloads.

    Args:
        figures: measured figures by name.
        noise: standard deviation of the logarithm of every figure by name.
        keys: the figures that count.
        papers: the papers that are simulated already; figures of others are taken for met, so that the distance is the
            least that the setting can have.
    """
    if not figures:
        return float("inf")
    logs = logarithms(figures, keys)
    squares = np.minimum(np.where(np.isfinite(logs), np.abs(logs), UNKNOWN), UNKNOWN) ** 2
    squares[[key.partition(":")[0] not in papers for key in keys]] = 0.0
    return float(np.sqrt(weights(noise, keys) @ squares))


def pooled_noise(
    pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], keys: Sequence[str]
) -> dict[str, float]:
    """Standard deviation of the logarithm of every figure, from pairs of samples of one setting each.

    Pairs in which a figure is the same, most often since it does not occur in such a setting, say nothing of its noise;
    of the others the median counts, so that no single setting decides.
    """
    apart = np.array([logarithms(a, keys) - logarithms(b, keys) for a, b in pairs]).reshape(-1, len(keys))
    found = {}
    for key, column in zip(keys, apart.T, strict=True):
        known = np.abs(column[np.isfinite(column) & (column != 0.0)])
        # The median of |difference of two| is 0.954 standard deviations of one.
        found[key] = round(float(np.median(known)) / 0.954, 4) if known.size else UNKNOWN
    return found
