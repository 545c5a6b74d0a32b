"""Whether the GPUs suffice for all models together: a search over how they are divided among the models (ours).

Each model needs a number of GPUs of each type. Its need of one type depends on its numbers of the others, and more
never hurts. The search keeps a range for each number. It raises a model's least need by asking `model_server` with all
else at its most, lowers a model's most by the least needs of the others, and halves a range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import le

import numpy as np

from euclio.core.linear_program import Rows, least_cost
from euclio.proving.effort import Effort
from euclio.proving.pipeline.lumps import Floats
from euclio.proving.pipeline.model_server import ModelServer, PlentyError, Serving, UndecidedError

# A bound on all models together, from prices per model and GPU type (ours).
#
# With prices of GPUs that differ between models, each model needs GPUs worth at least those with which its cheapest
# template meets the demand. Together the models have at most the worth of all GPUs, in any division. That holds for any
# prices, so HiGHS only proposes them, by a linear program over fractions of GPUs. The bound is computed anew with a
# margin.

Counts = tuple[int, ...]

MARGIN = 1e-12
"""Largest effect of rounding, as a part of the numbers in a sum: some hundreds, by 1e-15 each."""


@dataclass(frozen=True, slots=True)
class Stock:
    """GPUs and money that all models share.

    Attributes:
        counts: GPUs of each type, in units.
        prices: whole prices per unit; empty if money does not matter.
        money: most of it.
    """

    counts: Counts
    prices: Counts
    money: int

    def affordable(self) -> Counts:
        """Units of each type that are in stock and that the money suffices for, alone."""
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
        # Without prices it excludes nothing, which is always safe.
        if proposed is None:
            return False
        own, shared, money = proposed
        need = sum(float((use @ prices).min()) for use, prices in zip(self._uses, own, strict=True))
        profit = own - shared - money * self._prices
        # A model holds as many GPUs as it may where they are worth more than they cost, else as few.
        worth = np.where(profit > 0, profit * most, profit * least)
        supply = float(shared @ self._counts) + money + float(worth.sum())
        # Rounding grows with the sum, so the margin is a part of the sum.
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
        # In order of rising sums a row comes after those that make it superfluous.
        if not (kept <= row).all(axis=1).any():
            kept = np.vstack([kept, row])
    return kept


UNKNOWN: Serving = ()
"""Marks a missing answer; an empty tuple of pipelines would serve nothing."""

PATIENCE = 30
"""Most nodes of a question that only narrows a range: most questions take a handful, some unimportant ones millions."""


class Needs:
    """Known numbers of GPUs that suffice for one model; every question is answered once.

    Args:
        server: decides the questions.
        units: per GPU type, the number of parts of a GPU in which they are counted.
    """

    def __init__(self, server: ModelServer, units: Sequence[int]) -> None:
        self._server, self._units = server, units
        self._enough: list[tuple[Counts, Serving]] = []
        self._short: list[Counts] = []
        self._hard: set[Counts] = set()
        self._plenty: list[Counts] = []

    @property
    def short(self) -> tuple[Counts, ...]:
        """Numbers of GPUs that were found not to suffice."""
        return tuple(self._short)

    def fluid(self) -> Floats:
        """Per template, units of each GPU type that serve the model's demand in fractions."""
        return np.asarray(self._server.fluid_use() * np.array(self._units, float))

    def serving(self, counts: Counts) -> Serving | None:
        """Pipelines that meet the model's demand on these GPUs; None if there are none."""
        known = self._known(counts)
        return self._ask(counts, None) if known is UNKNOWN else known

    def possible(self, counts: Counts) -> bool:
        """Whether these GPUs may suffice; also True if the answer takes too many nodes."""
        known = self._known(counts)
        if known is not UNKNOWN:
            return known is not None
        # A question given up once would be given up again; more than plenty is plenty.
        if counts in self._hard or any(all(map(le, known, counts)) for known in self._plenty):
            return True
        try:
            return self._ask(counts, PATIENCE) is not None
        except PlentyError:
            self._plenty.append(counts)
            return True
        except UndecidedError:
            self._hard.add(counts)
            return True

    def least(self, gpu: int, low: int, most: Counts) -> int:
        """A number of a GPU type, from `low` on, below which these numbers of the others do not suffice."""
        high = most[gpu]
        # More GPUs never hurt, so the least number is found by halving.
        while low < high:
            middle = (low + high) // 2
            if self.possible(tuple(middle if t == gpu else n for t, n in enumerate(most))):
                high = middle
            else:
                low = middle + 1
        return low

    def _known(self, counts: Counts) -> Serving | None:
        # At least as many of every type as once sufficed suffice again.
        for enough, plan in self._enough:
            if all(map(le, enough, counts)):
                return plan
        # No more of any type than once fell short falls short again.
        for short in self._short:
            if all(map(le, counts, short)):
                return None
        return UNKNOWN

    def _ask(self, counts: Counts, patience: int | None) -> Serving | None:
        available = [Fraction(n, unit) for n, unit in zip(counts, self._units, strict=True)]
        found = self._server.serve(available, patience)
        if found is None:
            self._short.append(counts)
        else:
            self._enough.append((counts, found))
        return found


