"""The cheapest choice of one vector of machines per module within the SLO, in every step of a load (compiled, ours).

A module has a list of choices per step: vectors of machines with the latency that they have. Given a price for each
machine of each module, the cheapest choices that keep the SLO on all paths are found depth first over the modules.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_NODES = 20_000
"""Nodes of the search of a step; beyond, its lower bound is that of the root."""


@compiled
def cheapest_steps(
    vectors: Ints,
    latency_s: Floats,
    first: Ints,
    prices: Floats,
    worth: Floats,
    through: Flags,
    slo_s: float,
    least: Floats,
    chosen: Ints,
) -> None:
    """The cheapest choices of all steps.

    Args:
        vectors: machines by hardware type of all choices, shape (choices, types).
        latency_s: their latencies; those of a module in a step stand next to each other and rise.
        first: first choice by step and module, and the end of the last one, shape (steps, modules, 2).
        prices: price of a machine, shape (steps, modules, types).
        worth: money that a second of latency brings in, shape (steps, modules).
        through: which modules each path goes through, shape (paths, modules).
        slo_s: the objective.
        least: to be filled with a lower bound of each step, infinite where nothing keeps the SLO.
        chosen: choices that keep the objective, to begin with, shape (steps, modules), -1: none are known; to be
            replaced by the cheapest ones.
    """
    steps, modules = chosen.shape
    longest = 0
    for k in range(steps):
        for m in range(modules):
            longest = max(longest, first[k, m, 1] - first[k, m, 0])
    # Room for the longest list, taken once: steps are many, and short.
    cost, latency = np.empty((modules, longest)), np.empty((modules, longest))
    place = np.empty((modules, longest), np.int64)
    count = np.empty(modules, np.int64)
    for k in range(steps):
        for m in range(modules):
            count[m] = _frontier(
                vectors,
                latency_s,
                first[k, m, 0],
                first[k, m, 1],
                prices[k, m],
                worth[k, m],
                cost[m],
                latency[m],
                place[m],
            )
        # What is known of the step is worth something to begin with: the search ends at once where nothing is cheaper.
        known = 0.0
        for m in range(modules):
            if chosen[k, m] < 0:
                known = np.inf
                break
            known -= worth[k, m] * latency_s[chosen[k, m]]
            for h in range(prices.shape[2]):
                known += prices[k, m, h] * vectors[chosen[k, m], h]
        least[k], found = _cheapest(cost, latency, count, through, slo_s, known)
        if found[0] >= 0:
            for m in range(modules):
                chosen[k, m] = place[m, found[m]]


@compiled
def _frontier(
    vectors: Ints,
    latency_s: Floats,
    first: int,
    end: int,
    prices: Floats,
    worth: float,
    cost: Floats,
    latency: Floats,
    place: Ints,
) -> int:
    """Choices that are faster than all cheaper ones, the cheapest first; returns their number."""
    size = 0
    for i in range(first, end):
        own = -worth * latency_s[i]
        for h in range(prices.size):
            own += prices[h] * vectors[i, h]
        if size and own >= cost[size - 1]:
            continue
        # Of choices that are as fast the cheapest one is enough.
        if size and latency_s[i] == latency[size - 1]:
            size -= 1
        cost[size], latency[size], place[size] = own, latency_s[i], i
        size += 1
    # Found from the fastest on, so that the last is the cheapest: turned round.
    for i in range(size // 2):
        j = size - 1 - i
        cost[i], cost[j] = cost[j], cost[i]
        latency[i], latency[j] = latency[j], latency[i]
        place[i], place[j] = place[j], place[i]
    return size


@compiled
def _cheapest(
    cost: Floats, latency: Floats, count: Ints, through: Flags, slo_s: float, known: float
) -> tuple[float, Ints]:
    """A lower bound on one choice per module, and choices that cost so much unless the search was too long.

    The choices are -1 where none cost less than is `known` already.

    Module by module, the cheapest choice first. `slack` is what a path has left if all modules to come take their least
    latency; so each of them costs at least its cheapest choice within the slack of its paths.
    """
    modules, paths = count.size, through.shape[0]
    chosen = np.full(modules, -1)
    slack = np.empty((modules + 1, paths))
    quickest = np.empty(modules)
    # A module without a choice, or a path too long for the quickest ones: no choice at all keeps the SLO.
    for m in range(modules):
        if not count[m]:
            return np.inf, chosen
        quickest[m] = latency[m, count[m] - 1]
    for p in range(paths):
        slack[0, p] = slo_s
        for m in range(modules):
            if through[p, m]:
                slack[0, p] -= quickest[m]
        if slack[0, p] < 0:
            return np.inf, chosen
    # What the modules from each one on cost at least, whatever the paths say: asked before the bound that takes longer.
    cheapest = np.zeros(modules + 1)
    for m in range(modules - 1, -1, -1):
        cheapest[m] = cheapest[m + 1] + cost[m, 0]
    root = _at_least(0, cost, latency, count, quickest, through, slack[0])
    best, depth, nodes = known, 0, 0
    at, tried = np.zeros(modules, np.int64), np.zeros(modules + 1)
    while depth >= 0:
        nodes += 1
        if nodes > MOST_NODES:
            return root, chosen
        i = at[depth]
        if i >= count[depth]:
            depth -= 1
            if depth >= 0:
                at[depth] += 1
            continue
        spent = tried[depth] + cost[depth, i]
        if spent + cheapest[depth + 1] >= best:
            # Choices further on cost more; those of modules to come may cost less than nothing.
            at[depth] = count[depth]
            continue
        fits = True
        for p in range(paths):
            own = latency[depth, i] - quickest[depth] if through[p, depth] else 0.0
            slack[depth + 1, p] = slack[depth, p] - own
            fits = fits and slack[depth + 1, p] >= 0
        if not fits or spent + _at_least(depth + 1, cost, latency, count, quickest, through, slack[depth + 1]) >= best:
            at[depth] += 1
            continue
        # A choice of all modules: later choices of the last one cost more.
        if depth == modules - 1:
            best = spent
            chosen[:] = at
            at[depth] = count[depth]
            continue
        tried[depth + 1] = spent
        depth += 1
        at[depth] = 0
    return best, chosen


@compiled
def _at_least(
    start: int, cost: Floats, latency: Floats, count: Ints, quickest: Floats, through: Flags, slack: Floats
) -> float:
    """What the modules from one on cost at least, each alone within the slack of its paths."""
    total = 0.0
    for m in range(start, count.size):
        own = np.inf
        for p in range(slack.size):
            if through[p, m]:
                own = min(own, slack[p])
        for i in range(count[m]):
            # The last choice is the quickest: it fits whatever rounding does.
            if latency[m, i] - quickest[m] <= own or i == count[m] - 1:
                total += cost[m, i]
                break
    return total
