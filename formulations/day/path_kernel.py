"""Changes of machines, and latencies, over tables of vectors of machines (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHORT_ROW = 32
"""Neighbours in a row below which sweeps go from block to block."""


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
        # One more started than in the best way to one less. Neighbours lie in rows, which run in one go; where rows are
        # short, blocks do: each number waits for the one before it in its own block alone.
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
    """Lower each cost to that of the other vector with the change, where it is less."""
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
    # No change is mostly the best, and rules most others out by their own cost.
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
    """The least latency in seconds of each vector of a box, flat, and infinite where it serves in no known way.

    Args:
        vectors: machines by type of choices.
        latency_s: their latencies, which rise from `first` to `end`.
        first: first choice.
        end: the end of the last one.
        kept: machines that serve anyway.
        kept_s: their latency.
        shape: numbers of machines by type, plus one; choices with more are left out.
    """
    cells = 1
    for size in shape:
        cells *= size
    least = np.full(cells, np.inf)
    least[_place(kept, shape)] = kept_s
    for i in range(first, end):
        inside = True
        for axis in range(shape.size):
            inside = inside and vectors[i, axis] < shape[axis]
        if inside:
            place = _place(vectors[i], shape)
            least[place] = min(least[place], latency_s[i])
    # With more machines than a choice some may idle, so none of them is slower.
    stride = cells
    for axis in range(shape.size):
        block = stride
        stride //= shape[axis]
        for first_of_block in range(0, cells, block):
            for place in range(first_of_block + stride, first_of_block + block):
                least[place] = min(least[place], least[place - stride])
    return least


@compiled
def _place(machines: Ints, shape: Ints) -> int:
    place = 0
    for axis in range(shape.size):
        place = place * shape[axis] + machines[axis]
    return place
