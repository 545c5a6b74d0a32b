"""From the bound to a proven optimum: all sets that a plan within a target may have, and the best plan of them (ours).

All numbers are whole. The linear solver only gives prices, and any prices prove a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.pricing import worth_of_mixes
from formulations.fragments.columns.relaxation import Counts, Pricer
from formulations.fragments.columns.tables import NEVER, UNIT, Tables
from formulations.fragments.columns.types import Ints

# The best plan of sets within a slack: a shortest path, in whole numbers (ours).
#
# The fragments of a class, which have one begin and one rate, stand in a row, the tightest first. Some best plan has
# this form: the tightest remaining fragment is in a set with the tightest ones of each class, and so on with the
# others. Proof: take the set of that fragment in any best plan. Its least budget is the fragment's, with any other
# members. So a tighter fragment may change places with a member of the same class, since the least budget of the set
# that it leaves does not fall.
#
# So the numbers of each class taken so far determine the rest. Such numbers are nodes, sets are arcs from fewer to
# more, and their lengths are reduced costs.

EVERY = 64
"""Nodes between two checks of the clock."""


class Graph(NamedTuple):
    """Fragments in rows, and the sets that are arcs.

    Attributes:
        first: fragments of class c stand at `first[c]` to `first[c + 1]`, the tightest first, shape (classes + 1,).
        rank: per fragment the place of its limit among all limits, ascending.
        worth: prices of all fragments before one, summed up, in units, shape (fragments + 1,).
        set_start: sets of the limit with rank t are those from `set_start[t]` to `set_start[t + 1]`.
        numbers: per set how many fragments of each class it takes, shape (sets, classes).
        share: per set its GPU share in units.
        radix: place value of each class in the number of a node, shape (classes,).
    """

    first: Ints
    rank: Ints
    worth: Ints
    set_start: Ints
    numbers: Ints
    share: Ints
    radix: Ints


@compiled
def shortest_path(graph: Graph, slack: int, length: Ints, arc: npt.NDArray[np.int32], deadline: float) -> bool:
    """The lengths of the shortest paths from no fragment to each node, and their last arcs.

    Args:
        graph: fragments and sets.
        slack: longest path of interest, in units.
        length: output, `NEVER` if there is no path within the slack; shape (nodes,).
        arc: output, the last set of a shortest path, shape (nodes,).
        deadline: `clock` value at which to stop.

    Returns:
        Whether the search visited all nodes before the deadline.
    """
    first, rank, worth, set_start, numbers, share, radix = graph
    classes = len(radix)
    length[:] = NEVER
    length[0] = 0
    taken = np.zeros(classes, dtype=np.int64)
    # Each arc leads to a node with a higher number.
    seen = 0
    for node in range(len(length) - 1):
        # Prune here, since the slack already includes all gains of later sets.
        if length[node] > slack:
            continue
        seen += 1
        if seen % EVERY == 0 and is_past(deadline):
            return False
        # The numbers of each class so far, and the tightest remaining fragment, which the next set must take.
        rest, tightest, at = node, -1, -1
        for c in range(classes - 1, -1, -1):
            taken[c] = rest // radix[c]
            rest -= taken[c] * radix[c]
            place = first[c] + taken[c]
            if place < first[c + 1] and (at < 0 or rank[place] < tightest):
                tightest, at = rank[place], c
        for k in range(set_start[tightest], set_start[tightest + 1]):
            if numbers[k, at] == 0:
                continue
            # The set takes the tightest remaining fragments of each class, if there are enough.
            cost, end = length[node] + share[k], node
            for c in range(classes):
                place = first[c] + taken[c]
                if place + numbers[k, c] > first[c + 1]:
                    cost = NEVER
                    break
                cost -= worth[place + numbers[k, c]] - worth[place]
                end += numbers[k, c] * radix[c]
            if cost <= slack and cost < length[end]:
                length[end], arc[end] = cost, k
    return True


# Mixes of the realigned sets that a plan within a target may have, by reduced costs in whole numbers.
#
# A plan's share less the worth of its fragments at given prices is the sum of the reduced costs of its sets. None of
# these is below the value from pricing, so none is above the target less the bound. The share of a set follows from its
# least budget and from the numbers of its fragments by begin and rate, so only such mixes are listed (ours).


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
    """The least share of sets within a limit by their mixes, if the reduced cost may be small enough.

    Args:
        tables: least GPU shares of stages.
        limit: longest execution in ticks.
        slack: largest reduced cost, in units.
        worth: the highest prices of the fragments of each mix, negative if there are too few, shape (mixes,).
        radix: place value of each begin in an index of `least`, shape (begins,).
        least: output, the least share in units by mixes; `NEVER` if no set is within the slack.
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
            # Rows come by rising time, so all later ones take too long as well.
            if tables.shared_ticks[row] > limit:
                break
            if is_past(deadline):
                return False
            left, each = limit - tables.shared_ticks[row], tables.shared_least[row]
            # The largest gain of each begin by itself, summed from the last one, bounds the gain of all later begins.
            for b in range(groups - 1, -1, -1):
                fits[b], alone = tables.begins[b] == point, 0
                at = -1
                # The slowest own stage that leaves enough time for the shared one.
                if tables.begins[b] < point:
                    start, end = tables.own_start[b, point], tables.own_end[b, point]
                    at = start + np.searchsorted(tables.own_ticks[start:end], left, side="right") - 1
                    fits[b] = at >= start
                if fits[b]:
                    for m in range(tables.mix_begin[b], tables.mix_begin[b + 1]):
                        net[m] = tables.own_cost[at, m - tables.mix_begin[b]] if at >= 0 else 0
                        alone = max(alone, worth[m] - net[m] - each * tables.mix_load[m])
                hoped[b] = hoped[b + 1] + alone
            # Even the best mixes of all begins, each at the least share per load, lose more than the slack.
            if hoped[0] < -slack:
                continue
            # Choose a mix of each begin in turn, and give up as soon as the others cannot make up for its loss.
            b = 0
            own[0] = -1
            while b >= 0:
                own[b] += 1
                m = tables.mix_begin[b] + own[b]
                # All its mixes are done, or it has no stage in time, so go back to the begin before.
                if m >= tables.mix_begin[b + 1] or (own[b] > 0 and not fits[b]):
                    b -= 1
                    continue
                share = net[m] if own[b] > 0 else 0
                # There are too few fragments, or no stage serves them.
                if worth[m] < 0 or share >= NEVER or load[b] + tables.mix_load[m] >= loads:
                    continue
                # More members than a set may have would overflow into the load of a higher rate.
                if load[b] % base + tables.mix_load[m] % base >= base:
                    continue
                cost[b + 1] = cost[b] + share
                gain[b + 1] = gain[b] + worth[m] - share
                load[b + 1] = load[b] + tables.mix_load[m]
                index[b + 1] = index[b] + own[b] * radix[b]
                # Prune here, since later begins cannot make up for the loss of this mix.
                if gain[b + 1] - each * load[b + 1] + hoped[b + 1] < -slack:
                    continue
                if b + 1 < groups:
                    b += 1
                    own[b] = -1
                    continue
                # A mix of every begin makes a whole set; its mixes keep the least share within the slack.
                total = load[groups]
                if total > 0 and gain[groups] - tables.shared_cost[row, total] >= -slack:
                    found = cost[groups] + tables.shared_cost[row, total]
                    least[index[groups]] = min(least[index[groups]], found)
    return True


