"""A bound on all models together, from prices per model and GPU type (ours).

With prices of GPUs that differ between models, each model needs GPUs worth at least what its cheapest template takes to
meet its demand; together they have no more than all GPUs are worth, however they are divided. That holds for any
prices, so HiGHS only proposes them, by a linear program over fractions of GPUs, and the bound is computed anew with a
margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.core.linear_program import Rows, least_cost
from euclio.proving.pipeline.limits import Effort
from euclio.proving.pipeline.lumps import Floats

Counts = tuple[int, ...]

MARGIN = 1e-12
"""What rounding may change at most, as a part of the numbers that are added up: some hundreds, by 1e-15 each."""


@dataclass(frozen=True, slots=True)
class Stock:
    """GPUs and money that all models share.

    Attributes:
        counts: GPUs of each type, in units.
        prices: whole prices per unit; empty: money does not matter.
        money: most of it.
    """

    counts: Counts
    prices: Counts
    money: int

    def affordable(self) -> Counts:
        """Units of each type that there are and that the money suffices for, alone."""
        priced = zip(self.counts, self.prices or (0,) * len(self.counts), strict=True)
        return tuple(min(count, self.money // price) if price else count for count, price in priced)


class JointBound:
    """Says where the GPUs cannot suffice for all models, even in fractions.

    Args:
        uses: per model and template, units of each GPU type that serve the model's demand in fractions.
        stock: GPUs and money.
        effort: deadline.
    """

    def __init__(self, uses: Sequence[Floats], stock: Stock, effort: Effort) -> None:
        self._uses = [least_uses(use) for use in uses]
        self._stock, self._effort = stock, effort
        self._counts = np.array(stock.counts, float)
        self._prices = np.zeros(len(stock.counts))
        if stock.money > 0:
            self._prices = np.array([float(Fraction(price, stock.money)) for price in stock.prices])

    def excludes(self, low: Sequence[Counts], high: Sequence[Counts]) -> bool:
        """Whether no numbers of GPUs in the given ranges, per model and type, suffice for all models."""
        self._effort.check()
        least, most = np.array(low, float), np.array(high, float)
        proposed = self._proposed(least, most)
        # Without prices nothing is excluded, which is always safe.
        if proposed is None:
            return False
        own, shared, money = proposed
        need = sum(float((use @ prices).min()) for use, prices in zip(self._uses, own, strict=True))
        profit = own - shared - money * self._prices
        # A model holds as many GPUs as it may where they are worth more than they cost, else as few.
        worth = np.where(profit > 0, profit * most, profit * least)
        supply = float(shared @ self._counts) + money + float(worth.sum())
        # Rounding grows with all that is added up, so the margin is a part of that.
        mass = float(shared @ self._counts) + money + float((own * most).sum()) + float(np.abs(worth).sum()) + need
        return supply + MARGIN * mass < need

    def _proposed(self, least: Floats, most: Floats) -> tuple[Floats, Floats, float] | None:
        """Prices of each model's GPUs, of all GPUs, and of the money."""
        models, types = least.shape
        sizes = [len(use) for use in self._uses]
        first = np.cumsum([0, *sizes])
        # Variables: the part of its demand that each template serves, GPUs, and the part that every model is served.
        gpus, part = int(first[-1]), int(first[-1]) + models * types
        rows = Rows()
        for m, use in enumerate(self._uses):
            own = np.arange(first[m], first[m + 1])
            for t in range(types):
                rows.add(-np.inf, 0.0, np.append(own, gpus + m * types + t), np.append(use[:, t], -1.0))
        for t in range(types):
            rows.add(-np.inf, self._counts[t], gpus + t + types * np.arange(models), np.ones(models))
        if self._prices.any():
            rows.add(-np.inf, 1.0, np.arange(gpus, part), np.tile(self._prices, models))
        for m, size in enumerate(sizes):
            own = np.append(np.arange(first[m], first[m + 1]), part)
            rows.add(-np.inf, 0.0, own, np.append(-np.ones(size), 1.0))
        found = least_cost(
            np.append(np.zeros(part), -1.0),
            np.concatenate([np.zeros(gpus), least.ravel(), [0.0]]),
            np.concatenate([np.full(gpus, np.inf), most.ravel(), [2.0]]),
            rows,
            self._effort.left_s(),
        )
        if found is None:
            return None
        prices = np.maximum(-found[1], 0.0)
        own = prices[: models * types].reshape(models, types)
        shared = prices[models * types : (models + 1) * types]
        return own, shared, float(prices[(models + 1) * types]) if self._prices.any() else 0.0


def least_uses(use: Floats) -> Floats:
    """The rows of which no other one is at most as large throughout."""
    kept = np.empty((0, use.shape[1]))
    for row in use[np.argsort(use.sum(axis=1))]:
        # In order of rising sums whatever makes a row superfluous comes before it.
        if not (kept <= row).all(axis=1).any():
            kept = np.vstack([kept, row])
    return kept
