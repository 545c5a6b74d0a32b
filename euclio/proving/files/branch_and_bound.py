"""Prove that a program's least cost reaches a cutoff: branch and bound with bounds in fractions (ours).

Floating point solves the linear programs, and their prices are proposals: only an exact bound closes a node
(`euclio.proving.files.safe_bounds`). The assumption of a branch is a constraint of the proof; VIPR's rule ``uns`` joins
the two halves of a split.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from euclio.core.certificate import NoProofError
from euclio.core.linear_program import Floats, Rows, least_cost
from euclio.proving.effort import OUT_OF_TIME
from euclio.proving.files.model import ZERO, Derivation, Model, Proof, Row
from euclio.proving.files.safe_bounds import Branch, Limit, Weights, bounds_of, crossing

# Prices of a linear program to as many digits as a proof needs: iterative refinement.
#
# Floating point solves the program. The residual of its answer is a program of the same form, whose numbers are scaled
# up and solved in floating point again, and so on (Gleixner, Steffy and Wolter 2016: "Iterative refinement for linear
# programming"). This is needed where a cutoff is met exactly, or where rows are broken by less than HiGHS tolerates.

TURNS = 6
"""Solutions in floating point, each of which adds some nine digits."""
GAIN = Fraction(2**30)
"""By how much the scale grows from turn to turn: less than the digits that one brings."""
SMALL, LARGE = Fraction(1, 10**6), Fraction(10**9)
"""HiGHS gets costs unscaled if their largest lies between these."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear program in fractions, to be minimised.

    Attributes:
        cost: coefficient of each variable.
        lower: least value of each variable.
        upper: largest value of each variable; None means none.
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
    """The program of the least violation of a branch's rows: breaking any costs 1 per unit."""
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
        # The exact price is often a fraction that is short for so many digits.
        yield [price.limit_denominator(10 ** (4 + 4 * turn)) for price in prices]
        scale *= GAIN


def _with_slacks(program: Linear) -> Linear:
    """The same with equations alone: a correction could lower the price of an upper limit, and not raise it."""
    rows, extra = [], len(program.cost)
    for row in program.rows:
        slack = {} if row.equal else {extra: Fraction(1)}
        extra += len(slack)
        rows.append(Row(row.name, {**row.terms, **slack}, row.most, True))
    zeros = (ZERO,) * (extra - len(program.cost))
    upper = (*program.upper, *[None] * len(zeros))
    return Linear((*program.cost, *zeros), (*program.lower, *zeros), upper, tuple(rows))


def unit_of(costs: Iterable[Fraction]) -> Fraction:
    """The unit of costs for HiGHS: 1, unless they are so large or so small that it would ignore them."""
    largest = max(map(abs, costs), default=ZERO)
    return Fraction(1) if largest == 0 or SMALL <= largest <= LARGE else largest


def _correction(
    program: Linear, values: list[Fraction], prices: list[Fraction], scales: tuple[Fraction, Fraction]
) -> tuple[Floats, Floats] | None:
    """The residuals of values and prices, times their scales."""
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


ONE = Fraction(1)
WHOLE = 1e-7
"""How far from a whole number a value counts as whole, to choose where to branch; no proof rests on it."""
BLUR = 1e-9
"""Rounding of a bound in floats, as a part of the sum of its terms, with much to spare."""
FAR = 1e-5
"""A bound that misses the cutoff by a larger part of the sum of its terms is off by more than last digits."""
MOST_NODES = 5_000
"""Nodes after which a search is given up: its file would be too large to be of use."""
DEEPEST = 200
"""Most splits above a node; each takes three calls of the interpreter's thousand."""


class UnprovenError(NoProofError):
    """No proof of a program was found; says why in one line."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """An optimum of a linear program: cost, values of the variables, prices of the rows, and the variables' limits."""

    cost: float
    values: Floats
    prices: Floats
    ends: tuple[Floats, Floats]


