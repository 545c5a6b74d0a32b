"""Least cost over objectives or rates as a table for people, as rows of a CSV file, and as plain data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.tables import new_table
from euclio.core.words import DASH, amount, full, milliseconds
from euclio.files import csv_files as csv_writing
from euclio.questions.cost_curve import CostCurve, CostStep, Over, OverRange

SCHEMA = "euclio/cost-curve/1"
NO_BREAK = "\u00a0"
"""A space at which no line is broken: a number stays with its name."""
FIELDS = {Over.SLO: ("from_slo_s", "below_slo_s"), Over.RATE: ("above_rps", "up_to_rps")}
"""Where a step begins and ends, by what the cost is a function of."""
HEADINGS = {Over.SLO: ("SLO from (ms)", "to"), Over.RATE: ("req/s above", "to")}


def curve_table(curve: CostCurve) -> RenderableType:
    """A header, a row for each step, and how much of it is proven."""
    asked = curve.question
    table = new_table(*HEADINGS[asked.over], "cost/h", "machines", numbers=(*HEADINGS[asked.over], "cost/h"))
    for step in curve.steps:
        table.add_row(*(Text(cell) for cell in (*_ends(asked, step), step.cost_in_words(), _machines(step))))
    lines = asked.lines(asked.over.in_words(), range_in_words(asked))
    return Group(Text("\n".join(lines)), Text(""), table, Text(""), Text(_proven(curve)))


def range_in_words(asked: OverRange) -> str:
    """The objectives or rates that are asked about."""
    if asked.over is Over.SLO:
        return f"SLO from {milliseconds(asked.start)} to {milliseconds(asked.end)} ms"
    return f"rate from {full(asked.start)} to {full(asked.end)} req/s"


def describe(curve: CostCurve) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked = curve.question
    return {
        **asked.described(SCHEMA),
        "over": asked.over.value,
        "range": [asked.start, asked.end],
        "complete": curve.complete,
        "proven": curve.proven,
        "steps": [_step(asked, step) for step in curve.steps],
    }


def csv_text(curve: CostCurve) -> str:
    """One row per step; machines by type in columns of their own."""
    rows = []
    for step in curve.steps:
        row = _step(curve.question, step)
        machines = row.pop("machines")
        rows.append(row | {f"machines_{name}": machines.get(name, Fraction(0)) for name in curve.hardware})
    return csv_writing.csv_text(rows[0], (row.values() for row in rows))


def _proven(curve: CostCurve) -> str:
    """How much of the function is proven."""
    asked = curve.question
    if not asked.steps_proven:
        return (
            "nothing is said between the rates that were asked: the cost may fall with the rate where a full machine "
            "may be slower than one that is not (policy rr with several batches at a time, a policy of your own), or "
            "where machines are shared"
        )
    if not curve.complete:
        return "the other steps of the range are not known: ask for a narrower one"
    if not curve.proven:
        return "a limit of time was hit: not all steps are proven"
    hair = "last billionth before each step" if asked.over is Over.SLO else "first billionth of each step but the first"
    return (
        f"proven: no plan in this plan space costs less, but for the {hair}, where nothing is proven but what its "
        "neighbours cost"
    )


def _ends(asked: OverRange, step: CostStep) -> tuple[str, str]:
    if asked.over is Over.SLO:
        return milliseconds(step.start), milliseconds(step.end)
    return full(step.start), full(step.end)


def _machines(step: CostStep) -> str:
    machines = step.machines
    names = [h.name for h in step.session.hardware if machines.get(h.name)]
    return ", ".join(f"{name}{NO_BREAK}{amount(machines[name], digits=4)}" for name in names) or DASH


def _step(asked: OverRange, step: CostStep) -> dict[str, Any]:
    result = step.result
    start, end = FIELDS[asked.over]
    latency = None if step.checked is None else step.checked[1].latency_s
    return {
        start: step.start,
        end: step.end,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "latency_s": latency,
        "machines": {name: count for name, count in step.machines.items() if count},
        "reason": result.reason,
    }
