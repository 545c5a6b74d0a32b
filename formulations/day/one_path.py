"""The cheapest numbers of machines from step to step, of one module whose vectors that serve are known (ours).

V_k(x) is the least cost of the first k steps that ends with x machines (docs/model/load-over-time.md). Of large
tables V only every so many are kept; those between are computed again on the way back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from formulations.day.transitions import ChangePrices, Floats

KEPT_ENTRIES = 4_000_000
"""Entries of the tables of all steps, up to which all are kept: 32 MB."""


class LateError(Exception):
    """The deadline passed."""


class Path(NamedTuple):
    """The cheapest numbers of machines.

    Attributes:
        cost: what they cost.
        machines: the vector of each step.
    """

    cost: float
    machines: tuple[tuple[int, ...], ...]


def cheapest_path(
    serves: Callable[[int], NDArray[np.bool_]],
    per_h: Floats,
    hours: Sequence[float],
    changes: ChangePrices,
    deadline: float,
) -> Path | int:
    """The cheapest path.

    Args:
        serves: the vectors that serve in a step, by its number from 0.
        per_h: price per hour of each vector.
        hours: lengths of the steps.
        changes: prices of changes.
        deadline: when to give up, on the clock of `time.perf_counter`.

    Returns:
        The path; or the number of the first step in which nothing serves.

    Raises:
        LateError: the deadline passed.
    """

    def step(k: int, before: Floats | None) -> Floats:
        if time.perf_counter() > deadline:
            raise LateError
        arrived = np.zeros_like(per_h) if before is None else changes.after_change(before)
        cost: Floats = np.where(serves(k), arrived + hours[k] * per_h, np.inf)
        return cost

    steps = len(hours)
    # All tables where they are small; else near the square root of the steps, so that as many are kept as are made anew
    # at a time.
    every = 1 if steps * per_h.size <= KEPT_ENTRIES else isqrt(steps - 1) + 1
    kept: list[Floats] = []
    cost: Floats | None = None
    for k in range(steps):
        cost = step(k, cost)
        if not np.isfinite(cost).any():
            return k
        if k % every == 0:
            kept.append(cost)
    assert cost is not None
    at = _place(int(np.argmin(cost)), cost.shape)
    path = [at]
    for block in reversed(range(len(kept))):
        first, end = block * every, min((block + 1) * every, steps)
        tables = [kept[block]]
        for k in range(first + 1, end):
            tables.append(step(k, tables[-1]))
        for k in reversed(range(first, end)):
            if k < steps - 1:
                at = changes.best_before(tables[k - first], at)
                path.append(at)
    return Path(float(cost.min()), tuple(reversed(path)))


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unravel_index(flat, shape))