MOST_NUMBERS = 4_000_000
"""Most mixes of all begins together."""
ROOM = 4_000_000
"""Most sets of a list."""
MOST_NODES = 2**24
"""Most nodes for a search of paths."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Sets by least budget and numbers of fragments of each class; each stands for all sets of such fragments.

    Attributes:
        start: sets of the limit `pricer.limits[t]` are those from `start[t]` to `start[t + 1]`.
        numbers: per set how many fragments of each class it takes, shape (sets, classes).
        share: per set its GPU share in units, shape (sets,).
    """

    start: Ints
    numbers: Ints
    share: Ints


@dataclass(frozen=True, slots=True)
class SetPath:
    """The best plan within a target.

    Attributes:
        share_pct: its GPU share; None if there is no plan within the target.
        sets: how often each column is taken.
    """

    share_pct: int | None
    sets: dict[Counts, int]


def sets_within(pricer: Pricer, prices: Ints, slack: int, deadline: float) -> Listed | None:
    """The numbers of fragments of all sets with a reduced cost that may be within a slack.

    Args:
        pricer: types and tables.
        prices: prices in units, shape (types,).
        slack: largest reduced cost, in units.
        deadline: `time.perf_counter` value.

    Returns:
        The sets; None if there are too many, or the deadline has passed.
    """
    tables = pricer.tables
    items = pricer.sorted_by(prices)
    shape = np.diff(tables.mix_begin)
    if math.prod(shape.tolist()) > MOST_NUMBERS:
        return None
    radix = _radix(shape)
    least = np.empty(math.prod(shape.tolist()), dtype=np.int64)
    worth = np.empty(len(tables.mix_load), dtype=np.int64)
    start, numbers, share = [0], [np.zeros((0, len(pricer.starts) - 1), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for limit in pricer.limits.tolist():
        worth_of_mixes(
            tables,
            limit,
            pricer.starts,
            pricer.types.limit[items],
            prices[items],
            worth,
        )
        done = shares_by_mixes(
            tables,
            limit,
            slack,
            worth,
            radix,
            least,
            deadline,
        )
        found = np.flatnonzero(least < NEVER)
        start.append(start[-1] + len(found))
        if not done or start[-1] > ROOM:
            return None
        numbers.append(tables.numbers(found[:, None] // radix % shape))
        share.append(least[found])
    return Listed(np.array(start, dtype=np.int64), np.concatenate(numbers), np.concatenate(share))


def best_within(
    pricer: Pricer, prices: Ints, sets: Listed, target_pct: int, slack: int, deadline: float
) -> SetPath | None:
    """The best of all plans within a target, which consists of listed sets.

    Args:
        pricer: types and tables.
        prices: prices behind the list of sets, in units, shape (types,).
        sets: all sets of reduced costs within the slack.
        target_pct: GPU share that the plan may have.
        slack: longest path that leads to such a plan, in units.
        deadline: `time.perf_counter` value.

    Returns:
        The plan; None if there are too many nodes, or the deadline has passed.
    """
    types = pricer.types
    size = np.diff(pricer.starts)
    nodes = int(np.prod(size + 1, dtype=object))
    if nodes > MOST_NODES:
        return None
    # Types are sorted by class, then by limit.
    items, radix = pricer.items, _radix(size + 1)
    worth = np.concatenate(([0], np.cumsum(prices[items])))
    length, arc = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int32)
    rank = np.searchsorted(pricer.limits, types.limit[items])
    graph = Graph(pricer.starts, rank, worth, sets.start, sets.numbers, sets.share, radix)
    if not shortest_path(graph, slack, length, arc, deadline):
        return None
    share_units = int(length[-1]) + int(worth[-1])
    if length[-1] >= NEVER or share_units > target_pct * UNIT:
        return SetPath(None, {})
    return SetPath(share_units // UNIT, _columns(pricer, sets.numbers, radix, arc))


def _radix(shape: Ints) -> Ints:
    """Place values that combine numbers below `shape` to one number."""
    return np.concatenate(([1], np.cumprod(shape)[:-1])).astype(np.int64)


def _columns(pricer: Pricer, numbers: Ints, radix: Ints, arc: npt.NDArray[np.int32]) -> dict[Counts, int]:
    """The columns of the shortest path to the last node."""
    columns: dict[Counts, int] = {}
    node = len(arc) - 1
    while node:
        own = numbers[arc[node]]
        # Subtracting the fragments of the set gives the node from which the arc came.
        node -= int(own @ radix)
        taken = node // radix % (np.diff(pricer.starts) + 1)
        kinds: dict[int, int] = {}
        for place, number in zip((pricer.starts[:-1] + taken).tolist(), own.tolist(), strict=True):
            for kind in pricer.items[place : place + number].tolist():
                kinds[kind] = kinds.get(kind, 0) + 1
        column = tuple(sorted(kinds.items()))
        columns[column] = columns.get(column, 0) + 1
    return columns
