"""Views of answers to questions about sessions, and the rows of their frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from euclio.core.lazy import late
from euclio.core.result import Status
from euclio.core.showing import Head, View
from euclio.core.words import counted, full, milliseconds
from euclio.problems.session.costs import money
from euclio.questions import tables
from euclio.questions.change_costs import Curve
from euclio.questions.cost_curve import CostCurve
from euclio.questions.difference import PlanDifference, difference_headline, difference_text, hardware_rows
from euclio.questions.what_if import WhatIf

SHORT = {"cost_per_h": "cost", "bound_per_h": "bound"}
"""Names of columns by the field of the JSON text with the same content."""


def _range(values: Iterable[str], unit: str) -> str:
    every = list(values)
    return f"{every[0]} {unit}" if len(every) == 1 else f"{every[0]} to {every[-1]} {unit}"


def _status(results: Iterable[Any]) -> str:
    """The status of all results, or of each if they differ."""
    found = {result.status.value for result in results}
    return found.pop() if len(found) == 1 else ""


def _what_if_head(answer: WhatIf) -> Head:
    asked, points = answer.question, list(answer.points.values())
    costs = [point.result.value for point in points if point.result.value is not None]
    paid = "no plan" if not costs else f"cost {full(min(costs))} to {money(asked.session, max(costs))} per hour"
    proven = sum(point.result.status is Status.OPTIMAL for point in points)
    asks = f"{_range(map(full, asked.rates), 'req/s')}, {_range(map(milliseconds, asked.slos), 'ms')}"
    proofs = f"{proven} of {counted(len(points), 'point')} proven"
    return Head(asked.session.name, _status(point.result for point in points), (paid, proofs, asks))


def _short(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with the short names of frames."""
    return [{SHORT.get(name, name): value for name, value in row.items()} for row in rows]


def _curve_head(curve: Curve) -> Head:
    steps, free, session = curve.steps, curve.free, curve.question.session
    fewest = (
        ()
        if not steps
        else (f"cost {money(session, steps[0].cost_per_h)} per hour with {counted(steps[0].most or 0, 'change')}",)
    )
    least = () if free.cost_per_h is None else (f"{money(session, free.cost_per_h)} without a limit",)
    every = "all falls of the cost are known" if curve.complete else "there may be other falls of the cost"
    return Head(curve.question.session.name, free.result.status.value, (*fewest, *least, every))


def _cost_curve_head(curve: CostCurve) -> Head:
    asked = curve.question
    costs = [step.cost_per_h for step in curve.steps if step.cost_per_h is not None]
    paid = "no plan" if not costs else f"cost {full(min(costs))} to {money(asked.session, max(costs))} per hour"
    every = "proven" if curve.proven else "not all proven"
    steps = f"{counted(len(costs), 'step')}, {every}"
    return Head(asked.session.name, "", (paid, steps, tables.range_in_words(asked)))


def _difference_head(found: PlanDifference) -> Head:
    return Head("", "", (difference_headline(found),))


WHAT_IF = View(
    _what_if_head,
    tables.what_if_table,
    rows=lambda answer: _short(tables.what_if_rows(answer)),
    draw=late("euclio.questions.figures", "draw_curves_on"),
)
CURVE = View(
    _curve_head,
    tables.change_table,
    rows=lambda curve: _short(tables.change_costs_rows(curve)),
    draw=late("euclio.questions.figures", "draw_change_costs_on"),
)
COST_CURVE = View(
    _cost_curve_head,
    tables.curve_table,
    rows=lambda curve: _short(tables.cost_curve_rows(curve)),
    draw=late("euclio.questions.figures", "draw_cost_curve_on"),
)
DIFFERENCE = View(_difference_head, difference_text, rows=hardware_rows)