def prove(
    model: Model,
    cutoff: Fraction | None,
    point: Mapping[int, Fraction] | None = None,
    deadline: float = math.inf,
    most_nodes: int = MOST_NODES,
) -> Proof:
    """Prove that nothing feasible costs less than a cutoff, or that nothing is feasible.

    Args:
        model: the program.
        cutoff: the cutoff. None claims that nothing is feasible.
        point: a feasible point for the file, by index of the variable.
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
        most_nodes: nodes at which to stop.

    Raises:
        UnprovenError: there is a point below the cutoff, or the search came to its end without a proof.
    """
    search = _BranchAndBound(model, cutoff, deadline, most_nodes)
    search.close(search.root(), 0)
    return Proof(model, cutoff, point, tuple(search.derivations), search.nodes)


def relaxed(model: Model, deadline: float = math.inf) -> Relaxed | None:
    """The least cost without whole numbers, in floating point; None if HiGHS has none before the deadline."""
    return _Programs(model, deadline).relaxed(_root(model))


def _root(model: Model) -> Branch:
    """Nothing assumed: each variable is limited by its own bounds, whose constraints come first in a file."""
    n = len(model.variables)
    lower = [Limit(v.lower, {j: ONE}) for j, v in enumerate(model.variables)]
    upper = [Limit(v.upper, {n + j: ONE}) for j, v in enumerate(model.variables)]
    return Branch(lower, upper)


