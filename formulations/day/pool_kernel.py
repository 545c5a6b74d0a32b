"""The cheapest way from step to step through lists of plans (compiled, ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def cheapest_way(plans: Ints, running: Floats, ends: Ints, start: Floats, stop: Floats) -> tuple[float, Ints]:
    """The cheapest choice of one plan per step.

    Args:
        plans: machines on by module and type, shape (plans, numbers); those of a step stand next to each other.
        running: what the machines of a plan cost in its step.
        ends: end of the plans of each step.
        start: money per machine that is started, shape (numbers,).
        stop: money per machine that is stopped.

    Returns:
        The cost, and the place of the plan of each step.
    """
    steps = ends.size
    cost, before = running.copy(), np.zeros(running.size, np.int64)
    for k in range(1, steps):
        early = ends[k - 2] if k > 1 else 0
        for j in range(ends[k - 1], ends[k]):
            best = np.inf
            for i in range(early, ends[k - 1]):
                own = cost[i]
                for d in range(start.size):
                    # Changes only add to the cost, so what is no cheaper already will not be.
                    if own >= best:
                        break
                    more = plans[j, d] - plans[i, d]
                    own += start[d] * more if more > 0 else -stop[d] * more
                if own < best:
                    best, before[j] = own, i
            cost[j] += best
    at = ends[steps - 2] if steps > 1 else 0
    for j in range(at, ends[steps - 1]):
        if cost[j] < cost[at]:
            at = j
    least = cost[at]
    way = np.empty(steps, np.int64)
    for k in range(steps - 1, -1, -1):
        way[k] = at
        at = before[at]
    return least, way
