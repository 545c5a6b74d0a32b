"""Column generation: the linear program over all realigned sets, and an exact bound at any time (ours).

Prices are rounded down to whole units and sets are priced in whole numbers, so that the bound rests on no float. At
most as many sets have a least budget as there are fragments with it; each of these gains at most what pricing found:

    Σ count · price − Σ over least budgets of fragments with it · largest gain ≤ every plan

GPU shares are whole percents, so that this is rounded up to the next one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from formulations.fragments.columns.master import Counts, Floats, Master
from formulations.fragments.columns.pricing import best_sets
from formulations.fragments.columns.types import UNIT, Ints, Tables, Types

ABOVE = 1e-6
"""Bounds this far above a whole percent are rounded up in the search's stopping rule; the bound itself is exact."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What column generation found.

    Attributes:
        bound_units: proven least GPU share of any plan in units.
        prices: the prices that prove it, in units, shape (types,).
        columns: GPU share in percent of each column.
        value: optimum of the linear program over these, as HiGHS has it.
        rounds: number of pricings.
        converged: whether no set gains any more, or the bound cannot rise to another percent.
    """

    bound_units: int
    prices: Ints
    columns: dict[Counts, int]
    value: float
    rounds: int
    converged: bool

    @property
    def bound_pct(self) -> int:
        """The bound in whole percents, rounded up."""
        return -(-self.bound_units // UNIT)


class Pricer:
    """Prices sets of fragments of some types.

    Attributes:
        types: the types.
        tables: least GPU shares of stages.
        limits: the different limits of the types, ascending, shape (limits,).
        fragments: number of fragments of each limit, shape (limits,).
    """

    def __init__(self, types: Types, tables: Tables) -> None:
        self.types, self.tables = types, tables
        counts = types.counts
        self.limits, place = np.unique(types.limit, return_inverse=True)
        self.fragments = np.bincount(place, weights=counts).astype(np.int64)
        self.items = np.repeat(np.arange(len(counts)), counts)
        self.starts = np.searchsorted(
            types.begin[self.items], [*tables.begins.tolist(), int(tables.begins[-1]) + 1]
        ).astype(np.int64)

    def price(self, prices: Ints) -> tuple[int, list[tuple[Counts, int]]]:
        """The bound that prices prove, in units, and sets that gain, each with its GPU share in percent."""
        own, tables = self.items, self.tables
        order = np.lexsort((-prices[own], self.types.begin[own]))
        items = own[order]
        gains, taken = best_sets(
            self.limits,
            tables.begins,
            self.starts,
            self.types.limit[items],
            prices[items],
            tables.most,
            tables.shared_start,
            tables.shared_ticks,
            tables.shared_cost,
            tables.shared_least,
            tables.own_start,
            tables.own_end,
            tables.own_ticks,
            tables.own_cost,
        )
        value = sum(int(k) * int(price) for k, price in zip(self.types.counts, prices, strict=True))
        lost = sum(int(k) * int(gain) for k, gain in zip(self.fragments, gains.max(axis=1), strict=True))
        found = []
        for t, point in np.argwhere(gains > 0).tolist():
            column = self._column(items, int(self.limits[t]), taken[t, point])
            worth = sum(k * int(prices[kind]) for kind, k in column)
            found.append((column, (worth - int(gains[t, point])) // UNIT))
        return value - lost, found

    def _column(self, items: npt.NDArray[np.int64], limit: int, taken: Ints) -> Counts:
        chosen: dict[int, int] = {}
        for b, number in enumerate(taken.tolist()):
            mine = items[self.starts[b] : self.starts[b + 1]]
            for kind in mine[self.types.limit[mine] >= limit][:number].tolist():
                chosen[kind] = chosen.get(kind, 0) + 1
        return tuple(sorted(chosen.items()))


def relaxed(pricer: Pricer, alone: dict[Counts, int], deadline: float) -> Relaxation:
    """Generate columns until no set gains, the bound cannot rise to another percent, or the deadline has passed.

    Args:
        pricer: prices sets.
        alone: a column for each type by itself.
        deadline: `time.perf_counter` value.
    """
    master = Master(pricer.types.counts)
    for column, share_pct in alone.items():
        master.add(column, share_pct)
    best, proof = 0, np.zeros(len(pricer.types.begin), dtype=np.int64)
    rounds, converged = 0, False
    while not converged:
        duals: Floats = master.prices()
        prices = np.floor(duals * UNIT).astype(np.int64)
        bound, found = pricer.price(prices)
        rounds += 1
        if bound > best:
            best, proof = bound, prices
        new = sum(master.add(column, share_pct) for column, share_pct in found)
        converged = not new or -(-best // UNIT) >= master.value - ABOVE
        if time.perf_counter() >= deadline:
            break
    return Relaxation(best, proof, master.columns, master.value, rounds, converged)