class _BranchAndBound:
    """One search; its derivations grow as nodes are closed."""

    def __init__(self, model: Model, cutoff: Fraction | None, deadline: float, most_nodes: int) -> None:
        self._model, self._cutoff = model, cutoff
        self._deadline, self._most = deadline, most_nodes
        n = len(model.variables)
        # Constraints of the file: lower bounds, upper bounds, rows; then what is derived.
        self._rows = range(2 * n, 2 * n + len(model.rows))
        self._costs = [variable.cost for variable in model.variables]
        self._programs = _Programs(model, deadline)
        self.derivations: list[Derivation] = []
        self.nodes = 0

    def root(self) -> Branch:
        """Nothing assumed; the limits of integer variables are rounded to whole numbers, by VIPR's rule ``rnd``."""
        branch = _root(self._model)
        for j, variable in enumerate(self._model.variables):
            if variable.integer and variable.lower.denominator > 1:
                branch.lower[j] = self._rounded_limit("G", math.ceil(variable.lower), j, j)
            if variable.integer and variable.upper.denominator > 1:
                above = len(self._costs) + j
                branch.upper[j] = self._rounded_limit("L", math.floor(variable.upper), j, above)
        return branch

    def _rounded_limit(self, sense: str, number: int, j: int, index: int) -> Limit:
        derived = self._add(Derivation(sense, Fraction(number), {j: ONE}, f"rnd 1 {index} 1"))
        return Limit(Fraction(number), {derived: ONE})

    def close(self, branch: Branch, depth: int) -> int:
        """Close a branch, and return the index of the constraint that states it under its assumptions."""
        self.nodes += 1
        if self.nodes > self._most or depth > DEEPEST:
            raise UnprovenError(f"the search was given up after {self.nodes} nodes")
        self._refuse_late()
        crossed = crossing(branch)
        if crossed is not None:
            return self._derive(crossed[0], {}, _linear(crossed[1]))
        relaxed = self._programs.relaxed(branch)
        if relaxed is None:
            self._refuse_late()
            # Whether it is infeasible or HiGHS has failed, only prices in fractions close the branch.
            return self._refuted(branch) or self._missed(branch, "a branch without a feasible point")
        return self._reached(branch, fractions_of(relaxed.prices), relaxed) or self._split(branch, relaxed, depth)

    def _refuse_late(self) -> None:
        if time.perf_counter() >= self._deadline:
            raise UnprovenError(OUT_OF_TIME)

    def _reached(self, branch: Branch, prices: Sequence[Fraction], relaxed: Relaxed | None = None) -> int | None:
        """Close a branch in which every point reaches the cutoff; None if these prices do not show it."""
        if self._cutoff is not None:
            is_worth = None
            if relaxed is not None:
                is_worth = partial(self._programs.may_reach, float(self._cutoff), relaxed.ends)
                # If prices with all digits miss by far, no rounded ones reach it.
                if not is_worth(prices, FAR):
                    return None
            for bound, weights in bounds_of(self._model, self._rows, branch, prices, self._costs, is_worth):
                if bound >= self._cutoff:
                    return self._derive(self._cutoff, None, _linear(weights))
        return None

    def _refuted(self, branch: Branch) -> int | None:
        """Close a branch without a feasible point: prices that show it are those of the least violation."""
        nothing = [ZERO] * len(self._costs)
        for prices in refined(least_violation(self._model, branch)):
            for bound, weights in bounds_of(self._model, self._rows, branch, prices, nothing):
                if bound > 0:
                    return self._derive(bound, {}, _linear(weights))
        return None

    def _missed(self, branch: Branch, what: str) -> int:
        """Close a branch that cannot be split, by prices with more digits.

        Raises:
            UnprovenError: it has a point below the cutoff, or one so near to a row that no prices decide it.
        """
        for prices in refined(relaxation(self._model, branch)):
            closed = self._reached(branch, prices)
            if closed is not None:
                return closed
        closed = self._refuted(branch)
        if closed is None:
            raise UnprovenError(f"{what} was met, below the cutoff or too near to it")
        return closed

    def _split(self, branch: Branch, relaxed: Relaxed, depth: int) -> int:
        some = self._split_list(branch, relaxed.values)
        if some is not None:
            return self._split_alternatives(branch, *some, depth)
        j = self._most_fractional(branch, relaxed.values)
        if j is None:
            return self._missed(branch, f"a point of cost {relaxed.cost:.12g}")
        below = math.floor(relaxed.values[j])
        # A value that is whole but for rounding is split off from its neighbours on the side where there are any.
        below = min(max(below, math.ceil(branch.lower[j].value)), math.floor(branch.upper[j].value) - 1)
        indices = []
        for sense, number in (("L", Fraction(below)), ("G", Fraction(below + 1))):
            assumed = self._add(Derivation(sense, number, {j: ONE}, "asm"))
            part = branch.copy()
            side = part.upper if sense == "L" else part.lower
            side[j] = Limit(number, {assumed: ONE})
            indices.append((self.close(part, depth + 1), assumed))
        return self._join(indices)

    def _split_list(self, branch: Branch, values: Floats) -> tuple[int, frozenset[int]] | None:
        """The list of alternatives that is mixed most, and the first part of those left; None if none is mixed."""
        best: tuple[float, int, frozenset[int]] | None = None
        for k, every in enumerate(self._model.alternatives):
            # A variable that the branch has fixed to 0 is no alternative any more.
            left = [j for j in every if branch.upper[j].value > 0]
            shares = np.array([values[j] for j in left])
            mixed = float(np.minimum(shares, 1 - shares).sum())
            if len(left) < 2 or mixed <= WHOLE:
                continue
            if best is None or mixed > best[0]:
                # The place of the mean of the mixed ones, with some on each side.
                mean = float((np.arange(len(left)) * shares).sum())
                at = min(max(int(mean), int(np.argmax(shares > WHOLE))), len(left) - 2)
                best = mixed, k, frozenset(left[: at + 1])
        return None if best is None else best[1:]

    def _split_alternatives(self, branch: Branch, k: int, first: frozenset[int], depth: int) -> int:
        """One half without the first part of a list, the other with nothing else of it."""
        every = self._model.alternatives[k]
        row = self._rows[k]
        terms = dict.fromkeys(sorted(first), ONE)
        indices = []
        for sense, number in (("L", ZERO), ("G", ONE)):
            assumed = self._add(Derivation(sense, number, terms, "asm"))
            part = branch.copy()
            if sense == "L":
                gone, weights = first, {assumed: ONE}
            else:
                # The whole list sums to 1, so that its other part is at most 0.
                gone, weights = frozenset(every) - first, {row: ONE, assumed: -ONE}
            limit = Limit(ZERO, weights, gone)
            for j in gone:
                if part.upper[j].value > 0:
                    part.upper[j] = limit
            indices.append((self.close(part, depth + 1), assumed))
        return self._join(indices)

    def _most_fractional(self, branch: Branch, values: Floats) -> int | None:
        """The integer variable that is furthest from whole; where all are whole, one that is not fixed yet."""
        best, found = -1.0, None
        for j, variable in enumerate(self._model.variables):
            if variable.integer and branch.lower[j].value < branch.upper[j].value:
                off = abs(values[j] - round(values[j]))
                if off > best:
                    best, found = off, j
        return found

    def _join(self, parts: Sequence[tuple[int, int]]) -> int:
        (first, assumed), (second, other) = parts
        said = [self.derivations[i - self._rows.stop] for i in (first, second)]
        # A half without a feasible point proves any bound, so the other half's bound holds for both.
        weaker = next((one for one in said if one.terms is None), said[0])
        return self._add(Derivation("G", weaker.number, weaker.terms, f"uns {first} {assumed} {second} {other}"))

    def _derive(self, number: Fraction, terms: Mapping[int, Fraction] | None, reason: str) -> int:
        return self._add(Derivation("G", number, terms, reason))

    def _add(self, one: Derivation) -> int:
        self.derivations.append(one)
        return self._rows.stop + len(self.derivations) - 1


