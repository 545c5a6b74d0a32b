"""The largest rates of vectors of machines, for many latency budgets at once, and what serves them (compiled, ours).

The recursion is that of `rate_table`: from the last rank to the first, with R the rate so far, n machines of a
configuration keep a budget L if R + n·t is at least b/(L - d), and then R grows by n·t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def largest_rates(
    budgets_s: Floats, duration_s: Floats, batch: Floats, rate_rps: Floats, axis: Ints, shape: Ints, slack: float
) -> Floats:
    """The largest rate of each vector within each budget.

    Args:
        budgets_s: budgets, shape (budgets,).
        duration_s: durations of the configurations, the last rank first.
        batch: their batch sizes.
        rate_rps: rates of one machine of each.
        axis: the axis of the hardware type of each.
        shape: numbers of machines of each type, plus one.
        slack: share by which a threshold may be missed.

    Returns:
        Rates, shape (budgets, vectors); vectors in the order of a flat array of `shape`.
    """
    cells = 1
    for size in shape:
        cells *= size
    found = np.zeros((budgets_s.size, cells))
    for level in range(budgets_s.size):
        for j in range(duration_s.size):
            if duration_s[j] < budgets_s[level]:
                needed = batch[j] / (budgets_s[level] - duration_s[j]) * (1.0 - slack)
                _with_configuration(found[level], needed, rate_rps[j], axis[j], shape)
    return found


@compiled
def _with_configuration(rate: Floats, needed: float, own: float, axis: int, shape: Ints) -> None:
    """Raise the rates of all vectors by what a configuration adds, which ranks before those so far."""
    stride = 1
    for later in range(axis + 1, shape.size):
        stride *= shape[later]
    length = shape[axis]
    for outer in range(rate.size // (stride * length)):
        for inner in range(stride):
            start = outer * stride * length + inner
            # With n machines of it at x the rate is rate[x - n] + n·own: the best over n is a running maximum of
            # rate[y] - y·own over what was before it.
            best = rate[start]
            for x in range(1, length):
                place = start + x * stride
                reached = best + x * own
                without = rate[place]
                if reached >= needed and reached > without:
                    rate[place] = reached
                if without - x * own > best:
                    best = without - x * own


@compiled
def machines_used(
    on: Ints,
    budget_s: float,
    asked_rps: float,
    duration_s: Floats,
    batch: Floats,
    rate_rps: Floats,
    axis: Ints,
    slack: float,
) -> Ints:
    """Machines of each configuration by which at most so many machines of each type serve a rate within a budget.

    No machine of them can be left out. All zeros: they do not serve it.

    Args:
        on: machines of each type.
        budget_s: the budget.
        asked_rps: the rate.
        duration_s: durations of the configurations, the last rank first.
        batch: their batch sizes.
        rate_rps: rates of one machine of each.
        axis: the axis of the hardware type of each.
        slack: share by which a threshold may be missed.
    """
    shape = on + 1
    cells = 1
    for size in shape:
        cells *= size
    # The rates after each configuration are kept, so that the way back knows where each of them was taken up.
    layers = np.zeros((duration_s.size + 1, cells))
    for j in range(duration_s.size):
        layers[j + 1] = layers[j]
        if duration_s[j] < budget_s:
            needed = batch[j] / (budget_s - duration_s[j]) * (1.0 - slack)
            _with_configuration(layers[j + 1], needed, rate_rps[j], axis[j], shape)
    counts = np.zeros(duration_s.size, np.int64)
    strides = np.ones(on.size, np.int64)
    for a in range(on.size - 2, -1, -1):
        strides[a] = strides[a + 1] * shape[a + 1]
    place, last = cells - 1, layers[duration_s.size]
    if last[place] < asked_rps * (1.0 - slack):
        return counts
    # Machines that are not needed go first, type by type: a machine fewer never serves more, so that none of those that
    # stay can go later.
    left = on.copy()
    for a in range(on.size):
        while left[a] > 0 and last[place - strides[a]] >= asked_rps * (1.0 - slack):
            left[a] -= 1
            place -= strides[a]
    # Back from the last layer: where a configuration raised the rate, some number of its machines did, and the rest is
    # what the layer before has without them.
    for j in range(duration_s.size - 1, -1, -1):
        if layers[j + 1, place] == layers[j, place]:
            continue
        stride, best = strides[axis[j]], -1.0
        for n in range(1, left[axis[j]] + 1):
            reached = layers[j, place - n * stride] + n * rate_rps[j]
            if reached > best:
                best, counts[j] = reached, n
        left[axis[j]] -= counts[j]
        place -= counts[j] * stride
    return counts
