"""A bound on plans of thousands of fragments of one rate, by prices that a float proposes and integers prove (ours)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.stages import Stages
from formulations.fragments.columns.gains import PricedQueues, largest_gains
from formulations.fragments.columns.tables import UNIT
from formulations.fragments.columns.types import Ints, Types
from formulations.fragments.columns.wide_tables import WIDTH, WideTables, wide_tables
from heuristics.fragments.regrouping_prices import ALONE_PCT, Floats, PriceProgram, Sets, classes_of
from heuristics.fragments.regrouping_tables import Queues

MOST_ENTRIES = 24_000_000
"""Entries of a table beyond which tables are not made wider."""
GAIN_UNITS = UNIT // 1000
"""Sets that gain less are not looked for: a thousand of them are a percent of one GPU."""
PARTS = (0.9999, 0.9995, 0.999, 0.998, 0.995, 0.99)
"""Parts of the prices that are tried as well."""


@dataclass(frozen=True, slots=True)
class WideBound:
    """What column generation proved.

    Attributes:
        bound_units: proven least GPU share of any plan in units.
        sets: columns.
        rounds: number of pricings.
        wider: sets of more fragments than the tables have may gain, so that wider tables may prove more.
    """

    bound_units: int
    sets: Sets
    rounds: int
    wider: bool

    @property
    def bound_pct(self) -> int:
        """The bound in whole percents, rounded up."""
        return -(-self.bound_units // UNIT)


def _bound(queues: Queues, tables: WideTables, sets: Sets, members: int, deadline: float) -> WideBound:
    """Generate columns until hardly any set gains, or the deadline has passed.

    Args:
        queues: the fragments.
        tables: shares of their stages.
        sets: columns to begin with; each fragment is in one.
        members: most fragments of a set.
        deadline: `time.perf_counter` value.
    """
    program = PriceProgram(queues, classes_of(queues, len(queues.places)), ALONE_PCT)
    for places, share_pct in sets:
        program.add(places, share_pct)
    pricing = WidePricing(queues, tables, members)
    best, rounds = 0, 0
    while True:
        prices = program.prices()
        bound, found, wider = pricing.bound(prices.price, 1.0)
        best, rounds, sets = max(best, bound), rounds + 1, sets + found
        for places, share_pct in found:
            program.add(places, share_pct)
        if not found or time.perf_counter() >= deadline:
            break
    # Where some sets still gain, slightly lower prices lose less than as many of these as there are fragments.
    scaled = [pricing.bound(prices.price, part)[0] for part in PARTS]
    return WideBound(max(best, *scaled), sets, rounds, wider)


def wide_bound(
    types: Types, queues: Queues, stages: Stages, space: FragmentSpace, sets: Sets, deadline: float
) -> WideBound:
    """A bound on all plans of fragments of one rate that keep the least budget of their set.

    Args:
        types: the types of the fragments.
        queues: the fragments, their unit of rate that of one.
        stages: stages of their network.
        space: plan space.
        sets: sets to begin with.
        deadline: `time.perf_counter` value.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    members = min(len(queues.places), space.max_members or len(queues.places))
    width, rounds, best = WIDTH, 0, 0
    while True:
        tables = wide_tables(types, stages, space, width)
        found = _bound(queues, tables, sets, members, deadline)
        sets, rounds, best = found.sets, rounds + found.rounds, max(best, found.bound_units)
        width *= 2
        full = width * max(len(tables.own_cost), len(tables.shared_cost)) > MOST_ENTRIES
        if not found.wider or full or time.perf_counter() >= deadline:
            return WideBound(best, sets, rounds, found.wider)


class WidePricing:
    """Proves bounds by prices.

    Args:
        queues: the fragments.
        tables: shares of their stages.
        members: most fragments of a set.
    """

    def __init__(self, queues: Queues, tables: WideTables, members: int) -> None:
        self._queues, self._tables, self._members = queues, tables, members
        self._item_limit = queues.limits.astype(np.int64)
        self._limits, place = np.unique(self._item_limit, return_inverse=True)
        self._fragments = np.bincount(place)

    def bound(self, price: Floats, part: float) -> tuple[int, Sets, bool]:
        """The bound in units that a part of the prices of fragments proves, sets that gain, and if wider ones may."""
        prices = np.floor(price * part * UNIT).astype(np.int64)
        # Prices must not rise within a queue (`gains`), and lower ones prove a bound as well.
        for first, end in pairwise(self._queues.starts.tolist()):
            prices[first:end] = np.minimum.accumulate(prices[first:end])
        gains, taken = self.gains(prices)
        worth = np.concatenate(([0], np.cumsum(prices)))
        lost = sum(int(k) * int(gain) for k, gain in zip(self._fragments, gains, strict=True))
        gaining, known = gains > GAIN_UNITS, taken.any(axis=1)
        sets = self._sets(np.flatnonzero(gaining & known).tolist(), gains, taken, worth)
        return int(worth[-1]) - lost, sets, bool((gaining & ~known).any())

    def gains(self, prices: Ints) -> tuple[Ints, Ints]:
        """What sets of each limit gain at most, and what they take, see `largest_gains`.

        Args:
            prices: prices in units, not rising within a queue, shape (fragments,).
        """
        queues = self._queues
        taken = np.zeros((len(self._limits), len(queues.begins)), dtype=np.int64)
        worth = np.concatenate(([0], np.cumsum(prices)))
        items = PricedQueues(queues.begins, queues.starts, self._item_limit, prices, worth)
        gains = largest_gains(self._tables, self._limits, items, self._members, taken)
        return gains, taken

    def _sets(self, places_of_limits: list[int], gains: Ints, taken: Ints, worth: Ints) -> Sets:
        sets = []
        for t in places_of_limits:
            spans = pairwise(self._queues.starts.tolist())
            first = [a + int(np.searchsorted(self._item_limit[a:b], self._limits[t])) for a, b in spans]
            end = [a + int(k) for a, k in zip(first, taken[t], strict=True)]
            share = sum(int(worth[b] - worth[a]) for a, b in zip(first, end, strict=True)) - int(gains[t])
            places = np.concatenate([np.arange(a, b) for a, b in zip(first, end, strict=True)])
            sets.append((places, share / UNIT))
        return sets
