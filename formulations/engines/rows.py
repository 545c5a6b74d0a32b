"""A linear model in PuLP as plain columns and rows, for libraries that we do not call through PuLP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pulp


@dataclass(frozen=True, slots=True)
class Column:
    """A variable.

    Attributes:
        name: its name in the model.
        low: lower bound; None means none.
        high: upper bound; None means none.
        whole: whether its values are whole numbers.
        cost: its coefficient in the objective.
    """

    name: str
    low: float | None
    high: float | None
    whole: bool
    cost: float


@dataclass(frozen=True, slots=True)
class Row:
    """A linear constraint.

    Attributes:
        terms: pairs of a column's number and its coefficient.
        sense: "<=", ">=" or "==".
        right: its right-hand side.
    """

    terms: tuple[tuple[int, float], ...]
    sense: str
    right: float


def columns(model: pulp.LpProblem) -> list[Column]:
    """The variables of a model, in its own order."""
    costs = {variable.name: float(cost) for variable, cost in model.objective.items()}
    return [
        Column(v.name, v.lowBound, v.upBound, v.cat == pulp.LpInteger, costs.get(v.name, 0.0))
        for v in model.variables()
    ]


def rows(model: pulp.LpProblem) -> Iterator[Row]:
    """The constraints of a model, with the numbers of its columns."""
    senses = {pulp.LpConstraintLE: "<=", pulp.LpConstraintGE: ">=", pulp.LpConstraintEQ: "=="}
    number = {variable.name: k for k, variable in enumerate(model.variables())}
    for row in model.constraints():
        yield Row(
            tuple((number[variable.name], float(a)) for variable, a in row.items()),
            senses[row.sense],
            -float(row.constant),
        )
