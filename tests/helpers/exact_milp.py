"""Mixed-integer programs solved in fractions by plain means, to hold proofs against: no code of `euclio.proving.files`.

Relaxations by the simplex method with Bland's rule on a full tableau, integers by branching. For a few variables only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

ZERO, ONE = Fraction(0), Fraction(1)
Row = tuple[str, Fraction, dict[int, Fraction]]
"""Sense ("L", "E" or "G"), number and terms by variable."""

UNBOUNDED = -math.inf
MOST_NODES = 3000


class TooManyError(Exception):
    """The program is too large for plain means."""


@dataclass(frozen=True)
class Program:
    """A program to be minimised; its variables are free but for its rows."""

    variables: int
    integer: frozenset[int]
    cost: dict[int, Fraction]
    rows: tuple[Row, ...]


def minimum(program: Program) -> Fraction | float | None:
    """The least cost; `UNBOUNDED`: there is none; None: no point is feasible."""
    best: Fraction | None = None
    stack: list[tuple[Row, ...]] = [()]
    nodes = 0
    while stack:
        extra = stack.pop()
        nodes += 1
        if nodes > MOST_NODES:
            raise TooManyError
        found = relaxation(program.variables, program.cost, [*program.rows, *extra])
        if found is None:
            continue
        cost, point = found
        # Where the relaxation has no least cost, the program has none either, if it has a point; 0 asks for any.
        if point is None:
            any_point = minimum(Program(program.variables, program.integer, {}, (*program.rows, *extra)))
            if any_point is not None:
                return UNBOUNDED
            continue
        if best is not None and cost >= best:
            continue
        broken = next((j for j in sorted(program.integer) if point[j].denominator != 1), None)
        if broken is None:
            best = cost
            continue
        below = Fraction(math.floor(point[broken]))
        stack.append((*extra, ("G", below + 1, {broken: ONE})))
        stack.append((*extra, ("L", below, {broken: ONE})))
    return best


def relaxation(
    variables: int, cost: dict[int, Fraction], rows: Sequence[Row]
) -> tuple[Fraction, list[Fraction] | None] | None:
    """Cost and point of the least cost without integers; point None: unbounded; None: no point is feasible."""
    lower = [None] * variables
    kept = []
    # A variable with a lower end is counted from there, so that it needs no two columns.
    for sense, number, terms in rows:
        if sense == "G" and len(terms) == 1 and next(iter(terms.values())) == 1:
            j = next(iter(terms))
            lower[j] = number if lower[j] is None else max(lower[j], number)
        else:
            kept.append((sense, number, terms))
    columns: list[tuple[int, int]] = []
    for j in range(variables):
        columns.append((j, 1))
        if lower[j] is None:
            columns.append((j, -1))
    start = [ZERO if low is None else low for low in lower]
    shifted = []
    for sense, number, terms in kept:
        left = number - sum((a * start[j] for j, a in terms.items()), ZERO)
        shifted.append((sense, left, [terms.get(j, ZERO) * sign for j, sign in columns]))
    prices = [cost.get(j, ZERO) * sign for j, sign in columns]
    solved = _simplex(prices, shifted)
    if solved is None:
        return None
    if solved == UNBOUNDED:
        return ZERO, None
    point = list(start)
    for (j, sign), value in zip(columns, solved, strict=True):
        point[j] += sign * value
    return sum((a * point[j] for j, a in cost.items()), ZERO), point


def _simplex(prices: list[Fraction], rows: list[tuple[str, Fraction, list[Fraction]]]) -> list[Fraction] | float | None:
    n = len(prices)
    slacks = sum(sense != "E" for sense, _, _ in rows)
    width = n + slacks + len(rows)
    table, basis = [], []
    s = n
    for i, (sense, number, terms) in enumerate(rows):
        line = [*terms, *[ZERO] * (slacks + len(rows)), number]
        if sense != "E":
            line[s] = ONE if sense == "L" else -ONE
            s += 1
        if line[-1] < 0:
            line = [-a for a in line]
        line[n + slacks + i] = ONE
        table.append(line)
        basis.append(n + slacks + i)
    # First the artificial columns are driven out, then the cost is minimised without them.
    first = [ZERO] * (n + slacks) + [ONE] * len(rows)
    if _pivot(table, basis, first, width) is None or any(
        basis[i] >= n + slacks and table[i][-1] > 0 for i in range(len(table))
    ):
        return None
    for i in range(len(table)):
        if basis[i] >= n + slacks:
            j = next((j for j in range(n + slacks) if table[i][j]), None)
            if j is not None:
                _turn(table, basis, i, j)
    kept = [i for i in range(len(table)) if basis[i] < n + slacks]
    table, basis = [table[i][: n + slacks] + table[i][-1:] for i in kept], [basis[i] for i in kept]
    if _pivot(table, basis, [*prices, *[ZERO] * slacks], n + slacks) is None:
        return UNBOUNDED
    found = [ZERO] * (n + slacks)
    for i, j in enumerate(basis):
        found[j] = table[i][-1]
    return found[:n]


def _pivot(table: list[list[Fraction]], basis: list[int], cost: list[Fraction], width: int) -> bool | None:
    while True:
        entering = None
        for j in range(width):
            if j not in basis:
                reduced = cost[j] - sum((cost[basis[i]] * table[i][j] for i in range(len(table)) if table[i][j]), ZERO)
                if reduced < 0:
                    entering = j
                    break
        if entering is None:
            return True
        ratios = [(line[-1] / line[entering], basis[i], i) for i, line in enumerate(table) if line[entering] > 0]
        if not ratios:
            return None
        _turn(table, basis, min(ratios)[2], entering)


def _turn(table: list[list[Fraction]], basis: list[int], i: int, j: int) -> None:
    pivot = table[i][j]
    table[i] = [a / pivot for a in table[i]]
    for k, line in enumerate(table):
        if k != i and line[j]:
            factor = line[j]
            table[k] = [a - factor * b if b else a for a, b in zip(line, table[i], strict=True)]
    basis[i] = j
