"""From the bound to a proven optimum: all sets that a plan within a target may hold, and the best plan of them (ours).

All is in whole numbers: the linear solver has no part in it but for the prices, and any prices prove what they prove.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from formulations.fragments.columns.enumeration import shares_by_mixes
from formulations.fragments.columns.master import Counts
from formulations.fragments.columns.paths import Graph, shortest_path
from formulations.fragments.columns.pricing import worth_of_mixes
from formulations.fragments.columns.relaxation import Pricer
from formulations.fragments.columns.tables import NEVER, UNIT
from formulations.fragments.columns.types import Ints

MOST_NUMBERS = 4_000_000
"""Mixes of all begins together beyond which they are not listed."""
ROOM = 4_000_000
"""Sets beyond which their listing is given up."""
MOST_NODES = 2**24
"""Nodes beyond which no path is looked for."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Sets by least budget and numbers of fragments of each class, each standing for all sets of such fragments.

    Attributes:
        start: sets whose least budget has the limit `pricer.limits[t]` are those from `start[t]` to `start[t + 1]`.
        numbers: per set how many fragments of each class it takes, shape (sets, classes).
        share: per set its GPU share in units, shape (sets,).
    """

    start: Ints
    numbers: Ints
    share: Ints


@dataclass(frozen=True, slots=True)
class Path:
    """The best plan within a target.

    Attributes:
        share_pct: its GPU share; None: there is no plan within the target.
        sets: how often each column is taken.
    """

    share_pct: int | None
    sets: dict[Counts, int]


def sets_within(pricer: Pricer, prices: Ints, slack: int, deadline: float) -> Listed | None:
    """The numbers of fragments of all sets whose reduced cost may be within a slack.

    Args:
        pricer: types and tables.
        prices: prices in units, shape (types,).
        slack: largest reduced cost, in units.
        deadline: `time.perf_counter` value.

    Returns:
        The sets; None: there are too many, or the deadline has passed.
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
) -> Path | None:
    """The best of all plans within a target, which holds listed sets alone.

    Args:
        pricer: types and tables.
        prices: prices that the sets were listed at, in units, shape (types,).
        sets: all sets of reduced costs within the slack.
        target_pct: GPU share that the plan may have.
        slack: longest path that leads to such a plan, in units.
        deadline: `time.perf_counter` value.

    Returns:
        The plan; None: there are too many nodes, or the deadline has passed.
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
        return Path(None, {})
    return Path(share_units // UNIT, _columns(pricer, sets.numbers, radix, arc))


def _radix(shape: Ints) -> Ints:
    """Place values of numbers below `shape`, so that together they are one number."""
    return np.concatenate(([1], np.cumprod(shape)[:-1])).astype(np.int64)


def _columns(pricer: Pricer, numbers: Ints, radix: Ints, arc: npt.NDArray[np.int32]) -> dict[Counts, int]:
    """The columns of the shortest path to the last node."""
    columns: dict[Counts, int] = {}
    node = len(arc) - 1
    while node:
        own = numbers[arc[node]]
        # Without what the set takes it is the node that the arc came from.
        node -= int(own @ radix)
        taken = node // radix % (np.diff(pricer.starts) + 1)
        kinds: dict[int, int] = {}
        for place, number in zip((pricer.starts[:-1] + taken).tolist(), own.tolist(), strict=True):
            for kind in pricer.items[place : place + number].tolist():
                kinds[kind] = kinds.get(kind, 0) + 1
        column = tuple(sorted(kinds.items()))
        columns[column] = columns.get(column, 0) + 1
    return columns
