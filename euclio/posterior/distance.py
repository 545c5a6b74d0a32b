"""How far a setting is from a paper's published numbers.

A number is off by ln((x + f)/(p + f)), x measured, p published, where the floor f = 0.1 is one unit of the last digit
that mean extra costs are printed with: half of 0.8 % is about as far as half of 80 %. A share above 50 % is taken by
its complement, since 97.7 for 94.2 % are 2.5 times as few failures. What is cheaper where an extra cost is printed
counts as no extra cost.

Numbers of one group are off together: what the model lacks for one of them it lacks for all. So a group counts by the
mean square of its numbers, each weighed by 1/(0.2² + noise²); noise is how far two samples of so many workloads of one
setting lie apart. A group of n numbers is weighed by n/(1 + (n - 1)/2)/s², as errors that correlate by a half, where
the model's discrepancy s of the group is what settings of the prior leave that are nearest in this group alone: a group
that no setting reaches does not hide the others. The distance is the root of the weighted mean: 0.7 means off by a
factor of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from euclio.posterior.groups import group, groups_of
from euclio.posterior.targets import every, targets

MODEL_ERROR = 0.2
"""By which part a single number of the true setting may be off next to the others of its group."""
UNKNOWN = 1.5
"""The largest logarithm that counts, 4.5 times too much or too little, and that of a number which no workload shows."""
LEAST = -0.9
"""Numbers below it are drawn, and lines through them laid, as if they were it: their logarithm is ln(x + 1)."""
FLOOR = 0.1
"""The floor of a number's logarithm, one unit of the last digit that mean extra costs are printed with."""
REACHED = 0.05
"""Share of the draws from the prior, nearest in a group alone, whose farthest says what the model is off by there."""
LEAST_DISCREPANCY = 0.5
"""No group counts as better known: a group of one number is met by chance."""
WITHIN = 0.5
"""Correlation of what numbers of one group are off by: eight of them count as less than two."""

Values = NDArray[np.float64]


def by_complement(key: str) -> bool:
    """Whether a number is a share that is printed above 50 %."""
    return key.endswith("_share") and targets()[key].value > 50.0


def scaled(key: str, values: Values | float) -> Values:
    """Numbers on the scale of the distance."""
    found = np.asarray(values, dtype=np.float64)
    if by_complement(key):
        lowered: Values = -np.log(np.maximum(100.0 - found, 0.0) + FLOOR)
        return lowered
    raised: Values = np.log(np.maximum(found, 0.0) + FLOOR)
    return raised


def unscaled(key: str, logs: Values) -> Values:
    """Numbers from the scale of the distance; shares stay between 0 and 100 %."""
    if by_complement(key):
        lowered: Values = np.clip(100.0 - np.exp(-logs) + FLOOR, 0.0, 100.0)
        return lowered
    raised = np.maximum(np.exp(logs) - FLOOR, 0.0)
    return np.minimum(raised, 100.0) if key.endswith("_share") else raised


def off(figures: Mapping[str, float], keys: Sequence[str]) -> Values:
    """By which logarithm every number is off; NaN where there is nothing measured."""
    return np.array(
        [float(scaled(k, figures.get(k, np.nan)) - scaled(k, every()[k].value)) for k in keys], dtype=np.float64
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """What a distance is measured by.

    Attributes:
        keys: the numbers.
        noise: standard deviation of the logarithm of every number between two samples of workloads, by PAPER:KEY.
        discrepancy: what the model is off by, by group; a group that is not in it has `LEAST_DISCREPANCY`.
    """

    keys: tuple[str, ...]
    noise: Mapping[str, float]
    discrepancy: Mapping[str, float]

    def without(self, left_out: str) -> Measure:
        """The measure without a group."""
        return Measure(tuple(k for k in self.keys if group(k) != left_out), self.noise, self.discrepancy)

    @property
    def weights(self) -> Values:
        """Weight of the square of every number, in all 1."""
        found = dict.fromkeys(self.keys, 0.0)
        for name, own in groups_of(self.keys).items():
            parts = {k: 1.0 / (MODEL_ERROR**2 + self.noise.get(k, 0.0) ** 2) for k in own}
            counted = len(own) / (1 + WITHIN * (len(own) - 1)) / self.discrepancy.get(name, LEAST_DISCREPANCY) ** 2
            found |= {k: counted * part / sum(parts.values()) for k, part in parts.items()}
        weights = np.array([found[k] for k in self.keys])
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def distances(self, logs: Values) -> Values:
        """The distances of settings whose numbers are off by some logarithms, shape (settings, numbers)."""
        cut = np.minimum(np.where(np.isfinite(logs), np.abs(logs), UNKNOWN), UNKNOWN)
        return np.asarray(np.sqrt(cut**2 @ self.weights), dtype=np.float64)

    def distance(self, figures: Mapping[str, float]) -> float:
        """The distance of measured numbers; infinite: the setting has no workloads."""
        if not figures:
            return float("inf")
        return float(self.distances(off(figures, self.keys)[None, :])[0])


def pooled_noise(
    pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], keys: Sequence[str]
) -> dict[str, float]:
    """Standard deviation of the logarithm of every number, from pairs of samples of one setting each.

    Pairs in which a number is the same, most often since it does not occur in such a setting, say nothing of its noise;
    of the others the median counts, so that no single setting decides.
    """
    apart = np.array([off(a, keys) - off(b, keys) for a, b in pairs]).reshape(-1, len(keys))
    found = {}
    for key, column in zip(keys, apart.T, strict=True):
        known = np.abs(column[np.isfinite(column) & (column != 0.0)])
        # The median of |difference of two| is 0.954 standard deviations of one.
        found[key] = round(float(np.median(known)) / 0.954, 4) if known.size else UNKNOWN
    return found


def discrepancies(
    figures: Sequence[Mapping[str, float]], keys: Sequence[str], noise: Mapping[str, float]
) -> dict[str, float]:
    """What the model is off by in every group: the distance in it that one in twenty settings stays within.

    Args:
        figures: numbers of draws from the prior.
        keys: the numbers that count.
        noise: their noise.
    """
    found = {}
    for name, own in groups_of(keys).items():
        alone = Measure(own, noise, {})
        apart = np.sort([alone.distance(one) for one in figures if one])
        nearest = float(apart[max(0, round(REACHED * apart.size) - 1)]) if apart.size else UNKNOWN
        found[name] = round(max(LEAST_DISCREPANCY, nearest), 4)
    return found
