"""From the bound to a proven optimum: all sets that a plan within a target may hold (ours)."""

from __future__ import annotations

import numpy as np

from formulations.fragments.columns.enumeration import sets_of_numbers, shares_by_numbers
from formulations.fragments.columns.master import Counts
from formulations.fragments.columns.relaxation import Pricer
from formulations.fragments.columns.types import UNIT, Ints

MOST_NUMBERS = 4_000_000
"""Ways to say how many fragments begin where, beyond which they are not listed."""
ROOM = 400_000
"""Sets beyond which their listing is given up."""
MOST_MEMBERS = 40_000_000
"""Room for the members of all sets that are listed."""


def sets_within(pricer: Pricer, prices: Ints, slack: int, deadline: float) -> dict[Counts, int] | None:
    """Every set whose reduced cost is within a slack, with its GPU share in percent.

    Args:
        pricer: types and tables.
        prices: prices in units, shape (types,).
        slack: largest reduced cost, in units.
        deadline: `time.perf_counter` value.

    Returns:
        The sets; None: there are too many, or the deadline has passed.
    """
    types, tables = pricer.types, pricer.tables
    own = pricer.items
    items = own[np.lexsort((own, -prices[own], types.begin[own]))]
    starts, item_limit, item_price = pricer.starts, types.limit[items], prices[items]
    classes = len(tables.begins)
    room = min(ROOM, MOST_MEMBERS // tables.most)
    members, share = np.zeros((room, tables.most), dtype=np.int32), np.zeros(room, dtype=np.int64)
    held = 0
    for limit in pricer.limits.tolist():
        size = np.zeros(classes, dtype=np.int64)
        worth = np.zeros((classes, tables.most + 1), dtype=np.int64)
        for b in range(classes):
            mine = slice(starts[b], starts[b + 1])
            top = item_price[mine][item_limit[mine] >= limit]
            size[b] = min(len(top), tables.most)
            worth[b, 1 : size[b] + 1] = np.cumsum(top[: size[b]])
        numbers = int(np.prod([int(k) + 1 for k in size], dtype=object))
        if numbers > MOST_NUMBERS:
            return None
        radix = np.concatenate(([1], np.cumprod(size + 1)[:-1])).astype(np.int64)
        least = np.zeros(numbers, dtype=np.int64)
        shares_by_numbers(
            limit,
            slack,
            tables.begins,
            size,
            worth,
            tables.most,
            tables.shared_start,
            tables.shared_ticks,
            tables.shared_cost,
            tables.shared_least,
            tables.own_start,
            tables.own_end,
            tables.own_ticks,
            tables.own_cost,
            radix,
            least,
        )
        held = sets_of_numbers(
            limit,
            slack,
            starts,
            item_limit,
            item_price,
            items,
            size,
            worth,
            radix,
            least,
            members,
            share,
            held,
            deadline,
        )
        if held < 0:
            return None
    return {_column(items, row): int(cost) // UNIT for row, cost in zip(members[:held], share[:held], strict=True)}


def _column(items: Ints, row: Ints) -> Counts:
    kinds, numbers = np.unique(items[row[row >= 0]], return_counts=True)
    return tuple(zip(kinds.tolist(), numbers.tolist(), strict=True))
