"""What the realigned sets that a plan within a target may hold take of each begin, by reduced costs in whole numbers.

A plan's share less what its fragments are worth at given prices is the sum of the reduced costs of its sets. None of
these is below what pricing found, so that none is above the target less the bound. The share of a set follows from its
least budget and from how many of its fragments have which begin and rate, so that only such mixes are listed (ours).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.types import NEVER

Ints = npt.NDArray[np.int64]


@compiled
def shares_by_mixes(
    limit: int,
    slack: int,
    begins: Ints,
    worth: Ints,
    mix_begin: Ints,
    mix_load: Ints,
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
    """The least share of sets within a limit by their mixes, where the reduced cost may be small enough.

    Args:
        limit: longest execution in ticks.
        slack: largest reduced cost, in units.
        begins: layers at which fragments begin.
        worth: the highest prices of the fragments of each mix, negative where there are not so many, shape (mixes,).
        mix_begin: see `Tables`, as the next nine.
        mix_load: see `Tables`.
        shared_start: see `Tables`.
        shared_ticks: see `Tables`.
        shared_cost: see `Tables`.
        shared_least: see `Tables`.
        own_start: see `Tables`.
        own_end: see `Tables`.
        own_ticks: see `Tables`.
        own_cost: see `Tables`.
        radix: place value of each begin in an index of `least`, shape (begins,).
        least: filled in: the least share in units by mixes; `NEVER` where no set is within the slack.
        deadline: `clock` value at which to stop.

    Returns:
        Whether all were listed before the deadline.
    """
    groups, layers, loads = len(begins), len(shared_start) - 1, shared_cost.shape[1]
    least[:] = NEVER
    net = np.zeros(len(worth), dtype=np.int64)
    fits = np.zeros(groups, dtype=np.bool_)
    hoped = np.zeros(groups + 1, dtype=np.int64)
    own = np.zeros(groups, dtype=np.int64)
    cost = np.zeros(groups + 1, dtype=np.int64)
    gain = np.zeros(groups + 1, dtype=np.int64)
    load = np.zeros(groups + 1, dtype=np.int64)
    index = np.zeros(groups + 1, dtype=np.int64)
    for point in range(begins[0], layers):
        for row in range(shared_start[point], shared_start[point + 1]):
            if shared_ticks[row] > limit:
                break
            if is_past(deadline):
                return False
            left, each = limit - shared_ticks[row], shared_least[row]
            for b in range(groups - 1, -1, -1):
                fits[b], alone = begins[b] == point, 0
                at = -1
                if begins[b] < point:
                    start, end = own_start[b, point], own_end[b, point]
                    at = start + np.searchsorted(own_ticks[start:end], left, side="right") - 1
                    fits[b] = at >= start
                if fits[b]:
                    for m in range(mix_begin[b], mix_begin[b + 1]):
                        net[m] = own_cost[at, m - mix_begin[b]] if at >= 0 else 0
                        alone = max(alone, worth[m] - net[m] - each * mix_load[m])
                hoped[b] = hoped[b + 1] + alone
            if hoped[0] < -slack:
                continue
            # A mix of each begin in turn, given up as soon as what the others may gain does not make up for it.
            b = 0
            own[0] = -1
            while b >= 0:
                own[b] += 1
                m = mix_begin[b] + own[b]
                if m >= mix_begin[b + 1] or (own[b] > 0 and not fits[b]):
                    b -= 1
                    continue
                share = net[m] if own[b] > 0 else 0
                if worth[m] < 0 or share >= NEVER or load[b] + mix_load[m] >= loads:
                    continue
                cost[b + 1] = cost[b] + share
                gain[b + 1] = gain[b] + worth[m] - share
                load[b + 1] = load[b] + mix_load[m]
                index[b + 1] = index[b] + own[b] * radix[b]
                if gain[b + 1] - each * load[b + 1] + hoped[b + 1] < -slack:
                    continue
                if b + 1 < groups:
                    b += 1
                    own[b] = -1
                    continue
                total = load[groups]
                if total > 0 and gain[groups] - shared_cost[row, total] >= -slack:
                    found = cost[groups] + shared_cost[row, total]
                    least[index[groups]] = min(least[index[groups]], found)
    return True
