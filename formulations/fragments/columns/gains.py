"""The largest gain of any set at given prices, in whole numbers, for thousands of fragments (ours).

Prices do not rise with the time budget among fragments that begin at the same layer, since a fragment may replace a
tighter one. So fragments stand in queues, the tightest first, and a set of a least budget takes the first ones with at
least that budget. Stages at the least share per fragment bound the gain of a set by a sum over its fragments. That
leaves out most re-partition points and times, and most numbers of fragments at the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.errors import InapplicableError
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.memory import WHOLE_GPU_PCT
from euclio.problems.fragments.stages import FITS, Stages
from formulations.fragments.columns.tables import MOST_PCT, NEVER, UNIT
from formulations.fragments.columns.types import MOST_TICKS, Ints, Types
from heuristics.fragments.regrouping_kernel import place_above
from heuristics.fragments.regrouping_tables import divide_heads

# Least GPU shares of stages of fragments of one rate as tables, for thousands of them (ours).

WIDTH = 250
"""Most fragments of a stage in the first tables; the least share per fragment bounds larger sets."""


class WideTables(NamedTuple):
    """Least GPU shares in units of shared stages and of heads, by time and number of fragments.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads of queue b
    that end at p the rows `own_start[b, p]` to `own_start[b, p + 1]`; rows by ascending time.

    Attributes:
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: shape (rows, width + 1).
        shared_least: least share per fragment of any number, rounded down, shape (rows,).
        own_start: shape (queues, layers + 1).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest one or several heads, shape (rows, width + 1).
        own_least: as `shared_least`, shape (rows,).
    """

    shared_start: Ints
    shared_ticks: Ints
    shared_cost: Ints
    shared_least: Ints
    own_start: Ints
    own_ticks: Ints
    own_cost: Ints
    own_least: Ints


def wide_tables(types: Types, stages: Stages, space: FragmentSpace, most: int = WIDTH) -> WideTables:
    """The tables of a plan space, for at most so many fragments of a stage.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    layers, begins = stages.network.layers, np.unique(types.begin).tolist()
    total = int(types.counts.sum())
    width = min(most, total, space.max_members or total)
    rows = _Rows(stages, types, width, space.max_instances)
    shared = [rows.of(p, layers) if p >= begins[0] else rows.none() for p in range(layers)]
    heads = [[rows.of(begin, p) if p > begin else rows.none() for p in range(layers)] for begin in begins]
    sizes = np.array([[len(ticks) for ticks, _, _ in own] for own in heads], dtype=np.int64)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    own_cost = np.concatenate([cost for own in heads for _, cost, _ in own])
    divide_heads(own_cost)
    return WideTables(
        np.cumsum([0, *(len(ticks) for ticks, _, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _, _ in shared]),
        np.concatenate([cost for _, cost, _ in shared]),
        np.concatenate([least for _, _, least in shared]),
        np.concatenate((ends[:, :1] - sizes[:, :1], ends), axis=1),
        np.concatenate([ticks for own in heads for ticks, _, _ in own]),
        own_cost,
        np.concatenate([least for own in heads for _, _, least in own]),
    )


class _Rows:
    """Makes the rows of one range of layers after the other."""

    def __init__(self, stages: Stages, types: Types, width: int, max_instances: int | None) -> None:
        self._stages, self._width, self._max_instances = stages, width, max_instances
        self._per_tick = types.rate_rps / stages.ticks_per_s

    def none(self) -> tuple[Ints, Ints, Ints]:
        """The rows of a range without a stage."""
        return np.zeros(0, dtype=np.int64), np.zeros((0, self._width + 1), dtype=np.int64), np.zeros(0, dtype=np.int64)

    def of(self, first: int, end: int) -> tuple[Ints, Ints, Ints]:
        """Times at which the share of some number of fragments falls, shares, and the least share per fragment."""
        choices = self._stages.choices(first, end)
        if not len(choices.ticks):
            return self.none()
        above, below = self._per_tick.numerator, self._per_tick.denominator
        ticks, batch, share = (part.astype(object) for part in (choices.ticks, choices.batch, choices.share_pct))
        if int(ticks.max()) >= MOST_TICKS:
            raise InapplicableError("latencies and time budgets have too many digits for 64 bits")
        each = np.minimum.accumulate((UNIT * share * ticks * above) // (batch * below))
        load, room = ticks * above, batch * below
        if self._width * int(load.max()) < FITS and int(room.max()) < FITS:
            load, room = load.astype(np.int64), room.astype(np.int64)
        instances = -(-(load[:, None] * np.arange(self._width + 1)) // room[:, None])
        if int(each.max()) >= MOST_PCT * UNIT or int(instances.max()) * WHOLE_GPU_PCT >= MOST_PCT:
            raise InapplicableError("latencies or GPU shares have too many digits for 64 bits")
        instances = instances.astype(np.int64)
        cost = instances * (share.astype(np.int64) * UNIT)[:, None]
        if self._max_instances is not None:
            cost[instances > self._max_instances] = NEVER
        cost = np.minimum(np.minimum.accumulate(cost, axis=0), NEVER)
        # Among rows at one time the last has the least shares of all up to it.
        last = np.append(ticks[1:] != ticks[:-1], True).astype(bool)
        ticks, cost, each = ticks[last].astype(np.int64), cost[last], each[last].astype(np.int64)
        # A row without a cheaper stage repeats the one before it.
        cheaper = (cost[1:] < cost[:-1]).any(axis=1) | (each[1:] < each[:-1])
        kept = np.append(True, cheaper)
        return ticks[kept], cost[kept], each[kept]


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
    """The largest gain of sets of each least budget.

    Args:
        tables: least GPU shares of stages.
        limits: longest executions that least budgets allow, in ticks, shape (limits,).
        items: the fragments in queues.
        members: most fragments of a set.
        taken: output, fragments of each queue in the set of largest gain, shape (limits, queues); 0 if none gains.

    Returns:
        Per limit an upper bound on the gain in units, 0 if none gains, shape (limits,). It is the largest gain, unless
        a set with more fragments than the tables gains more.
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
            # Fragments of a queue come by rising limit, so those before this one have less than the least budget.
            first[b] = starts[b] + np.searchsorted(own, limit)
        for point in range(begins[0], layers):
            for row in range(tables.shared_start[point], tables.shared_start[point + 1]):
                # Rows come by rising time, so all later ones take too long as well.
                if tables.shared_ticks[row] > limit:
                    break
                # The gains of single fragments; each queue stops at a price that does not pay for its stages.
                left, hoped = limit - tables.shared_ticks[row], 0
                for b in range(queues):
                    each[b] = -1
                    head[b] = -1
                    # The queue begins behind the point, or all its fragments are too tight, so it gives none.
                    if begins[b] > point or first[b] >= starts[b + 1]:
                        continue
                    if begins[b] < point:
                        # Its own stage gets the time that the shared one leaves; without a stage in time it gives none.
                        low, high = tables.own_start[b, point], tables.own_start[b, point + 1]
                        at = low + np.searchsorted(tables.own_ticks[low:high], left, side="right") - 1
                        if at < low:
                            continue
                        head[b] = at
                    each[b] = tables.shared_least[row] + (tables.own_least[head[b]] if head[b] >= 0 else 0)
                    end[b] = place_above(price, first[b], starts[b + 1], each[b])
                    hoped += worth[end[b]] - worth[first[b]] - each[b] * (end[b] - first[b])
                # Even fragments at their least shares gain no more than the best set so far.
                if hoped <= gains[t]:
                    continue
                # Each fragment beyond `end` loses, so take only as many as leave a gain.
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
                    # The sum over their fragments bounds sets with more fragments than the tables.
                    bound = _of_more(hoped, width, queues, first, end, starts, each, price)
                    if bound > gains[t]:
                        gains[t] = bound
                        taken[t, :] = 0
                # The queues at their real shares gain no more either.
                if alone <= gains[t] and possible <= width:
                    continue
                # The largest joint gain of a number of fragments of the first queues, and the number from the last one.
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
                # Subtract the shared stage for all of them, keep the best, and read back its fragments of each queue.
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
    """An upper bound on the gain of a set of more than `width` fragments: the sum over those that lose least."""
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
        # There are too few fragments for such a set.
        if best < 0:
            return 0
        bound -= each[best] - price[following[best]]
        following[best] += 1
        number += 1
    return bound
