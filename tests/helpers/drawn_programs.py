"""Tiny mixed-integer programs with nasty numbers, and the same for the reference in `exact_milp`."""

from __future__ import annotations

import random
from fractions import Fraction

from euclio.proving.files.model import Model, Row, Variable
from tests.helpers.exact_milp import Program

NASTY = ["0", "1", "-1", "2", "1/3", "-2/7", "0.1", "0.30000000000000004", "13.333333333333334", "-0.7", "5", "1e-9"]


def drawn_program(seed: int) -> Model:
    """A program of two to five bounded variables; some have lists of alternatives, equalities, ties, or no point."""
    draw = random.Random(seed)
    variables: list[Variable] = []
    rows: list[Row] = []
    alternatives: list[tuple[int, ...]] = []
    for _ in range(draw.choice([0, 0, 1, 2])):
        first = len(variables)
        every = tuple(range(first, first + draw.randint(2, 3)))
        variables += [Variable(f"x{j}", Fraction(0), Fraction(1), True, _number(draw)) for j in every]
        rows.append(Row(f"one{first}", dict.fromkeys(every, Fraction(1)), Fraction(1), True))
        alternatives.append(every)
    for j in range(len(variables), max(2, len(variables) + draw.randint(0, 2))):
        lower = Fraction(draw.choice([0, 0, -2, "1/2"]))
        upper = lower + Fraction(draw.choice([0, 1, 3, "7/2"]))
        variables.append(Variable(f"v{j}", lower, upper, draw.random() < 0.6, _number(draw)))
    for i in range(draw.randint(1, 3)):
        chosen = draw.sample(range(len(variables)), draw.randint(1, len(variables)))
        terms = {j: a for j in chosen if (a := _number(draw))}
        if terms:
            # Often a number that some whole point meets exactly, so that rows are tight.
            at = sum((a * draw.randint(0, 2) for a in terms.values()), Fraction(0))
            most = draw.choice([at, at, at + _number(draw), _number(draw)])
            rows.append(Row(f"row{i}", terms, most, draw.random() < 0.25))
    if not rows:
        rows.append(Row("row", {0: Fraction(1)}, Fraction(1)))
    return Model(tuple(variables), tuple(rows), tuple(alternatives), (f"drawn with seed {seed}",))


def _number(draw: random.Random) -> Fraction:
    return (
        Fraction(draw.choice(NASTY)) if draw.random() < 0.5 else Fraction(draw.randint(-9, 9), draw.choice([1, 1, 2]))
    )


def reference(model: Model) -> Program:
    """The program for the reference."""
    rows = [("G", v.lower, {j: Fraction(1)}) for j, v in enumerate(model.variables)]
    rows += [("L", v.upper, {j: Fraction(1)}) for j, v in enumerate(model.variables)]
    rows += [("E" if row.equal else "L", row.most, dict(row.terms)) for row in model.rows]
    integer = frozenset(j for j, v in enumerate(model.variables) if v.integer)
    cost = {j: v.cost for j, v in enumerate(model.variables) if v.cost}
    return Program(len(model.variables), integer, cost, tuple(rows))
