"""Column generation for the linear program over all realigned sets, with an exact bound at any time (ours).

Prices are rounded down to whole units and sets are priced in whole numbers, so the bound rests on no float. A least
budget has at most as many sets as fragments, and no set gains more than the largest gain of pricing:

    Σ count · price − Σ over least budgets of fragments with it · largest gain ≤ every plan

GPU shares are whole percents, so this is rounded up to the next one.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from formulations.engines.highs_arrays import Covering
from formulations.fragments.candidates import TimeUpError
from formulations.fragments.columns.pricing import best_sets
from formulations.fragments.columns.tables import MOST_PCT, UNIT, Tables
from formulations.fragments.columns.types import Ints, Types

# The linear program over the columns so far, which cover each type's fragments at the least GPU share (ours).

Floats = npt.NDArray[np.float64]
Counts = tuple[tuple[int, int], ...]
"""A column as ascending types, and the number of fragments of each."""


class Master:
    """The program min share · x, with at least the fragments of each type in sets, x ≥ 0.

    Covering is enough, since a set without some of its fragments costs no more.

    Attributes:
        columns: GPU share in percent of each column so far, in the order in which they were added.
    """

    def __init__(self, counts: Ints) -> None:
        self.columns: dict[Counts, int] = {}
        self._places: dict[Counts, int] = {}
        self._program = Covering(counts.astype(float))

    @property
    def value(self) -> float:
        """The last optimum by HiGHS, which is no bound."""
        return self._program.value

    def add(self, column: Counts, share_pct: int) -> bool:
        """Add a column, or a lower share of one; whether that is new."""
        known = self.columns.get(column)
        if known is not None and known <= share_pct:
            return False
        self.columns[column] = share_pct
        if known is not None:
            self._program.recost(self._places[column], float(share_pct))
            return True
        self._places[column] = len(self._places)
        self._program.add(float(share_pct), [kind for kind, _ in column], [float(k) for _, k in column])
        return True

    def prices(self) -> Floats:
        """Prices of a fragment of each type at the optimum, not negative, in percent."""
        return self._program.prices()


ABOVE = 1e-6
"""Margin above a whole percent from which the search's stopping rule rounds up; the bound itself is exact."""

AT_ONCE = 4
"""Least budgets to price between two checks of the clock."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The result of column generation.

    Attributes:
        bound_units: proven least GPU share of any plan in units.
        prices: the prices that prove it, in units, shape (types,).
        columns: GPU share in percent of each column.
        value: optimum of the linear program over these, by HiGHS.
        rounds: number of pricings.
    """

    bound_units: int
    prices: Ints
    columns: dict[Counts, int]
    value: float
    rounds: int

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
        items: the type of each fragment, ascending, shape (fragments,).
        starts: fragments of class c are those from `starts[c]` to `starts[c + 1]`.
    """

    def __init__(self, types: Types, tables: Tables) -> None:
        self.types, self.tables = types, tables
        counts = types.counts
        self.limits, place = np.unique(types.limit, return_inverse=True)
        self.fragments = np.bincount(place, weights=counts).astype(np.int64)
        self.items = np.repeat(np.arange(len(counts)), counts)
        self._class = np.unique(np.stack((types.begin, types.weights)), axis=1, return_inverse=True)[1].ravel()
        classes = int(self._class[-1]) + 1
        self.starts = np.searchsorted(self._class[self.items], np.arange(classes + 1)).astype(np.int64)

    def sorted_by(self, prices: Ints) -> Ints:
        """The types of all fragments by class, those with the highest prices first."""
        return self.items[np.lexsort((-prices[self.items], self._class[self.items]))]

    def price(self, prices: Ints, deadline: float = math.inf) -> tuple[int, list[tuple[Counts, int]]]:
        """The bound that prices prove, in units, and sets that gain, each with its GPU share in percent.

        Raises:
            TimeUpError: the deadline, a `time.perf_counter` value, has passed.
        """
        items = self.sorted_by(prices)
        parts = [
            self._best_sets(items, prices, self.limits[k : k + AT_ONCE], deadline)
            for k in range(0, len(self.limits), AT_ONCE)
        ]
        gains, taken = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        # Integers of Python, since prices times fragments may exceed 64 bits.
        value = sum(int(k) * int(price) for k, price in zip(self.types.counts, prices, strict=True))
        lost = sum(int(k) * int(gain) for k, gain in zip(self.fragments, gains.max(axis=1), strict=True))
        found = []
        for t, point in np.argwhere(gains > 0).tolist():
            column = self._column(items, int(self.limits[t]), taken[t, point])
            worth = sum(k * int(prices[kind]) for kind, k in column)
            found.append((column, (worth - int(gains[t, point])) // UNIT))
        return value - lost, found

    def _best_sets(self, items: Ints, prices: Ints, limits: Ints, deadline: float) -> tuple[Ints, Ints]:
        if time.perf_counter() >= deadline:
            raise TimeUpError
        return best_sets(
            self.tables,
            limits,
            self.starts,
            self.types.limit[items],
            prices[items],
        )

    def _column(self, items: npt.NDArray[np.int64], limit: int, taken: Ints) -> Counts:
        chosen: dict[int, int] = {}
        for c, number in enumerate(self.tables.numbers(taken[None])[0].tolist()):
            mine = items[self.starts[c] : self.starts[c + 1]]
            for kind in mine[self.types.limit[mine] >= limit][:number].tolist():
                chosen[kind] = chosen.get(kind, 0) + 1
        return tuple(sorted(chosen.items()))


def relaxed(pricer: Pricer, alone: dict[Counts, int], deadline: float) -> Relaxation:
    """Generate columns until no set gains, the bound cannot reach another percent, or the deadline has passed.

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
        # Prices of any size prove a bound, but those above any stage's share would not fit into 64 bits.
        prices = np.floor(np.minimum(duals, MOST_PCT) * UNIT).astype(np.int64)
        try:
            bound, found = pricer.price(prices, deadline)
        except TimeUpError:
            break
        rounds += 1
        if bound > best:
            best, proof = bound, prices
        new = sum(master.add(column, share_pct) for column, share_pct in found)
        converged = not new or -(-best // UNIT) >= master.value - ABOVE
    return Relaxation(best, proof, master.columns, master.value, rounds)
