"""The cheapest choice of one vector of machines per module within the SLO, in every step of a load (compiled, ours).

A module has a list of choices per step: vectors of machines with the latency that they have. Given a price for each
machine of each module, the cheapest choices that keep the SLO on all paths, and the stock, are those of one of each
list within what there is (`one_of_each`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from formulations.day.one_of_each import cheapest_of_each

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SHARES = 1e-9
"""Share of a stock by which sums of shares may miss it: far more than rounding, far less than a machine."""


@compiled
def cheapest_steps(
    vectors: Ints,
    latency_s: Floats,
    first: Ints,
    prices: Floats,
    worth: Floats,
    through: Flags,
    slo_s: float,
    stock: Floats,
    least: Floats,
    chosen: Ints,
    weights: Floats,
) -> None:
    """The cheapest choices of all steps, each within the stock.

    Args:
        vectors: machines by hardware type of all choices, shape (choices, types).
        latency_s: their latencies; those of a module in a step stand next to each other and rise.
        first: first choice by step and module, and the end of the last one, shape (steps, modules, 2).
        prices: price of a machine, shape (steps, modules, types).
        worth: money that a second of latency brings in, shape (steps, modules).
        through: which modules each path goes through, shape (paths, modules).
        slo_s: the objective.
        stock: machines of each type; infinite: no limit.
        least: to be filled with a lower bound of each step, infinite where nothing keeps the SLO within the stock.
        chosen: choices that keep both, to begin with, shape (steps, modules), -1: none are known; to be replaced by
            the cheapest ones.
        weights: multipliers to begin with, 0 where none are known, to be replaced by better ones: money per SLO on each
            path and per stock of each limited type, shape (steps, paths + limited types).
    """
    steps, modules = chosen.shape
    longest = 0
    for k in range(steps):
        for m in range(modules):
            longest = max(longest, first[k, m, 1] - first[k, m, 0])
    limited = np.flatnonzero(np.isfinite(stock))
    # Room for the longest list, taken once: steps are many, and short.
    cost, latency = np.empty((modules, longest)), np.empty((modules, longest))
    place = np.empty((modules, longest), np.int64)
    count, found = np.empty(modules, np.int64), np.empty(modules, np.int64)
    paths = through.shape[0]
    uses, room = np.empty((modules, longest, paths + limited.size)), np.ones(paths + limited.size)
    for t in range(limited.size):
        # Shares that add up to all of the stock may be more than 1 by rounding, and one machine more is more by far.
        room[paths + t] = min(1.0, stock[limited[t]]) * (1.0 + SHARES)
    for k in range(steps):
        for m in range(modules):
            count[m] = _frontier(
                vectors,
                latency_s,
                first[k, m, 0],
                first[k, m, 1],
                prices[k, m],
                worth[k, m],
                limited,
                cost[m],
                latency[m],
                place[m],
            )
        _use(latency, place, count, vectors, through, slo_s, limited, stock, uses)
        known = _cost(vectors, latency_s, prices[k], worth[k], chosen[k])
        least[k], better = cheapest_of_each(cost, uses, count, room, known, weights[k], found)
        if better:
            for m in range(modules):
                chosen[k, m] = place[m, found[m]]


@compiled
def _cost(vectors: Ints, latency_s: Floats, prices: Floats, worth: Floats, chosen: Ints) -> float:
    """What choices of a step cost that are known; infinite: none are.

    It is worth something to begin with: the search ends at once where nothing is cheaper.
    """
    cost = 0.0
    for m in range(chosen.size):
        if chosen[m] < 0:
            return np.inf
        cost -= worth[m] * latency_s[chosen[m]]
        for h in range(prices.shape[1]):
            cost += prices[m, h] * vectors[chosen[m], h]
    return cost


@compiled
def _use(
    latency: Floats,
    place: Ints,
    count: Ints,
    vectors: Ints,
    through: Flags,
    slo_s: float,
    limited: Ints,
    stock: Floats,
    uses: Floats,
) -> None:
    """Fill in what each choice takes of each path's SLO and of the stock of each limited type, as a share of it."""
    paths = through.shape[0]
    for m in range(count.size):
        for i in range(count[m]):
            for p in range(paths):
                uses[m, i, p] = latency[m, i] / slo_s if through[p, m] else 0.0
            for t in range(limited.size):
                uses[m, i, paths + t] = vectors[place[m, i], limited[t]] / max(1.0, stock[limited[t]])


@compiled
def _frontier(
    vectors: Ints,
    latency_s: Floats,
    first: int,
    end: int,
    prices: Floats,
    worth: float,
    limited: Ints,
    cost: Floats,
    latency: Floats,
    place: Ints,
) -> int:
    """Choices that no other one replaces, the cheapest first; returns their number.

    One that is as fast, costs no more and has no more machines of any type that is limited replaces another.
    """
    size = 0
    for i in range(first, end):
        own = -worth * latency_s[i]
        for h in range(prices.size):
            own += prices[h] * vectors[i, h]
        # Latencies rise, so only choices before this one are as fast; those that cost no more stand last.
        at, replaced = size, False
        while at > 0 and cost[at - 1] <= own and not replaced:
            at -= 1
            replaced = True
            for h in limited:
                if vectors[place[at], h] > vectors[i, h]:
                    replaced = False
                    break
        if replaced:
            continue
        # Without a stock the cheapest one of those that are as fast is enough.
        if size and not limited.size and latency_s[i] == latency[size - 1]:
            size, at = size - 1, at - 1
        for j in range(size, at, -1):
            cost[j], latency[j], place[j] = cost[j - 1], latency[j - 1], place[j - 1]
        cost[at], latency[at], place[at] = own, latency_s[i], i
        size += 1
    # The cheapest one stands last: turned round.
    for i in range(size // 2):
        j = size - 1 - i
        cost[i], cost[j] = cost[j], cost[i]
        latency[i], latency[j] = latency[j], latency[i]
        place[i], place[j] = place[j], place[i]
    return size
