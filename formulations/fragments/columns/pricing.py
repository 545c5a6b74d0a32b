"""Pricing: the realigned sets whose fragments are worth most more than the set costs, in whole numbers (ours).

Given the least budget of a set, its re-partition point and the time of the shared stage, a set's share is a sum: heads
of each begin, by their number of fragments, and the shared stage, by the number of all. Fragments of one begin differ
in their prices alone, so that those with the highest prices are taken; how many of each begin is a dynamic program.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from formulations.fragments.columns.types import NEVER

Ints = npt.NDArray[np.int64]


@compiled
def best_sets(
    limits: Ints,
    begins: Ints,
    class_start: Ints,
    item_limit: Ints,
    item_price: Ints,
    most: int,
    shared_start: Ints,
    shared_ticks: Ints,
    shared_cost: Ints,
    shared_least: Ints,
    own_start: Ints,
    own_end: Ints,
    own_ticks: Ints,
    own_cost: Ints,
) -> tuple[Ints, Ints]:
    """The sets of largest gain, by least budget and re-partition point.

    Args:
        limits: longest executions to look at, in ticks, shape (limits,).
        begins: layers at which fragments begin, shape (begins,).
        class_start: fragments that begin at `begins[b]` are those from `class_start[b]` to `class_start[b + 1]`.
        item_limit: per fragment its longest execution in ticks.
        item_price: per fragment its price in units, not negative, descending among those of one begin.
        most: most fragments of a set.
        shared_start: see `Tables`, as all that follow.
        shared_ticks: see `Tables`.
        shared_cost: see `Tables`.
        shared_least: see `Tables`.
        own_start: see `Tables`.
        own_end: see `Tables`.
        own_ticks: see `Tables`.
        own_cost: see `Tables`.

    Returns:
        The largest gain, prices of its fragments less its share, of sets within a limit, in units, 0 if none gains,
        shape (limits, layers); and how many fragments of each begin it takes, of those that have the limit those with
        the highest prices, shape (limits, layers, begins).
    """
    classes, layers = len(begins), len(shared_start) - 1
    gains = np.zeros((len(limits), layers), dtype=np.int64)
    taken = np.zeros((len(limits), layers, classes), dtype=np.int64)
    worth = np.zeros((classes, most + 1), dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    net = np.zeros((classes, most + 1), dtype=np.int64)
    fits = np.zeros(classes, dtype=np.int64)
    value = np.zeros((classes + 1, most + 1), dtype=np.int64)
    choice = np.zeros((classes, most + 1), dtype=np.int64)
    for t in range(len(limits)):
        limit = limits[t]
        for b in range(classes):
            size[b] = 0
            for i in range(class_start[b], class_start[b + 1]):
                if item_limit[i] >= limit and size[b] < most and item_price[i] > 0:
                    worth[b, size[b] + 1] = worth[b, size[b]] + item_price[i]
                    size[b] += 1
        for point in range(begins[0], layers):
            for row in range(shared_start[point], shared_start[point + 1]):
                if shared_ticks[row] > limit:
                    break
                left = limit - shared_ticks[row]
                # A set costs at least this much for each fragment on the shared stage, so that begins can be looked at
                # one by one: what they gain together is at least what any set gains.
                least, hoped = shared_least[row], 0
                for b in range(classes):
                    fits[b] = 0
                    if begins[b] > point:
                        break
                    at = -1
                    if begins[b] < point:
                        start, end = own_start[b, point], own_end[b, point]
                        at = start + np.searchsorted(own_ticks[start:end], left, side="right") - 1
                        if at < start:
                            continue
                    alone = 0
                    for k in range(1, size[b] + 1):
                        net[b, k] = worth[b, k] - (own_cost[at, k] if at >= 0 else 0)
                        alone = max(alone, net[b, k] - least * k)
                    fits[b] = size[b] if alone > 0 or at < 0 else _useful(net[b], size[b])
                    hoped += alone
                if hoped <= gains[t, point]:
                    continue
                _combine(net, fits, begins, point, most, value, choice)
                last = value[classes]
                for k in range(1, most + 1):
                    if last[k] - shared_cost[row, k] > gains[t, point]:
                        gains[t, point] = last[k] - shared_cost[row, k]
                        rest = k
                        for b in range(classes - 1, -1, -1):
                            own = choice[b, rest]
                            taken[t, point, b] = own
                            rest -= own
    return gains, taken


@compiled
def _useful(net: Ints, size: int) -> int:
    """The largest number of fragments of a begin that gains before the shared stage is paid; 0: none does."""
    for k in range(size, 0, -1):
        if net[k] > 0:
            return k
    return 0


@compiled
def _combine(net: Ints, fits: Ints, begins: Ints, point: int, most: int, value: Ints, choice: Ints) -> None:
    """The largest gain before the shared stage by number of fragments: `value[-1]`, with `choice` of each begin."""
    classes = len(fits)
    value[0, 0] = 0
    filled = 0
    for b in range(classes):
        size = fits[b] if begins[b] <= point else 0
        reach = min(most, filled + size)
        for k in range(most + 1):
            value[b + 1, k], choice[b, k] = -NEVER, 0
        for k in range(reach + 1):
            if k <= filled:
                value[b + 1, k] = value[b, k]
            for own in range(max(1, k - filled), min(size, k) + 1):
                found = value[b, k - own] + net[b, own]
                if found > value[b + 1, k]:
                    value[b + 1, k], choice[b, k] = found, own
        filled = reach
