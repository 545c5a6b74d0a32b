"""The largest gain of any set at given prices, in whole numbers, for thousands of fragments (ours).

Prices do not rise with the time budget among fragments that begin at the same layer, as a fragment may take the place
of a tighter one. So they stand in queues, the tightest first, and a set of a least budget takes the first ones that
have it. Stages at the least share per fragment bound what a set gains by a sum over its fragments: that leaves out most
re-partition points and times, and most numbers of fragments of the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from formulations.fragments.columns.tables import NEVER
from formulations.fragments.columns.types import Ints
from formulations.fragments.columns.wide_tables import WideTables
from heuristics.fragments.regrouping_kernel import place_above


class PricedQueues(NamedTuple):
    """Fragments in queues, with prices.

    Attributes:
        begins: layers at which fragments begin, ascending.
        starts: the fragments that begin at `begins[b]` are at places `starts[b]` to `starts[b + 1]` of the next.
        limit: longest execution of each fragment in ticks, ascending within a queue.
        price: price of each in units, not negative, not rising within a queue.
        worth: sums of the prices before each place, shape (fragments + 1,).
    """

    begins: Ints
    starts: Ints
    limit: Ints
    price: Ints
    worth: Ints


@compiled
def largest_gains(tables: WideTables, limits: Ints, items: PricedQueues, members: int, taken: Ints) -> Ints:
    """What sets of each least budget gain at most.

    Args:
        tables: least GPU shares of stages.
        limits: longest executions that least budgets allow, in ticks, shape (limits,).
        items: the fragments in queues.
        members: most fragments of a set.
        taken: filled in: how many of each queue the set takes that gains most, shape (limits, queues); 0: none gains.

    Returns:
        Per limit an upper bound on the gain in units, 0 if none gains, shape (limits,). It is the largest gain, unless
        only a set of more fragments than the tables have could gain more.
    """
    begins, starts, item_limit, price, worth = items
    queues, layers, width = len(begins), len(tables.shared_start) - 1, tables.shared_cost.shape[1] - 1
    gains = np.zeros(len(limits), dtype=np.int64)
    first = np.zeros(queues, dtype=np.int64)
    end = np.zeros(queues, dtype=np.int64)
    head = np.zeros(queues, dtype=np.int64)
    each = np.zeros(queues, dtype=np.int64)
    size = np.zeros(queues, dtype=np.int64)
    net = np.zeros((queues, width + 1), dtype=np.int64)
    value = np.zeros((queues + 1, width + 1), dtype=np.int64)
    choice = np.zeros((queues, width + 1), dtype=np.int64)
    for t in range(len(limits)):
        limit = limits[t]
        for b in range(queues):
            own = item_limit[starts[b] : starts[b + 1]]
            # Fragments of a queue come by rising limit: those before this one have less than the least budget.
            first[b] = starts[b] + np.searchsorted(own, limit)
        for point in range(begins[0], layers):
            for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
                # Rows come by rising time: all later ones take too long as well.
                if tables.shared_ticks[row] > limit:
                    break
                # What fragments gain one by one, each queue up to where a price no longer pays for its stages.
                left, hoped = limit - tables.shared_ticks[row], 0
                for b in range(queues):
                    each[b] = -1
                    head[b] = -1
                    # The queue begins behind the point, or all its fragments are too tight: it gives none.
                    if begins[b] > point or first[b] >= starts[b + 1]:
                        continue
                    if begins[b] < point:
                        # Its own stage may take what the shared one leaves; without one in time it gives none.
                        low, high = tables.own_start[b, point], tables.own_start[b, point + 1]
                        at = low + np.searchsorted(tables.own_ticks[low:high], left, side="right") - 1
                        if at < low:
                            continue
                        head[b] = at
                    each[b] = tables.shared_least[row] + (tables.own_least[head[b]] if head[b] >= 0 else 0)
                    end[b] = place_above(price, first[b], starts[b + 1], each[b])
                    hoped += worth[end[b]] - worth[first[b]] - each[b] * (end[b] - first[b])
                # Not even fragments at their least shares gain more than the best set so far.
                if hoped <= gains[t]:
                    continue
                # Each fragment more than `end` costs what it is worth too little: as many as that leaves a gain.
                alone = 0
                possible = 0
                for b in range(queues):
                    size[b] = 0
                    if each[b] < 0:
                        continue
                    last = min(starts[b + 1], first[b] + members)
                    stop, rest = min(end[b], last), hoped
                    while stop < last and rest > gains[t]:
                        rest -= each[b] - price[stop]
                        if rest > gains[t]:
                            stop += 1
                    possible += stop - first[b]
                    size[b] = min(stop - first[b], width)
                    most = 0
                    for k in range(1, size[b] + 1):
                        share = tables.own_cost[head[b], k] if head[b] >= 0 else 0
                        net[b, k] = worth[first[b] + k] - worth[first[b]] - share
                        most = max(most, net[b, k] - tables.shared_least[row] * k)
                    alone += most
                if possible > width and members > width:
                    # Sets of more fragments than the tables have: bounded by the sum over their fragments.
                    bound = _of_more(hoped, width, queues, first, end, starts, each, price)
                    if bound > gains[t]:
                        gains[t] = bound
                        taken[t, :] = 0
                # Queue by queue at their real shares they gain no more either.
                if alone <= gains[t] and possible <= width:
                    continue
                # The most that so many fragments of the first queues gain together, and how many of the last one.
                filled = 0
                value[0, 0] = 0
                for b in range(queues):
                    full = min(width, filled + size[b])
                    for k in range(full + 1):
                        value[b + 1, k], choice[b, k] = -NEVER, 0
                        if k <= filled:
                            value[b + 1, k] = value[b, k]
                        for some in range(max(1, k - filled), min(size[b], k) + 1):
                            found = value[b, k - some] + net[b, some]
                            if found > value[b + 1, k]:
                                value[b + 1, k], choice[b, k] = found, some
                    filled = full
                # Less the shared stage for all of them: keep the best, and read back what it takes of each queue.
                for k in range(1, min(filled, members) + 1):
                    if value[queues, k] - tables.shared_cost[row, k] > gains[t]:
                        gains[t] = value[queues, k] - tables.shared_cost[row, k]
                        rest = k
                        for b in range(queues - 1, -1, -1):
                            taken[t, b] = choice[b, rest]
                            rest -= taken[t, b]
    return gains


@compiled
def _of_more(hoped: int, width: int, queues: int, first: Ints, end: Ints, starts: Ints, each: Ints, price: Ints) -> int:
    """What a set of more than `width` fragments gains at most: the sum over fragments less those that lose least."""
    number = 0
    following = end.copy()
    for b in range(queues):
        if each[b] >= 0:
            number += end[b] - first[b]
    bound = hoped
    while number <= width:
        best = -1
        for b in range(queues):
            if each[b] < 0 or following[b] >= starts[b + 1]:
                continue
            if best < 0 or each[b] - price[following[b]] < each[best] - price[following[best]]:
                best = b
        # There are not so many fragments, hence no such set.
        if best < 0:
            return 0
        bound -= each[best] - price[following[best]]
        following[best] += 1
        number += 1
    return bound
