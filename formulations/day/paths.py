"""The cheapest numbers of machines from step to step: transitions, and paths through serving vectors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.problems.day.instance import Day

# Changes of machines, and latencies, over tables of vectors of machines (compiled, ours).

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHORT_ROW = 32
"""Fewest neighbours in a row for sweeps along rows; below, sweeps go from block to block."""


@compiled
def after_changes(cost: Floats, shape: Ints, start: Floats, stop: Floats) -> None:
    """Turn the least cost of each vector before a change into that after it, in place.

    Args:
        cost: of each vector, flat.
        shape: numbers of machines by axis, plus one.
        start: money per machine that is started, by axis.
        stop: money per machine that is stopped.
    """
    stride = cost.size
    for axis in range(shape.size):
        length = shape[axis]
        block = stride
        stride //= length
        up, down = start[axis], stop[axis]
        # Starting one more machine extends the best way to one less. Neighbours lie in rows, which run in one go. If
        # rows are short, blocks run in one go, since each number waits only for the one before it in its own block.
        if stride >= SHORT_ROW:
            for first in range(0, cost.size, block):
                for row in range(first + stride, first + block, stride):
                    _lower(cost[row : row + stride], cost[row - stride : row], up)
                for row in range(first + block - 2 * stride, first - 1, -stride):
                    _lower(cost[row : row + stride], cost[row + stride : row + 2 * stride], down)
            continue
        for inside in range(stride, block):
            for first in range(0, cost.size, block):
                place = first + inside
                cost[place] = min(cost[place], cost[place - stride] + up)
        for inside in range(block - stride - 1, -1, -1):
            for first in range(0, cost.size, block):
                place = first + inside
                cost[place] = min(cost[place], cost[place + stride] + down)


@compiled
def _lower(own: Floats, other: Floats, change: float) -> None:
    """Lower each cost to that of the other vector with the change, if that is less."""
    for i in range(own.size):
        own[i] = min(own[i], other[i] + change)


@compiled
def best_before(cost: Floats, shape: Ints, to: int, start: Floats, stop: Floats) -> int:
    """The vector from which a change is the cheapest, the first of equals.

    Args:
        cost: of each vector before the change, flat.
        shape: numbers of machines by axis, plus one.
        to: the vector after the change.
        start: money per machine that is started, by axis.
        stop: money per machine that is stopped.
    """
    axes = shape.size
    target, machines = np.empty(axes, np.int64), np.empty(axes, np.int64)
    _write_machines(to, shape, target)
    # No change is mostly the best, and excludes most others by their own cost.
    best, found = cost[to], to
    for place in range(cost.size):
        own = cost[place]
        if own > best:
            continue
        _write_machines(place, shape, machines)
        for axis in range(axes):
            more = target[axis] - machines[axis]
            own += start[axis] * more if more > 0 else -stop[axis] * more
        if own < best or (own == best and place < found):
            best, found = own, place
    return found


@compiled
def _write_machines(place: int, shape: Ints, machines: Ints) -> None:
    """Write the vector at a place of a flat table."""
    for axis in range(shape.size - 1, -1, -1):
        machines[axis] = place % shape[axis]
        place //= shape[axis]


@compiled
def least_latencies(
    vectors: Ints, latency_s: Floats, first: int, end: int, kept: Ints, kept_s: float, shape: Ints
) -> Floats:
    """The least latency in seconds of each vector of a box, flat; infinite if it serves in no known way.

    Args:
        vectors: machines by type of choices.
        latency_s: their latencies, which rise from `first` to `end`.
        first: first choice.
        end: the end of the last one.
        kept: machines that serve in any case.
        kept_s: their latency.
        shape: numbers of machines by type, plus one; choices with more are left out.
    """
    cells = 1
    for size in shape:
        cells *= size
    least = np.full(cells, np.inf)
    least[_flat_place(kept, shape)] = kept_s
    for i in range(first, end):
        inside = True
        for axis in range(shape.size):
            inside = inside and vectors[i, axis] < shape[axis]
        if inside:
            place = _flat_place(vectors[i], shape)
            least[place] = min(least[place], latency_s[i])
    # Machines beyond a choice may idle, so more machines are never slower.
    stride = cells
    for axis in range(shape.size):
        block = stride
        stride //= shape[axis]
        for first_of_block in range(0, cells, block):
            for place in range(first_of_block + stride, first_of_block + block):
                least[place] = min(least[place], least[place - stride])
    return least


@compiled
def _flat_place(machines: Ints, shape: Ints) -> int:
    place = 0
    for axis in range(shape.size):
        place = place * shape[axis] + machines[axis]
    return place


# The cheapest way from any vector of machines to any other, with proportional costs of starts and stops (ours).


@dataclass(frozen=True, slots=True)
class ChangePrices:
    """Costs of changes, by axis of a table.

    Attributes:
        start: money per machine that is started.
        stop: money per machine that is stopped.
    """

    start: tuple[float, ...]
    stop: tuple[float, ...]

    def after_change(self, cost: Floats) -> Floats:
        """The least cost of each vector after a change, given that of each before it.

        Types change one after the other, each by a running minimum upwards and one downwards. Taking back a start is
        never cheaper, since neither price is below 0.
        """
        found = np.array(cost, order="C")
        after_changes(found.ravel(), np.array(cost.shape, np.int64), np.array(self.start), np.array(self.stop))
        return found

    def best_before(self, cost: Floats, machines: tuple[int, ...]) -> tuple[int, ...]:
        """The vector from which a change to `machines` is the cheapest, the first of equals."""
        to = int(np.ravel_multi_index(machines, cost.shape))
        found = best_before(cost.ravel(), np.array(cost.shape, np.int64), to, np.array(self.start), np.array(self.stop))
        return tuple(int(n) for n in np.unravel_index(found, cost.shape))


def change_prices(day: Day, axes: Sequence[tuple[int, int]]) -> ChangePrices:
    """The prices of changes by axis: the numbers of a module and a hardware type."""
    return ChangePrices(
        tuple(float(day.price_of_start(m, h)) for m, h in axes),
        tuple(float(day.price_of_stop(m, h)) for m, h in axes),
    )


def per_vector(prices: tuple[float, ...], shape: tuple[int, ...]) -> Floats:
    """Price of each vector of machines, given that of a machine by axis."""
    total = np.zeros(shape)
    for axis, price in enumerate(prices):
        total = total + _along(price * np.arange(shape[axis], dtype=np.float64), axis, len(shape))
    return total


def _along(values: Floats, axis: int, axes: int) -> Floats:
    """Values along one axis of a table."""
    return values.reshape([len(values) if k == axis else 1 for k in range(axes)])


# The cheapest numbers of machines from step to step, for one module with known serving vectors (ours).
#
# V_k(x) is the least cost of the first k steps that ends with x machines (docs/model/load-over-time.md). Large tables V
# are kept at intervals only; the way back computes those between again.

KEPT_ENTRIES = 4_000_000
"""Most entries of the tables of all steps for keeping all of them, 32 MB."""


class LateError(Exception):
    """The deadline passed."""


class MachinePath(NamedTuple):
    """The cheapest numbers of machines.

    Attributes:
        cost: their cost.
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
) -> MachinePath | int:
    """The cheapest path.

    Args:
        serves: the vectors that serve in a step, by its number from 0.
        per_h: price per hour of each vector.
        hours: lengths of the steps.
        changes: prices of changes.
        deadline: deadline on the clock of `time.perf_counter`.

    Returns:
        The path; or the number of the first step that no vector serves.

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
    # Keep all tables if they are small; else at intervals of about the square root of the steps, so that as many are
    # kept as are computed anew at a time.
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
    return MachinePath(float(cost.min()), tuple(reversed(path)))


def _place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unravel_index(flat, shape))
