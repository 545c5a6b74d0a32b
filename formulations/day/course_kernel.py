"""The cheapest course of one module over all steps, at prices of machines and of latency (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from formulations.day.path_kernel import after_changes, best_before

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def cheapest_course(
    latency_s: Floats,
    row: Ints,
    prices: Floats,
    price_of_s: Floats,
    start: Floats,
    stop: Floats,
    shape: Ints,
    cost: Floats,
    on: Ints,
    latencies: Floats,
) -> float:
    """The least cost of a course of vectors of machines.

    Args:
        latency_s: latency of each vector by rate, infinite where it does not serve, shape (rates, vectors).
        row: the rate of each step, by its row.
        prices: price of a machine in each step, shape (steps, types).
        price_of_s: price of a second of latency in each step.
        start: money per machine that is started, by type.
        stop: money per machine that is stopped, by type.
        shape: numbers of machines of each type, plus one.
        cost: room for the tables of all steps, shape (steps, vectors).
        on: to be filled with the machines of a course that costs so much, shape (steps, types).
        latencies: to be filled with its latencies.
    """
    steps, cells = cost.shape
    types = shape.size
    # The vector of each place of a flat table, since prices and changes are per type.
    vectors = np.empty((types, cells))
    for place in range(cells):
        rest = place
        for axis in range(types - 1, -1, -1):
            vectors[axis, place] = rest % shape[axis]
            rest //= shape[axis]
    # Forward: what the cheapest course up to a step costs by the vector that it ends in.
    for k in range(steps):
        own = cost[k]
        if k:
            own[:] = cost[k - 1]
            # From any vector to any other at once: changes are charged type by type, so one sweep per type is enough.
            after_changes(own, shape, start, stop)
        else:
            own[:] = 0.0
        seconds = latency_s[row[k]]
        for axis in range(types):
            price, numbers = prices[k, axis], vectors[axis]
            for place in range(cells):
                own[place] += price * numbers[place]
        for place in range(cells):
            # A vector that does not serve the step has no latency, and no course goes through it.
            slow = seconds[place]
            own[place] = own[place] + price_of_s[k] * slow if slow < np.inf else np.inf
    at = int(np.argmin(cost[steps - 1]))
    least = cost[steps - 1, at]
    # Back: the tables do not say where a vector was reached from, which costs one more look at each step.
    for k in range(steps - 1, -1, -1):
        for axis in range(types):
            on[k, axis] = int(vectors[axis, at])
        latencies[k] = latency_s[row[k], at]
        if k:
            at = best_before(cost[k - 1], shape, at, start, stop)
    return float(least)
