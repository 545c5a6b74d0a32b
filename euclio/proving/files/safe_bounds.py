"""Bounds in fractions from prices in floating point (Neumaier and Shcherbina 2004).

Any prices of the rows give a bound that holds: the rest of the costs goes to the variables' bounds, exactly.
Prices of an optimal linear program give a sharp one, and short fractions next to them often give its optimum itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.proving.files.model import ZERO, Model

DIGITS = (1, 3, 5, 8)
"""Digits of rounded prices to try first, in order: a short price makes a short line of the proof."""
DENOMINATORS = (10**4, 10**8, 2**50)
"""Largest denominators of prices after that: thirds and sevenths may be needed exactly where there is no slack."""

DECIMALS = range(-9, 120)
"""Decimal places to try where a number may be rounded."""

Weights = dict[int, Fraction]
"""Multipliers of constraints, by index in the proof."""
Prices = tuple[Fraction, ...]
"""By row of a program the rise of its cost per unit."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a variable from above, or from below, in a branch.

    Attributes:
        value: its value there.
        weights: multipliers of constraints whose sum states it, for one variable or several together.
        together: the variables that are 0 together: their sum is at most 0. None means one variable alone.
    """

    value: Fraction
    weights: Mapping[int, Fraction]
    together: frozenset[int] | None = None


@dataclass(slots=True)
class Branch:
    """A branch of the search: limits of each variable.

    Attributes:
        lower: by variable its limit from below.
        upper: by variable its limit from above.
    """

    lower: list[Limit]
    upper: list[Limit]

    def copy(self) -> Branch:
        """The same branch, to be narrowed."""
        return Branch(list(self.lower), list(self.upper))


def decimals(unit: Fraction) -> int:
    """Digits behind the decimal point with which steps are at most a unit, which is above 0."""
    return next(n for n in DECIMALS if Fraction(10) ** -n <= unit)


def lowered(value: Fraction, digits: int) -> Fraction:
    """A value rounded down to so many digits."""
    return math.floor(value * Fraction(10) ** digits) / Fraction(10) ** digits


def raised(value: Fraction, digits: int) -> Fraction:
    """A value rounded up to so many digits."""
    return -lowered(-value, digits)


def bounds_of(
    model: Model,
    rows: Sequence[int],
    branch: Branch,
    prices: Iterable[Fraction],
    costs: Sequence[Fraction],
    is_worth: Callable[[Prices], bool] | None = None,
) -> Iterator[tuple[Fraction, Weights]]:
    """Bounds on a sum of costs in a branch, for prices that are rounded in several ways.

    Args:
        model: the program.
        rows: index in the proof of each of its rows.
        branch: limits of the variables.
        prices: by row the rise of the sum per unit; the bounds hold for any prices.
        costs: coefficient of each variable in the sum.
        is_worth: whether rounded prices are worth a bound, which takes a hundred times as long as to ask in floats;
            None uses all.

    Yields:
        The bound, and the multipliers of constraints that prove it.
    """
    seen = set()
    for rounded in _rounded(tuple(prices)):
        if rounded in seen:
            continue
        seen.add(rounded)
        if is_worth is None or is_worth(rounded):
            yield _bound(model, rows, branch, rounded, costs)


def crossing(branch: Branch) -> tuple[Fraction, Weights] | None:
    """If a variable's limits leave it no value: a number above 0 that 0 would have to reach, and why; else None."""
    for low, high in zip(branch.lower, branch.upper, strict=True):
        # Only their own bounds keep variables that are 0 together from falling below 0.
        if low.value > high.value and high.together is None:
            weights = dict(low.weights)
            for index, weight in high.weights.items():
                weights[index] = weights.get(index, ZERO) - weight
            return low.value - high.value, weights
    return None


def _rounded(prices: Prices) -> Iterator[Prices]:
    """Prices that are rounded in several ways, roughly at first."""
    for digits in DIGITS:
        yield tuple(round(price, digits) for price in prices)
    for largest in DENOMINATORS:
        yield tuple(price.limit_denominator(largest) for price in prices)
    yield prices


def _bound(
    model: Model, rows: Sequence[int], branch: Branch, prices: Sequence[Fraction], costs: Sequence[Fraction]
) -> tuple[Fraction, Weights]:
    left = list(costs)
    weights: Weights = {}
    value = ZERO
    for row, index, price in zip(model.rows, rows, prices, strict=True):
        # A row that is only an upper limit has no price above 0 where costs are minimised.
        if price == 0 or (price > 0 and not row.equal):
            continue
        weights[index] = price
        value += price * row.most
        for j, a in row.terms.items():
            left[j] -= price * a
    value += _settle_together(branch, left, weights)
    for j, cost in enumerate(left):
        if cost:
            # A cost above 0 is least where the variable is least, one below 0 where it is largest.
            limit = branch.lower[j] if cost > 0 else branch.upper[j]
            for index, weight in limit.weights.items():
                weights[index] = weights.get(index, ZERO) + cost * weight
            value += cost * limit.value
    return value, {index: weight for index, weight in weights.items() if weight}


def _settle_together(branch: Branch, left: list[Fraction], weights: Weights) -> Fraction:
    """Give costs below 0 of variables that are 0 together to the constraint that states it; their value is 0.

    Any excess for a variable stays as a cost above 0, which the variable's lower bound of 0 settles.
    """
    groups: dict[frozenset[int], Limit] = {}
    for j, cost in enumerate(left):
        together = branch.upper[j].together
        if cost < 0 and together is not None:
            groups[together] = branch.upper[j]
    for together, limit in groups.items():
        # The constraint gets the multiplier that the variable of the largest need requires.
        least = min((left[j] for j in together), default=ZERO)
        if least < 0:
            for index, weight in limit.weights.items():
                weights[index] = weights.get(index, ZERO) + least * weight
            for j in together:
                left[j] -= least
    return ZERO
