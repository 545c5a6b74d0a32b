"""A bound on all plans of a fleet by prices of its fragments: linear programming duality in whole numbers (ours).

If no set of least limit T gains more than g(T) at some prices, a plan's share is at least Σ prices − Σ g(T) · fragments
of limit T, since a plan has no more sets of a least limit than fragments with it. That holds for any prices. Good ones
are the duals of the linear program over the sets so far (column generation), drawn towards those with the best bound
yet. HiGHS proposes them in floats; they are rounded, and all later steps are exact. Plans have whole multiples of the
greatest common divisor of all GPU shares; bounds are rounded up to these.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.core.linear_program import PLAIN, Rows, least_cost
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.space import FragmentSpace
from euclio.proving.fragments.pricing import NEVER, UNIT, Column, Pricing, TooLargeError, Whole

DRAWN = 0.7
"""Weight of the best prices so far in the next ones."""


@dataclass(frozen=True, slots=True)
class Priced:
    """Prices of a fleet's fragments and gains of sets, in parts of a percent (`UNIT` of them are one).

    Attributes:
        prices: of each fragment.
        gains: by limit, the most that a set of that least limit gains.
        limits: the different limits.
        limit_of: of each fragment.
        step_pct: step of GPU shares, in percent.
    """

    prices: tuple[int, ...]
    gains: tuple[int, ...]
    limits: tuple[int, ...]
    limit_of: tuple[int, ...]
    step_pct: int

    @property
    def members(self) -> tuple[int, ...]:
        """How many fragments have each limit."""
        return tuple(self.limit_of.count(limit) for limit in self.limits)


@dataclass(frozen=True, slots=True)
class Bound:
    """A proven bound.

    Attributes:
        share_pct: no plan has less, in percent.
        rounds: pricings.
        ended: whether prices give no better bound; False if the deadline passed.
        priced: the prices behind it; None if there are none.
    """

    share_pct: int
    rounds: int
    ended: bool
    priced: Priced | None = None


def bound_of(fleet: Fleet, space: FragmentSpace, alone_pct: list[int], wanted_pct: Fraction, deadline: float) -> Bound:
    """The best bound, or one that is as large as wanted.

    Args:
        fleet: the instance, each fragment of which can be served.
        space: plan space, with least time budgets and any fragments realigned.
        alone_pct: the GPU share of each fragment by itself.
        wanted_pct: bound that is enough, in percent.
        deadline: `time.perf_counter` value.

    Raises:
        TooLargeError: numbers do not fit.
    """
    # No price exceeds the share of its fragment alone, so that sums of prices stay below `OUT`.
    if sum(alone_pct) >= NEVER:
        raise TooLargeError
    pricing = Pricing(fleet, space)
    program = _Program(fleet, pricing)
    for place, share in enumerate(alone_pct):
        program.add(Column((place,), share))
    step = math.gcd(*fleet.network.shares_pct)
    best, proof, rounds = 0, None, 0
    priced: Priced | None = None
    while time.perf_counter() < deadline:
        duals = program.prices()
        if duals is None:
            break
        drawn = duals if proof is None else np.floor(DRAWN * proof + (1 - DRAWN) * duals).astype(np.int64)
        # If drawn prices find no new set, the duals are priced too; only if these find none either does it end.
        for prices in (drawn, duals) if proof is not None else (duals,):
            gains, columns = pricing.gains(prices)
            rounds += 1
            units = int(prices.sum()) - sum(k * gain for k, gain in zip(pricing.members, gains, strict=True))
            if units > best:
                best, proof = units, prices
                own = pricing.costs.limits
                priced = Priced(tuple(prices.tolist()), tuple(gains), tuple(pricing.limits), tuple(own), step)
            if _percent(best, step) >= wanted_pct:
                return Bound(_percent(best, step), rounds, True, priced)
            new = [program.add(column) for column in columns]
            # If the drawn prices find new sets, these change the linear program.
            if any(new):
                break
        else:
            return Bound(_percent(best, step), rounds, True, priced)
    return Bound(_percent(best, step), rounds, False, priced)


def _percent(units: int, step_pct: int) -> int:
    """A bound in parts of a percent as one in percent, rounded up to a multiple of a step."""
    return -(-units // (UNIT * step_pct)) * step_pct


class _Program:
    """Least GPU share of sets that cover all fragments; like fragments are one row."""

    def __init__(self, fleet: Fleet, pricing: Pricing) -> None:
        costs = pricing.costs
        keys = list(zip((f.partition_point for f in fleet.fragments), costs.limits, costs.units, strict=True))
        rows = {key: row for row, key in enumerate(dict.fromkeys(keys))}
        self._row = [rows[key] for key in keys]
        self._counts = np.bincount(self._row).astype(float)
        self._share: dict[tuple[tuple[int, int], ...], int] = {}

    def add(self, column: Column) -> bool:
        """Add a set; whether it is new, or of less share."""
        counts = np.bincount([self._row[place] for place in column.fragments])
        key = tuple((int(row), int(counts[row])) for row in np.flatnonzero(counts))
        if self._share.get(key, column.share_pct + 1) <= column.share_pct:
            return False
        self._share[key] = column.share_pct
        return True

    def prices(self) -> Whole | None:
        """Duals by fragment, in parts of a percent, rounded down; not trusted; None if HiGHS finds none."""
        covering: list[tuple[list[int], list[float]]] = [([], []) for _ in self._counts]
        for column, key in enumerate(self._share):
            for row, count in key:
                covering[row][0].append(column)
                covering[row][1].append(-float(count))
        rows = Rows()
        for fragments, (columns, values) in zip(self._counts, covering, strict=True):
            rows.add(-math.inf, -float(fragments), np.array(columns), np.array(values))
        share = np.array(list(self._share.values()), dtype=float)
        found = least_cost(share, np.zeros(len(share)), np.full(len(share), math.inf), rows, setting=PLAIN)
        if found is None:
            return None
        prices: Whole = np.floor(np.maximum(-found[1], 0.0) * UNIT).astype(np.int64)[self._row]
        return prices