class _Programs:
    """The linear programs of a model's branches, in floating point."""

    def __init__(self, model: Model, deadline: float = math.inf) -> None:
        self._model, self._deadline = model, deadline
        costs = [variable.cost for variable in model.variables]
        unit = unit_of(costs)
        self._unit = float(unit)
        self._cost = np.array([float(cost / unit) for cost in costs])
        self._terms = [
            (np.array(list(row.terms), np.int64), np.array([float(a) for a in row.terms.values()]))
            for row in model.rows
        ]
        self._most = [float(row.most) for row in model.rows]
        self._equal = [row.equal for row in model.rows]
        # The same as lists of coefficients, for the bounds of prices in floats.
        self._costs = np.array([float(cost) for cost in costs])
        self._only_above = ~np.array(self._equal)
        self._of_row = np.repeat(np.arange(len(model.rows)), [len(row.terms) for row in model.rows])
        self._of_variable = np.concatenate([variables for variables, _ in self._terms])
        self._values = np.concatenate([values for _, values in self._terms])

    def relaxed(self, branch: Branch) -> Relaxed | None:
        """The least cost without whole numbers; None if HiGHS has none before the deadline."""
        rows = Rows()
        for (variables, values), most, equal in zip(self._terms, self._most, self._equal, strict=True):
            rows.add(most if equal else -math.inf, most, variables, values)
        ends = _ends(branch)
        found = least_cost(self._cost, *ends, rows, self._deadline - time.perf_counter())
        if found is None:
            return None
        return Relaxed(float(self._cost @ found[0]) * self._unit, found[0], found[1] * self._unit, ends)

    def may_reach(
        self, cutoff: float, ends: tuple[Floats, Floats], prices: Sequence[Fraction], blur: float = BLUR
    ) -> bool:
        """Whether the bound at some prices may reach a cutoff: in floats, with more than they can be off."""
        at = np.array([float(price) for price in prices])
        at[(at > 0) & self._only_above] = 0.0
        left = self._costs - np.bincount(self._of_variable, self._values * at[self._of_row], len(self._costs))
        parts = np.concatenate((at * self._most, np.where(left > 0, left * ends[0], left * ends[1])))
        return float(parts.sum()) + blur * (float(np.abs(parts).sum()) + abs(cutoff)) >= cutoff


def fractions_of(values: Floats) -> tuple[Fraction, ...]:
    """Floating-point numbers as the fractions that they are."""
    return tuple(Fraction(float(value)) for value in values)


def _ends(branch: Branch) -> tuple[Floats, Floats]:
    return (
        np.array([float(limit.value) for limit in branch.lower]),
        np.array([float(limit.value) for limit in branch.upper]),
    )


def _linear(weights: Weights) -> str:
    """VIPR's reason for a sum of constraints."""
    return f"lin {len(weights)} {' '.join(f'{index} {weight}' for index, weight in sorted(weights.items()))}".strip()
