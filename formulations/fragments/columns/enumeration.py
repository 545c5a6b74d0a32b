"""Numbers of fragments of the realigned sets that a plan within a target may hold, by reduced costs in whole numbers.

A plan's share less what its fragments are worth at given prices is the sum of the reduced costs of its sets. None of
these is below what pricing found, so that none is above the target less the bound. The share of a set follows from its
least budget and from how many of its fragments begin at which layer, so that only such numbers are listed (ours).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.types import NEVER

Ints = npt.NDArray[np.int64]


@compiled
def shares_by_numbers(
    limit: int,
    slack: int,
    begins: Ints,
    size: Ints,
    worth: Ints,
    most: int,
    shared_start: Ints,
    shared_ticks: Ints,
    shared_cost: Ints,
    shared_least: Ints,
    own_start: Ints,
    own_end: Ints,
    own_ticks: Ints,
    own_cost: Ints,
    radix: Ints,
    least: Ints,
    deadline: float,
) -> bool:
    """The least share of sets within a limit by their numbers of fragments, where the reduced cost may be small enough.

    Args:
        limit: longest execution in ticks.
        slack: largest reduced cost, in units.
        begins: layers at which fragments begin.
        size: fragments of each begin that have the limit, shape (begins,).
        worth: the highest prices of so many of them, summed up, shape (begins, most + 1).
        most: most fragments of a set.
        shared_start: see `Tables`, as the next seven.
        shared_ticks: see `Tables`.
        shared_cost: see `Tables`.
        shared_least: see `Tables`.
        own_start: see `Tables`.
        own_end: see `Tables`.
        own_ticks: see `Tables`.
        own_cost: see `Tables`.
        radix: place value of each begin in an index of `least`, shape (begins,).
        least: filled in: the least share in units by numbers of fragments; `NEVER` where no set is within the slack.
        deadline: `clock` value at which to stop.

    Returns:
        Whether all were listed before the deadline.
    """
    classes, layers = len(begins), len(shared_start) - 1
    least[:] = NEVER
    net = np.zeros((classes, most + 1), dtype=np.int64)
    fits = np.zeros(classes, dtype=np.int64)
    hoped = np.zeros(classes + 1, dtype=np.int64)
    own = np.zeros(classes, dtype=np.int64)
    cost = np.zeros(classes + 1, dtype=np.int64)
    gain = np.zeros(classes + 1, dtype=np.int64)
    number = np.zeros(classes + 1, dtype=np.int64)
    index = np.zeros(classes + 1, dtype=np.int64)
    for point in range(begins[0], layers):
        for row in range(shared_start[point], shared_start[point + 1]):
            if shared_ticks[row] > limit:
                break
            if is_past(deadline):
                return False
            left, each = limit - shared_ticks[row], shared_least[row]
            for b in range(classes - 1, -1, -1):
                fits[b], alone = 0, 0
                at = -1
                if begins[b] < point:
                    start, end = own_start[b, point], own_end[b, point]
                    at = start + np.searchsorted(own_ticks[start:end], left, side="right") - 1
                    if at >= start:
                        fits[b] = size[b]
                elif begins[b] == point:
                    fits[b] = size[b]
                for k in range(1, fits[b] + 1):
                    net[b, k] = own_cost[at, k] if at >= 0 else 0
                    alone = max(alone, worth[b, k] - net[b, k] - each * k)
                hoped[b] = hoped[b + 1] + alone
            if hoped[0] < -slack:
                continue
            # Numbers of each begin in turn, given up as soon as what the others may gain does not make up for it.
            b = 0
            own[0] = -1
            while b >= 0:
                own[b] += 1
                k = own[b]
                if k > fits[b] or number[b] + k > most:
                    b -= 1
                    continue
                share = net[b, k] if k > 0 else 0
                if share >= NEVER:
                    continue
                cost[b + 1] = cost[b] + share
                gain[b + 1] = gain[b] + worth[b, k] - share
                number[b + 1] = number[b] + k
                index[b + 1] = index[b] + k * radix[b]
                if gain[b + 1] - each * number[b + 1] + hoped[b + 1] < -slack:
                    continue
                if b + 1 < classes:
                    b += 1
                    own[b] = -1
                    continue
                total = number[classes]
                if total > 0 and gain[classes] - shared_cost[row, total] >= -slack:
                    found = cost[classes] + shared_cost[row, total]
                    least[index[classes]] = min(least[index[classes]], found)
    return True
