"""Vectors that serve a rate and can do without no machine; the fastest within others (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@compiled
def minimal_vectors(
    rates: Floats, asked_rps: float, budgets_s: Floats, shape: Ints, ended: Flags, quickest_s: Floats, below: bool
) -> tuple[Ints, Floats]:
    """The vectors that serve a rate faster than all with a machine less, and their latencies.

    Args:
        rates: largest rates by budget and vector.
        asked_rps: the rate.
        budgets_s: the budgets, rising.
        shape: numbers of machines of each type, plus one.
        ended: the axes whose last vectors stand for more machines.
        quickest_s: least duration of a configuration on each type.
        below: whether latencies are to hold for bounds: the budget below the one that is kept, and at the end of axes
            the least duration on the types that are used.

    Returns:
        Machines by type, shape (vectors, types), and latencies.
    """
    latency = vector_latencies(rates, asked_rps, budgets_s, shape, ended, quickest_s, below)
    minimal = np.isfinite(latency)
    stride = 1
    for axis in range(shape.size - 1, -1, -1):
        for place in range(latency.size):
            # One stride before is the vector with a machine of this type less: as fast, it makes this one of no use.
            if place // stride % shape[axis] and latency[place - stride] <= latency[place]:
                minimal[place] = False
        stride *= shape[axis]
    size = 0
    for place in range(latency.size):
        size += minimal[place]
    vectors, found = np.empty((size, shape.size), np.int64), np.empty(size)
    size = 0
    for place in range(latency.size):
        if minimal[place]:
            rest = place
            for axis in range(shape.size - 1, -1, -1):
                vectors[size, axis] = rest % shape[axis]
                rest //= shape[axis]
            found[size] = latency[place]
            size += 1
    return vectors, found


@compiled
def vector_latencies(
    rates: Floats, asked_rps: float, budgets_s: Floats, shape: Ints, ended: Flags, quickest_s: Floats, below: bool
) -> Floats:
    """The latency of each vector; infinite where it does not serve."""
    cells, levels = rates.shape[1], budgets_s.size
    latency = np.empty(cells)
    on = np.zeros(shape.size, np.int64)
    for place in range(cells):
        low, high = 0, levels
        # Rates rise with the budget, so the least budget within which the rate is served is found by halving.
        while low < high:
            middle = (low + high) // 2
            if rates[middle, place] >= asked_rps:
                high = middle
            else:
                low = middle + 1
        least, more = np.inf, False
        for axis in range(shape.size):
            if on[axis]:
                least = min(least, quickest_s[axis])
                more = more or (ended[axis] and on[axis] == shape[axis] - 1)
        if below and more:
            latency[place] = least
        elif low == levels:
            latency[place] = np.inf
        elif below:
            # No budget up to the one before is kept, and none as short as the least duration.
            latency[place] = least if low == 0 else max(least, budgets_s[low - 1])
        else:
            latency[place] = budgets_s[low]
        # On to the next vector in the order of the flat table, which takes no division.
        for axis in range(shape.size - 1, -1, -1):
            on[axis] += 1
            if on[axis] < shape[axis]:
                break
            on[axis] = 0
    return latency


@compiled
def fastest_choices(vectors: Ints, first: Ints, plans: Ints, step: Ints) -> Ints:
    """The fastest choices of the modules in plans; -1 where the machines do not serve the step.

    Args:
        vectors: machines by type of choices, shape (choices, types).
        first: first choice, and the end of the last one, by step and module; latencies rise from first to last.
        plans: machines on, shape (plans, modules, types).
        step: the step of each plan.

    Returns:
        Places of choices, shape (plans, modules).
    """
    found = np.full(plans.shape[:2], -1)
    for n in range(plans.shape[0]):
        for m in range(plans.shape[1]):
            # Latencies rise along the list: the first choice that fits is the fastest.
            for i in range(first[step[n], m, 0], first[step[n], m, 1]):
                fits = True
                for h in range(plans.shape[2]):
                    fits = fits and vectors[i, h] <= plans[n, m, h]
                if fits:
                    found[n, m] = i
                    break
    return found
