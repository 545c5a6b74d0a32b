"""The sets of largest gain at a state of the queues, the compiled step of `regroup` (ours).

The fragments that begin at one layer stand in a queue, the tightest time budget first. A state has the numbers of
served fragments of each queue. A set takes the next ones of some queues, so their numbers determine it. Its share is a
sum of one head per queue and the shared stage, all from tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from heuristics.fragments.regrouping_tables import NEVER, Queues, Rules, Tables

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

WHOLE = 1e-9
"""Distance above a whole number of units within which a rate counts as that number."""


class Prices(NamedTuple):
    """The worth of fragments.

    Attributes:
        price: GPU share in percent per unit of rate, by place in the queues, shape (fragments,); it does not rise
            within a queue.
        worth: sums of the prices of the fragments before each place, shape (fragments + 1,).
    """

    price: Floats
    worth: Floats


class _Rows(NamedTuple):
    """The tried times of shared stages, a row each.

    Attributes:
        first: first row of the tables.
        next_of: place of the next fragment of each queue, shape (queues,).
        hoped: upper bound on the gain of a set, shape (rows,); minus `NEVER` if there is no set.
        head: row of the heads of each queue, shape (rows, queues); -1 if it needs none, -2 if it gives no fragment.
        size: most of its fragments in a set, shape (rows, queues).
    """

    first: int
    next_of: Ints
    hoped: Floats
    head: Ints
    size: Ints


class _Sums(NamedTuple):
    """Space for the sets of one row, by number of fragments.

    Attributes:
        net: worth less heads by queue and number of its fragments, shape (queues, reach + 1).
        value: the gain of a number of first queues before the shared stage, shape (queues + 1, reach + 1).
        load: its rate in units, shape as `value`.
        choice: its number of fragments of the last of these queues, shape as `value`.
    """

    net: Floats
    value: Floats
    load: Floats
    choice: Ints


@compiled
def best_sets(
    queues: Queues, tables: Tables, rules: Rules, prices: Prices, served: Ints, must: int, slack: float
) -> tuple[Floats, Ints]:
    """The sets of largest gain, worth less GPU share, that take the next fragments of some queues.

    Args:
        queues: the fragments.
        tables: least GPU shares of stages.
        rules: the rules for sets; without budgets of their own, fragments have that of `must`, the least of the set.
        prices: the worth of fragments.
        served: fragments of each queue that have been served, shape (queues,).
        must: queue with its next fragment required in the set.
        slack: distance from the largest gain beyond which sets may be left out.

    Returns:
        Gains by number of fragments, shape (reach + 1,), minus `NEVER` without a set; and the fragments of each queue,
        shape (reach + 1, queues).
    """
    number, reach, most_units = len(queues.begins), rules.reach, tables.shared_cost.shape[1] - 1
    gain, taken = np.full(reach + 1, -NEVER), np.zeros((reach + 1, number), dtype=np.int64)
    rows = _promises(queues, tables, rules, prices, queues.starts[:-1] + served, must)
    sums = _Sums(
        np.zeros((number, reach + 1)),
        np.zeros((number + 1, reach + 1)),
        np.zeros((number + 1, reach + 1)),
        np.zeros((number + 1, reach + 1), dtype=np.int64),
    )
    best, looked = -NEVER, 0
    # Visit the rows again, by falling bound, now at the shares of whole stages.
    for i in np.argsort(-rows.hoped, kind="mergesort"):
        # Rows come by falling bound, so no later one makes a wanted set.
        if rows.hoped[i] < best - slack or rows.hoped[i] <= -NEVER:
            break
        # At their real shares the queues bound the gain too low.
        if _net(queues, tables, prices, must, rows, i, best - slack, sums.net) < best - slack:
            continue
        looked += 1
        # The search is a heuristic, so it skips the rows of lower bounds.
        if looked > rules.looks:
            break
        filled = _combine(must, reach, rows.next_of, queues.units, rows.size[i], sums)
        for k in range(1, filled + 1):
            place = int(np.ceil(sums.load[number, k] - WHOLE))
            if sums.value[number, k] <= -NEVER / 2 or place > most_units:
                continue
            # Subtract the shared stage for all of them, and keep the best of each number and its choice of fragments.
            found = sums.value[number, k] - tables.shared_cost[i + rows.first, place]
            if found > gain[k] and found > best - slack:
                gain[k] = found
                best = max(best, found)
                rest = k
                for b in range(number - 1, -1, -1):
                    taken[k, b] = sums.choice[b + 1, rest]
                    rest -= taken[k, b]
    return gain, taken


@compiled
def _promises(queues: Queues, tables: Tables, rules: Rules, prices: Prices, next_of: Ints, must: int) -> _Rows:
    """Upper bounds on gains at each time of a shared stage; `next_of` as of `_Rows`, the others as of `best_sets`.

    Stages of any length count with the least share per unit of rate, so that fragments add up.
    """
    number = len(queues.begins)
    limit = queues.limits[next_of[must]]
    first_point, last_point = max(rules.points[0], queues.begins[must]), rules.points[1]
    first_row = tables.shared_start[first_point]
    count = tables.shared_start[last_point] - first_row
    hoped = np.full(count, -NEVER)
    head = np.full((count, number), -2, dtype=np.int64)
    size = np.zeros((count, number), dtype=np.int64)
    for point in range(first_point, last_point):
        for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
            ticks = tables.shared_ticks[row]
            # Rows come by rising time, so all later ones take too long as well.
            if ticks > limit:
                break
            i, total = row - first_row, 0.0
            for b in range(number):
                first = next_of[b]
                # The queue begins behind the point, or all of it has been served.
                if queues.begins[b] > point or first >= queues.starts[b + 1]:
                    continue
                left = (queues.limits[first] if rules.own else limit) - ticks
                at, each = -1, tables.shared_least[row]
                # Its own stage up to the point must fit into the time that the shared one leaves.
                if queues.begins[b] < point:
                    low, high = tables.own_start[b, point], tables.own_start[b, point + 1]
                    at = low + np.searchsorted(tables.own_ticks[low:high], left, side="right") - 1
                    if at < low:
                        continue
                    each += tables.own_least[at]
                elif left < 0:
                    continue
                last = min(queues.starts[b + 1], first + rules.reach)
                end = place_above(prices.price, first, last, each)
                # That fragment is in the set even if it costs more than its worth.
                if b == must:
                    end = max(end, first + 1)
                total += prices.worth[end] - prices.worth[first] - each * (queues.units[end] - queues.units[first])
                head[i, b], size[i, b] = at, end - first
            # Without the required queue, a row makes no set.
            if size[i, must] > 0:
                hoped[i] = total
    return _Rows(first_row, next_of, hoped, head, size)


@compiled
def _net(
    queues: Queues, tables: Tables, prices: Prices, must: int, rows: _Rows, i: int, least: float, net: Floats
) -> float:
    """Upper bound on the gain of sets of row i with heads of whole stages for each queue.

    Args:
        queues: see `best_sets`, as the next three.
        tables: see there.
        prices: see there.
        must: see there.
        rows: the rows; the sizes of row i become final.
        i: the row.
        least: least gain of a wanted set.
        net: output, see `_Sums`.
    """
    total, reach, most_units = 0.0, net.shape[1] - 1, tables.shared_cost.shape[1] - 1
    shared, units, size = tables.shared_least[i + rows.first], queues.units, rows.size
    for b in range(len(queues.begins)):
        first, at = rows.next_of[b], rows.head[i, b]
        alone = -NEVER if b == must else 0.0
        if at == -2:
            continue
        # Each further fragment loses, so take only as many as leave a gain.
        each = shared + (tables.own_least[at] if at >= 0 else 0.0)
        last, rest = min(queues.starts[b + 1], first + reach), rows.hoped[i]
        stop = first + size[i, b]
        while stop < last:
            rest -= (each - prices.price[stop]) * (units[stop + 1] - units[stop])
            if rest < least:
                break
            stop += 1
        size[i, b] = stop - first
        for k in range(1, size[i, b] + 1):
            rate = units[first + k] - units[first]
            place = int(np.ceil(rate - WHOLE))
            share = NEVER
            if place <= most_units:
                share = tables.own_cost[at, place] if at >= 0 else 0.0
            # No stage serves so many, so the queue gives fewer.
            if share >= NEVER:
                size[i, b] = k - 1
                break
            net[b, k] = prices.worth[first + k] - prices.worth[first] - share
            alone = max(alone, net[b, k] - shared * rate)
        total += alone
    return total


@compiled
def _combine(must: int, reach: int, next_of: Ints, units: Floats, size: Ints, sums: _Sums) -> int:
    """The largest gain before the shared stage by number of fragments, queue after queue.

    Args:
        must: see `best_sets`.
        reach: most fragments of a set.
        next_of: place of the next fragment of each queue, shape (queues,).
        units: see `Queues`.
        size: most fragments to take of each queue, shape (queues,).
        sums: sums of the row; output except for `net`.

    Returns:
        The largest number of fragments.
    """
    net, value, load, choice = sums.net, sums.value, sums.load, sums.choice
    filled = 0
    value[0, 0], load[0, 0] = 0.0, 0.0
    for b in range(len(size)):
        first = next_of[b]
        full = min(reach, filled + size[b])
        for k in range(full + 1):
            value[b + 1, k] = -NEVER
            # Leave out this queue, unless the set requires it.
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
    """The place behind the fragments from `first` on with prices above a value; prices do not rise."""
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if price[middle] > each:
            low = middle + 1
        else:
            high = middle
    return low
