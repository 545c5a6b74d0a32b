"""How far a setting is from a paper's published numbers.

A number is off by ln((x + f)/(p + f)), x measured, p published, where the floor f = 0.1 is one unit of the last digit
that mean extra costs are printed with: half of 0.8 % is about as far as half of 80 %. A share above 50 % is taken by
its complement, since 97.7 for 94.2 % are 2.5 times as few failures. What is cheaper where an extra cost is printed
counts as no extra cost.

The distance is the mean of what numbers are off by, each cut at a factor of two: one that no setting reaches does not
hide the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from euclio.posterior.groups import group
from euclio.posterior.targets import targets

OFF = float(np.log(2.0))
"""The largest logarithm that counts: a number that is off by more than a factor of two is off, however far."""
FLOOR = 0.1
"""The floor of a number's logarithm, one unit of the last digit that mean extra costs are printed with."""
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
        [float(scaled(k, figures.get(k, np.nan)) - scaled(k, targets()[k].value)) for k in keys], dtype=np.float64
    )


def distances(logs: Values) -> Values:
    """The distances of settings whose numbers are off by some logarithms, shape (settings, numbers)."""
    apart = np.abs(logs)
    return np.asarray(np.minimum(np.where(np.isfinite(apart), apart, OFF), OFF).mean(axis=-1), dtype=np.float64)


def distance(figures: Mapping[str, float], keys: Sequence[str]) -> float:
    """The distance of measured numbers; infinite: the setting has no workloads."""
    return float(distances(off(figures, keys))) if figures else float("inf")


def without(keys: Sequence[str], left_out: str) -> tuple[str, ...]:
    """The numbers that are not of a group."""
    return tuple(key for key in keys if group(key) != left_out)
