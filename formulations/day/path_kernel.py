"""Changes of machines, and latencies, over tables of vectors of machines (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
        for first in range(0, cost.size, block):
            # One more started than in the best way to one less; neighbours lie in rows, which run in one go.
            for row in range(first + stride, first + block, stride):
                for place in range(row, row + stride):
                    started = cost[place - stride] + up
                    if started < cost[place]:
                        cost[place] = started
            for row in range(first + block - 2 * stride, first - 1, -stride):
                for place in range(row, row + stride):
                    stopped = cost[place + stride] + down
                    if stopped < cost[place]:
                        cost[place] = stopped


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
