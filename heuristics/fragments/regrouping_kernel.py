"""The sets that gain most at a state of the queues: the compiled step of `regroup` (ours).

The fragments that begin at one layer stand in a queue, the tightest time budget first. A state says how many of each
queue have been served. A set takes the next ones of some queues, so that it is known by how many; its share is a sum of
one head per queue and the shared stage, all read off tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from heuristics.fragments.regrouping_tables import NEVER, Tables

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

WHOLE = 1e-9
"""Rates this far above a whole number of units are that number."""


@compiled
def best_sets(
    tables: Tables,
    served: Ints,
    must: int,
    own: bool,
    slack: float,
    reach: int,
    looks: int,
    starts: Ints,
    limits: Floats,
    units: Floats,
    price: Floats,
    worth: Floats,
    begins: Ints,
    first_point: int,
    last_point: int,
    gain: Floats,
    taken: Ints,
) -> float:
    """Per number of fragments the largest gain, worth less GPU share, of a set of so many that takes the next ones.

    Args:
        tables: least GPU shares of stages.
        served: fragments of each queue that have been served, shape (queues,).
        must: queue whose next fragment has to be in the set.
        own: fragments keep their own time budgets; False: the least of the set, which is that of `must`.
        slack: sets that gain by more than this less than the best may be left out.
        reach: most fragments of a set.
        looks: most times of the shared stage to look at, those that promise most.
        starts: see `Queues`, as the next two.
        limits: see `Queues`.
        units: see `Queues`.
        price: price of a unit of rate of each fragment, not rising within a queue, shape (fragments,).
        worth: sums of the prices of the fragments before each place, shape (fragments + 1,).
        begins: first layer of each queue, ascending.
        first_point: first re-partition point to look at.
        last_point: the one behind the last.
        gain: filled in, shape (reach + 1,); minus `NEVER`: there is none.
        taken: filled in: how many of each queue, shape (reach + 1, queues).

    Returns:
        The largest gain.
    """
    queues, most_units = len(begins), tables.shared_cost.shape[1] - 1
    gain[:] = -NEVER
    best = -NEVER
    limit = limits[starts[must] + served[must]]
    first_point = max(first_point, begins[must])
    rows = tables.shared_start[last_point] - tables.shared_start[first_point]
    hoped = np.full(rows, -NEVER)
    head = np.full((rows, queues), -2, dtype=np.int64)
    size = np.zeros((rows, queues), dtype=np.int64)
    # What sets gain at most: stages of any length at the least share per unit of rate, so that fragments add up.
    for point in range(first_point, last_point):
        for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
            ticks = tables.shared_ticks[row]
            # Rows come by rising time: all later ones take too long as well.
            if ticks > limit:
                break
            i = row - tables.shared_start[first_point]
            total = 0.0
            for b in range(queues):
                first = starts[b] + served[b]
                # The queue begins behind the point, or all of it has been served.
                if begins[b] > point or first >= starts[b + 1]:
                    continue
                left = (limits[first] if own else limit) - ticks
                at, each = -1, tables.shared_least[row]
                # Its own stage up to the point has to fit into what the shared one leaves.
                if begins[b] < point:
                    low, high = tables.own_start[b, point], tables.own_start[b, point + 1]
                    at = low + np.searchsorted(tables.own_ticks[low:high], left, side="right") - 1
                    if at < low:
                        continue
                    each += tables.own_least[at]
                elif left < 0:
                    continue
                last = min(starts[b + 1], first + reach)
                end = place_above(price, first, last, each)
                # That fragment is in the set even where it costs more than it is worth.
                if b == must:
                    end = max(end, first + 1)
                total += worth[end] - worth[first] - each * (units[end] - units[first])
                head[i, b] = at
                size[i, b] = end - first
            # Without the queue that has to be in it, a row makes no set.
            if size[i, must] > 0:
                hoped[i] = total
    # The rows again, those that promise most first, now at the shares of whole stages.
    net = np.zeros((queues, reach + 1))
    value = np.zeros((queues + 1, reach + 1))
    load = np.zeros((queues + 1, reach + 1))
    choice = np.zeros((queues + 1, reach + 1), dtype=np.int64)
    looked = 0
    for i in np.argsort(-hoped, kind="mergesort"):
        # Rows come by falling promise: no later one makes a set of interest.
        if hoped[i] < best - slack or hoped[i] <= -NEVER:
            break
        row, total = i + tables.shared_start[first_point], 0.0
        for b in range(queues):
            first = starts[b] + served[b]
            at = head[i, b]
            alone = -NEVER if b == must else 0.0
            if at == -2:
                continue
            # Each fragment more costs what it is worth too little: as many as that leaves a gain.
            each = tables.shared_least[row] + (tables.own_least[at] if at >= 0 else 0.0)
            last, rest = min(starts[b + 1], first + reach), hoped[i]
            stop = first + size[i, b]
            while stop < last:
                rest -= (each - price[stop]) * (units[stop + 1] - units[stop])
                if rest < best - slack:
                    break
                stop += 1
            size[i, b] = stop - first
            for k in range(1, size[i, b] + 1):
                rate = units[first + k] - units[first]
                place = int(np.ceil(rate - WHOLE))
                share = NEVER
                if place <= most_units:
                    share = tables.own_cost[at, place] if at >= 0 else 0.0
                # No stage carries so many: the queue gives fewer.
                if share >= NEVER:
                    size[i, b] = k - 1
                    break
                net[b, k] = worth[first + k] - worth[first] - share
                alone = max(alone, net[b, k] - tables.shared_least[row] * rate)
            total += alone
        # Queue by queue at their real shares they promise too little.
        if total < best - slack:
            continue
        looked += 1
        # The search is a heuristic's: the rows that promise less are left unseen.
        if looked > looks:
            break
        filled = _combine(must, reach, starts[:-1] + served, units, size[i], net, value, load, choice)
        for k in range(1, filled + 1):
            place = int(np.ceil(load[queues, k] - WHOLE))
            if value[queues, k] <= -NEVER / 2 or place > most_units:
                continue
            # Less the shared stage for all of them; the best of each number is kept, and what it takes of each queue.
            found = value[queues, k] - tables.shared_cost[row, place]
            if found > gain[k] and found > best - slack:
                gain[k] = found
                best = max(best, found)
                rest = k
                for b in range(queues - 1, -1, -1):
                    taken[k, b] = choice[b + 1, rest]
                    rest -= taken[k, b]
    return best


@compiled
def _combine(
    must: int,
    reach: int,
    next_of: Ints,
    units: Floats,
    size: Ints,
    net: Floats,
    value: Floats,
    load: Floats,
    choice: Ints,
) -> int:
    """The largest gain before the shared stage by number of fragments, queue after queue.

    Args:
        must: see `best_sets`, as the next.
        reach: see `best_sets`.
        next_of: place of the next fragment of each queue, shape (queues,).
        units: see `Queues`.
        size: most fragments to take of each queue, shape (queues,).
        net: worth less heads by queue and number of its fragments, shape (queues, reach + 1).
        value: filled in: the gain of the first so many queues by number of fragments, shape (queues + 1, reach + 1).
        load: filled in: the rate in units that it serves, shape as `value`.
        choice: filled in: how many of the last of these queues it takes, shape as `value`.

    Returns:
        The largest number of fragments.
    """
    filled = 0
    value[0, 0], load[0, 0] = 0.0, 0.0
    for b in range(len(size)):
        first = next_of[b]
        full = min(reach, filled + size[b])
        for k in range(full + 1):
            value[b + 1, k] = -NEVER
            # Without this queue; the one that has to be in the set is never left out.
            if k <= filled and b != must:
                value[b + 1, k], load[b + 1, k], choice[b + 1, k] = value[b, k], load[b, k], 0
            for some in range(max(1, k - filled), min(size[b], k) + 1):
                found = value[b, k - some] + net[b, some]
                if found > value[b + 1, k]:
                    value[b + 1, k], choice[b + 1, k] = found, some
                    load[b + 1, k] = load[b, k - some] + units[first + some] - units[first]
        filled = full
    return filled


@compiled
def place_above(price: npt.NDArray[Any], first: int, last: int, each: float) -> int:
    """The place behind the fragments from `first` on whose price is above a value; prices do not rise."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if price[middle] > each:
            low = middle + 1
        else:
            high = middle
    return low
