"""Prices of a linear program to as many digits as a proof needs: iterative refinement.

Floating point solves the program; what its answer still lacks is a program of the same form, whose numbers are scaled
up and solved in floating point again, and so on (Gleixner, Steffy and Wolter 2016: "Iterative refinement for linear
programming"). It is needed where a cutoff is met exactly, or rows are broken by less than HiGHS tolerates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.core.linear_program import Floats, Rows, least_cost
from euclio.proving.files.model import ZERO, Model, Row
from euclio.proving.files.rounding import Branch

TURNS = 6
"""Solutions in floating point, each of which adds some nine digits."""
GAIN = Fraction(2**30)
"""By how much the scale grows from turn to turn: less than the digits that one brings."""
SMALL, LARGE = Fraction(1, 10**6), Fraction(10**9)
"""Between these a largest cost is told to HiGHS as it is."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear program in fractions, to be minimised.

    Attributes:
        cost: coefficient of each variable.
        lower: least value of each variable.
        upper: largest value of each variable; None: none.
        rows: the constraints.
    """

    cost: tuple[Fraction, ...]
    lower: tuple[Fraction, ...]
    upper: tuple[Fraction | None, ...]
    rows: tuple[Row, ...]


def relaxation(model: Model, branch: Branch) -> Linear:
    """A program in a branch without whole numbers."""
    lower = tuple(limit.value for limit in branch.lower)
    upper = tuple(limit.value for limit in branch.upper)
    return Linear(tuple(variable.cost for variable in model.variables), lower, upper, model.rows)


def least_violation(model: Model, branch: Branch) -> Linear:
    """The program that breaks a branch's rows as little as possible: each may be broken at price 1."""
    plain = relaxation(model, branch)
    rows, extra = [], len(plain.cost)
    for row in model.rows:
        # An equation may be broken either way, so that it has two.
        slack = {extra: Fraction(-1), extra + 1: Fraction(1)} if row.equal else {extra: Fraction(-1)}
        extra += len(slack)
        rows.append(Row(row.name, {**row.terms, **slack}, row.most, row.equal))
    more = extra - len(plain.cost)
    cost = (*[ZERO] * len(plain.cost), *[Fraction(1)] * more)
    return Linear(cost, (*plain.lower, *[ZERO] * more), (*plain.upper, *[None] * more), tuple(rows))


def refined(program: Linear) -> Iterator[list[Fraction]]:
    """Prices of the rows, ever closer to those of an optimum; none, where HiGHS has no solution."""
    program = _with_slacks(program)
    values, prices, scale = list(program.lower), [ZERO] * len(program.rows), Fraction(1)
    unit = unit_of(program.cost)
    for turn in range(TURNS):
        found = _correction(program, values, prices, (scale, scale / unit))
        if found is None:
            return
        values = [value + Fraction(float(more)) / scale for value, more in zip(values, found[0], strict=True)]
        prices = [price + Fraction(float(more)) * unit / scale for price, more in zip(prices, found[1], strict=True)]
        yield prices
        # What is meant is often a fraction that is short for so many digits.
        yield [price.limit_denominator(10 ** (4 + 4 * turn)) for price in prices]
        scale *= GAIN


def _with_slacks(program: Linear) -> Linear:
    """The same with equations alone: of an upper limit a correction could lower the price, and not raise it."""
    rows, extra = [], len(program.cost)
    for row in program.rows:
        slack = {} if row.equal else {extra: Fraction(1)}
        extra += len(slack)
        rows.append(Row(row.name, {**row.terms, **slack}, row.most, True))
    zeros = (ZERO,) * (extra - len(program.cost))
    upper = (*program.upper, *[None] * len(zeros))
    return Linear((*program.cost, *zeros), (*program.lower, *zeros), upper, tuple(rows))


def unit_of(costs: Iterable[Fraction]) -> Fraction:
    """A unit in which HiGHS is told costs: 1, unless they are so large or so small that it would take them for none."""
    largest = max(map(abs, costs), default=ZERO)
    return Fraction(1) if largest == 0 or SMALL <= largest <= LARGE else largest


def _correction(
    program: Linear, values: list[Fraction], prices: list[Fraction], scales: tuple[Fraction, Fraction]
) -> tuple[Floats, Floats] | None:
    """What values and prices lack, times their scales."""
    scale, scale_of_cost = scales
    reduced, rows = list(program.cost), Rows()
    for row, price in zip(program.rows, prices, strict=True):
        left = row.most
        for j, a in row.terms.items():
            reduced[j] -= price * a
            left -= a * values[j]
        most = _scaled(left, scale)
        variables, terms = np.array(list(row.terms), np.int64), np.array([float(a) for a in row.terms.values()])
        rows.add(most, most, variables, terms)
    lower = [_scaled(low - value, scale) for low, value in zip(program.lower, values, strict=True)]
    upper = [
        math.inf if high is None else _scaled(high - value, scale)
        for high, value in zip(program.upper, values, strict=True)
    ]
    cost = [_scaled(one, scale_of_cost) for one in reduced]
    return least_cost(np.array(cost), np.array(lower), np.array(upper), rows)


def _scaled(value: Fraction, scale: Fraction) -> float:
    return float(value * scale)
