"""Pricing: the realigned sets with the largest worth of their fragments less their cost, in whole numbers (ours).

Given the least budget of a set, its re-partition point and the time of the shared stage, a set's share is a sum: heads
of each begin, by their rates, and the shared stage, by the rate of all. Fragments of one begin and rate differ only in
price, so the set takes those with the highest prices. A dynamic program over begins finds the numbers of each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from formulations.fragments.columns.tables import NEVER, Tables
from formulations.fragments.columns.types import Ints


@compiled
def best_sets(
    tables: Tables,
    limits: Ints,
    item_start: Ints,
    item_limit: Ints,
    item_price: Ints,
) -> tuple[Ints, Ints]:
    """The sets of largest gain, by least budget and re-partition point.

    Args:
        tables: least GPU shares of stages.
        limits: longest executions, in ticks, shape (limits,).
        item_start: fragments of class c are those from `item_start[c]` to `item_start[c + 1]`.
        item_limit: per fragment its longest execution in ticks.
        item_price: per fragment its price in units, not negative, descending among those of one class.

    Returns:
        The largest gain of sets within a limit, in units, 0 if none gains, shape (limits, layers); a gain is the prices
        of the fragments less the share. Next the mix of each begin in that set, shape (limits, layers, begins); it
        means the fragments with the highest prices among those with the limit.
    """
    groups, layers, loads = len(tables.begins), len(tables.shared_start) - 1, tables.shared_cost.shape[1]
    gains = np.zeros((len(limits), layers), dtype=np.int64)
    taken = np.zeros((len(limits), layers, groups), dtype=np.int64)
    worth = np.zeros(len(tables.mix_load), dtype=np.int64)
    net = np.zeros(len(tables.mix_load), dtype=np.int64)
    fits = np.zeros(groups, dtype=np.bool_)
    value = np.zeros((groups + 1, loads), dtype=np.int64)
    choice = np.zeros((groups, loads), dtype=np.int64)
    for t in range(len(limits)):
        limit = limits[t]
        worth_of_mixes(tables, limit, item_start, item_limit, item_price, worth)
        for point in range(tables.begins[0], layers):
            for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
                # Rows come by rising time, so all later ones take too long as well.
                if tables.shared_ticks[row] > limit:
                    break
                left = limit - tables.shared_ticks[row]
                # A set costs at least this much for each load on the shared stage. So the sum of the gains of single
                # begins bounds the gain of any set.
                least, hoped = tables.shared_least[row], 0
                for b in range(groups):
                    fits[b] = False
                    if tables.begins[b] > point:
                        continue
                    at = -1
                    if tables.begins[b] < point:
                        start, end = tables.own_start[b, point], tables.own_end[b, point]
                        at = start + np.searchsorted(tables.own_ticks[start:end], left, side="right") - 1
                        # No stage of its own leaves enough time for the shared one, so the begin gives no fragment.
                        if at < start:
                            continue
                    alone, first = 0, tables.mix_begin[b]
                    for m in range(first + 1, tables.mix_begin[b + 1]):
                        net[m] = worth[m] - (tables.own_cost[at, m - first] if at >= 0 else 0)
                        fits[b] = fits[b] or net[m] > 0
                        alone = max(alone, net[m] - least * tables.mix_load[m])
                    hoped += alone
                # Even that is no more than the gain of the best set so far.
                if hoped <= gains[t, point]:
                    continue
                _combine(tables, net, fits, value, choice)
                last = value[groups]
                for load in range(1, loads):
                    if last[load] - tables.shared_cost[row, load] > gains[t, point]:
                        gains[t, point] = last[load] - tables.shared_cost[row, load]
                        rest = load
                        # Read back from the last begin; its mix leaves the load of the begins before it.
                        for b in range(groups - 1, -1, -1):
                            own = choice[b, rest]
                            taken[t, point, b] = own
                            rest -= tables.mix_load[tables.mix_begin[b] + own]
    return gains, taken


@compiled
def worth_of_mixes(
    tables: Tables,
    limit: int,
    item_start: Ints,
    item_limit: Ints,
    item_price: Ints,
    worth: Ints,
) -> None:
    """The highest prices of the fragments of each mix.

    Args:
        tables: least GPU shares of stages.
        limit: longest execution in ticks.
        item_start: see `best_sets`, as for the next two.
        item_limit: see `best_sets`.
        item_price: see `best_sets`.
        worth: output, -`NEVER` if too few fragments have the limit or a set may not have as many; shape (mixes,).
    """
    classes = len(item_start) - 1
    prices = np.zeros((classes, tables.most + 1), dtype=np.int64)
    size = np.zeros(classes, dtype=np.int64)
    for c in range(classes):
        # Prices fall within a class, so the first fragments with the limit have the highest ones.
        for i in range(item_start[c], item_start[c + 1]):
            if item_limit[i] >= limit and size[c] < tables.most:
                prices[c, size[c] + 1] = prices[c, size[c]] + item_price[i]
                size[c] += 1
    for b in range(len(tables.mix_begin) - 1):
        for m in range(tables.mix_begin[b], tables.mix_begin[b + 1]):
            worth[m], members = 0, 0
            for c in range(tables.class_begin[b + 1] - tables.class_begin[b]):
                number, own = tables.mix_number[m, c], tables.class_begin[b] + c
                members += number
                if number > size[own] or members > tables.most:
                    worth[m] = -NEVER
                    break
                worth[m] += prices[own, number]


@compiled
def _combine(tables: Tables, net: Ints, fits: npt.NDArray[np.bool_], value: Ints, choice: Ints) -> None:
    """The largest gain before the shared stage by load: `value[-1]`, with the mix `choice` of each begin."""
    groups, loads, base = len(fits), value.shape[1], tables.load_base
    value[0, :] = -NEVER
    value[0, 0] = 0
    filled = 0
    for b in range(groups):
        value[b + 1, :] = value[b]
        choice[b, :] = 0
        if not fits[b]:
            continue
        first, reach = tables.mix_begin[b], filled
        for m in range(first + 1, tables.mix_begin[b + 1]):
            # Leaving out fragments without a gain makes the shared stage no more expensive.
            if net[m] <= 0:
                continue
            load = tables.mix_load[m]
            for k in range(min(filled, loads - 1 - load) + 1):
                found = value[b, k] + net[m]
                if value[b, k] > -NEVER and found > value[b + 1, k + load]:
                    # More members than a set may have would overflow into the load of a higher rate.
                    if base > 1 and k % base + load % base >= base:
                        continue
                    value[b + 1, k + load], choice[b, k + load] = found, m - first
                    reach = max(reach, k + load)
        filled = reach
