"""How answers to questions on sessions show themselves, and the rows of their frames."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from euclio.core.lazy import late
from euclio.core.result import Status
from euclio.core.showing import Head, View
from euclio.core.words import counted, full, milliseconds
from euclio.problems.session.costs import money
from euclio.questions import tables as change_costs_table
from euclio.questions import tables as cost_curve_table
from euclio.questions import tables as what_if_table
from euclio.questions.change_costs import Curve
from euclio.questions.cost_curve import CostCurve
from euclio.questions.difference import PlanDifference, difference_headline, difference_text, hardware_rows
from euclio.questions.what_if import WhatIf

SHORT = {"cost_per_h": "cost", "bound_per_h": "bound"}
"""Names of columns by the field of the JSON text that says the same."""


def _range(values: Iterable[str], unit: str) -> str:
    every = list(values)
    return f"{every[0]} {unit}" if len(every) == 1 else f"{every[0]} to {every[-1]} {unit}"


def _status(results: Iterable[Any]) -> str:
    """The outcome of all: that of each where they are alike."""
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


def _what_if_rows(answer: WhatIf) -> list[dict[str, Any]]:
    """A row per point, with a column for the machines of each hardware type."""
    rows = []
    for point in what_if_table.describe_what_if(answer)["points"]:
        machines = {f"machines_{name}": point["machines"].get(name, 0) for name in answer.hardware}
        rows.append({SHORT.get(key, key): value for key, value in point.items() if key != "machines"} | machines)
    return rows


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


def _curve_rows(curve: Curve) -> list[dict[str, Any]]:
    """A row per number of changes at which the cost falls, and one without a limit, whose `most_changes` is empty."""
    found = change_costs_table.describe_change_costs(curve)
    rows = []
    for step in (*found["steps"], found["without_limit"]):
        moves = {f"{way}_{name}": n for way in ("added", "removed") for name, n in step[way].items()}
        kept = {SHORT.get(key, key): value for key, value in step.items() if key not in ("added", "removed")}
        rows.append(kept | moves)
    return rows


def _cost_curve_head(curve: CostCurve) -> Head:
    asked = curve.question
    costs = [step.cost_per_h for step in curve.steps if step.cost_per_h is not None]
    paid = "no plan" if not costs else f"cost {full(min(costs))} to {money(asked.session, max(costs))} per hour"
    every = "proven" if curve.proven else "not all proven"
    steps = f"{counted(len(costs), 'step')}, {every}"
    return Head(asked.session.name, "", (paid, steps, cost_curve_table.range_in_words(asked)))


def _cost_curve_rows(curve: CostCurve) -> list[dict[str, Any]]:
    """A row per step, with a column for the machines of each hardware type."""
    rows = []
    for step in cost_curve_table.describe_cost_curve(curve)["steps"]:
        machines = {f"machines_{name}": step["machines"].get(name, 0) for name in curve.hardware}
        rows.append({SHORT.get(key, key): value for key, value in step.items() if key != "machines"} | machines)
    return rows


def _difference_head(found: PlanDifference) -> Head:
    return Head("", "", (difference_headline(found),))


WHAT_IF = View(
    _what_if_head,
    what_if_table.what_if_table,
    rows=_what_if_rows,
    draw=late("euclio.questions.figures", "draw_curves_on"),
)
CURVE = View(
    _curve_head,
    change_costs_table.change_table,
    rows=_curve_rows,
    draw=late("euclio.questions.figures", "draw_change_costs_on"),
)
COST_CURVE = View(
    _cost_curve_head,
    cost_curve_table.curve_table,
    rows=_cost_curve_rows,
    draw=late("euclio.questions.figures", "draw_cost_curve_on"),
)
DIFFERENCE = View(_difference_head, difference_text, rows=hardware_rows)
