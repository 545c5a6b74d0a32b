"""Changes of machines, and vectors that serve, over tables of vectors of machines (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


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
def serving_vectors(
    vectors: Ints, latency_s: Floats, first: int, end: int, budget_s: float, kept: Ints, shape: Ints
) -> Flags:
    """The vectors of a box that serve within a budget, flat: those kept, choices that are fast enough, and all above.

    Args:
        vectors: machines by type of choices.
        latency_s: their latencies, which rise from `first` to `end`.
        first: first choice.
        end: the end of the last one.
        budget_s: the budget.
        kept: machines that serve anyway.
        shape: numbers of machines by type, plus one.
    """
    cells = 1
    for size in shape:
        cells *= size
    serves = np.zeros(cells, np.bool_)
    serves[_place(kept, shape)] = True
    for i in range(first, end):
        # Latencies rise: no choice after this one is fast enough.
        if latency_s[i] > budget_s:
            break
        serves[_place(vectors[i], shape)] = True
    stride = cells
    for axis in range(shape.size):
        block = stride
        stride //= shape[axis]
        for first in range(0, cells, block):
            for place in range(first + stride, first + block):
                serves[place] |= serves[place - stride]
    return serves


@compiled
def _place(machines: Ints, shape: Ints) -> int:
    place = 0
    for axis in range(shape.size):
        place = place * shape[axis] + machines[axis]
    return place
