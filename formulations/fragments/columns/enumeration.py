"""What the realigned sets that a plan within a target may hold take of each begin, by reduced costs in whole numbers.

A plan's share less what its fragments are worth at given prices is the sum of the reduced costs of its sets. None of
these is below what pricing found, so that none is above the target less the bound. The share of a set follows from its
least budget and from how many of its fragments have which begin and rate, so that only such mixes are listed (ours).
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.tables import NEVER, Tables
from formulations.fragments.columns.types import Ints


@compiled
def shares_by_mixes(
    tables: Tables,
    limit: int,
    slack: int,
    worth: Ints,
    radix: Ints,
    least: Ints,
    deadline: float,
) -> bool:
    """The least share of sets within a limit by their mixes, where the reduced cost may be small enough.

    Args:
        tables: least GPU shares of stages.
        limit: longest execution in ticks.
        slack: largest reduced cost, in units.
        worth: the highest prices of the fragments of each mix, negative where there are not so many, shape (mixes,).
        radix: place value of each begin in an index of `least`, shape (begins,).
        least: filled in: the least share in units by mixes; `NEVER` where no set is within the slack.
        deadline: `clock` value at which to stop.

    Returns:
        Whether all were listed before the deadline.
    """
    groups, layers = len(tables.begins), len(tables.shared_start) - 1
    loads, base = tables.shared_cost.shape[1], tables.load_base
    least[:] = NEVER
    net = np.zeros(len(worth), dtype=np.int64)
    fits = np.zeros(groups, dtype=np.bool_)
    hoped = np.zeros(groups + 1, dtype=np.int64)
    own = np.zeros(groups, dtype=np.int64)
    cost = np.zeros(groups + 1, dtype=np.int64)
    gain = np.zeros(groups + 1, dtype=np.int64)
    load = np.zeros(groups + 1, dtype=np.int64)
    index = np.zeros(groups + 1, dtype=np.int64)
    for point in range(tables.begins[0], layers):
        for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
            # Rows come by rising time: all later ones take too long as well.
            if tables.shared_ticks[row] > limit:
                break
            if is_past(deadline):
                return False
            left, each = limit - tables.shared_ticks[row], tables.shared_least[row]
            # What each begin gains at most by itself, summed from the last one on: what those behind a begin may add.
            for b in range(groups - 1, -1, -1):
                fits[b], alone = tables.begins[b] == point, 0
                at = -1
                # The slowest own stage that leaves time for the shared one.
                if tables.begins[b] < point:
                    start, end = tables.own_start[b, point], tables.own_end[b, point]
                    at = start + np.searchsorted(tables.own_ticks[start:end], left, side="right") - 1
                    fits[b] = at >= start
                if fits[b]:
                    for m in range(tables.mix_begin[b], tables.mix_begin[b + 1]):
                        net[m] = tables.own_cost[at, m - tables.mix_begin[b]] if at >= 0 else 0
                        alone = max(alone, worth[m] - net[m] - each * tables.mix_load[m])
                hoped[b] = hoped[b + 1] + alone
            # Even the best mixes of all begins, each at the least share per load, fall short of the slack.
            if hoped[0] < -slack:
                continue
            # A mix of each begin in turn, given up as soon as what the others may gain does not make up for it.
            b = 0
            own[0] = -1
            while b >= 0:
                own[b] += 1
                m = tables.mix_begin[b] + own[b]
                # All its mixes are seen, or without a stage in time it gives none: back to the begin before.
                if m >= tables.mix_begin[b + 1] or (own[b] > 0 and not fits[b]):
                    b -= 1
                    continue
                share = net[m] if own[b] > 0 else 0
                # There are not so many fragments, or no stage carries them.
                if worth[m] < 0 or share >= NEVER or load[b] + tables.mix_load[m] >= loads:
                    continue
                # More members than a set may have would carry: their load would be that of a higher rate.
                if load[b] % base + tables.mix_load[m] % base >= base:
                    continue
                cost[b + 1] = cost[b] + share
                gain[b + 1] = gain[b] + worth[m] - share
                load[b + 1] = load[b] + tables.mix_load[m]
                index[b + 1] = index[b] + own[b] * radix[b]
                # Prune: the begins still to come cannot make up for what this mix loses.
                if gain[b + 1] - each * load[b + 1] + hoped[b + 1] < -slack:
                    continue
                if b + 1 < groups:
                    b += 1
                    own[b] = -1
                    continue
                # A mix of every begin: a whole set, kept by its mixes if it is the least share within the slack.
                total = load[groups]
                if total > 0 and gain[groups] - tables.shared_cost[row, total] >= -slack:
                    found = cost[groups] + tables.shared_cost[row, total]
                    least[index[groups]] = min(least[index[groups]], found)
    return True