@dataclass(frozen=True, slots=True)
class _CountRanges:
    low: tuple[Counts, ...]
    high: tuple[Counts, ...]


def pack(needs: Sequence[Needs], stock: Stock, effort: Effort) -> list[Serving] | None:
    """Pipelines of every model that the stock suffices for together; None if there are none.

    Raises:
        GivenUpError: the deadline passed, or a question is beyond what is supported.
    """
    nothing = (0,) * len(stock.counts)
    joint = JointBound([need.fluid() for need in needs], stock, effort)
    stack = [_CountRanges((nothing,) * len(needs), (stock.counts,) * len(needs))]
    while stack:
        effort.step()
        ranges = _narrowed(needs, stock, joint, stack.pop())
        if ranges is None:
            continue
        # Each model gets its most here; one that still falls short closes these ranges.
        if _within(stock, ranges.high):
            found = [need.serving(high) for need, high in zip(needs, ranges.high, strict=True)]
            served = [plan for plan in found if plan is not None]
            if len(served) == len(needs):
                return served
        else:
            stack += _halves(ranges)
    return None


def _within(stock: Stock, taken: Sequence[Counts]) -> bool:
    total = [sum(own) for own in zip(*taken, strict=True)]
    fits = all(n <= most for n, most in zip(total, stock.counts, strict=True))
    return fits and sum(n * price for n, price in zip(total, stock.prices, strict=False)) <= stock.money


def _narrowed(needs: Sequence[Needs], stock: Stock, joint: JointBound, ranges: _CountRanges) -> _CountRanges | None:
    """The ranges without numbers that are in no packing; None if they hold none."""
    low, high = list(ranges.low), list(ranges.high)
    while True:
        before = list(low)
        if len(needs) > 1 and joint.excludes(low, high):
            return None
        for t in range(len(stock.counts)):
            for m, need in enumerate(needs):
                if not _share(needs, stock, low, high):
                    return None
                # All fits together: nothing is left to share, and `pack` asks the models.
                if _within(stock, high):
                    return _CountRanges(tuple(low), tuple(high))
                least = need.least(t, low[m][t], high[m])
                low[m] = tuple(least if k == t else n for k, n in enumerate(low[m]))
        # No least number rose in a whole round, so another round would ask the same.
        if low == before:
            return _CountRanges(tuple(low), tuple(high))


def _share(needs: Sequence[Needs], stock: Stock, low: list[Counts], high: list[Counts]) -> bool:
    """Lower each model's most by the other models' least needs; False if no division suffices."""
    if not _within(stock, low):
        return False
    for m, need in enumerate(needs):
        high[m] = _affordable(stock, low, high[m], m)
        if any(a > b for a, b in zip(low[m], high[m], strict=True)) or not need.possible(high[m]):
            return False
    return True


def _affordable(stock: Stock, low: Sequence[Counts], high: Counts, model: int) -> Counts:
    """A model's most of each type while every other number is at its least."""
    total = [sum(own) for own in zip(*low, strict=True)]
    spent = sum(n * price for n, price in zip(total, stock.prices, strict=False))
    found = []
    for t, most in enumerate(high):
        room = stock.counts[t] - total[t]
        if stock.prices and stock.prices[t]:
            room = min(room, (stock.money - spent) // stock.prices[t])
        found.append(min(most, low[model][t] + room))
    return tuple(found)


def _halves(ranges: _CountRanges) -> list[_CountRanges]:
    """Two parts of the ranges: the widest number, measured by its own size, is cut in the middle."""
    widths = [
        ((b - a) / math.sqrt(b + 1), m, t)
        for m, (low, high) in enumerate(zip(ranges.low, ranges.high, strict=True))
        for t, (a, b) in enumerate(zip(low, high, strict=True))
    ]
    _, m, t = max(widths)
    middle = (ranges.low[m][t] + ranges.high[m][t]) // 2
    lower = tuple(middle if k == t else n for k, n in enumerate(ranges.high[m]))
    upper = tuple(middle + 1 if k == t else n for k, n in enumerate(ranges.low[m]))
    return [
        _CountRanges(ranges.low, (*ranges.high[:m], lower, *ranges.high[m + 1 :])),
        _CountRanges((*ranges.low[:m], upper, *ranges.low[m + 1 :]), ranges.high),
    ]
