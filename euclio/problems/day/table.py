"""A plan for a load over time for people: what it comes to, and its machines by hardware type."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Result
from euclio.core.tables import new_table, value_text
from euclio.core.words import figures
from euclio.problems.day.evaluate import WHOLE, DayEvaluation
from euclio.problems.day.figures import figures_of, machines_by_type
from euclio.problems.day.instance import Day
from euclio.problems.day.plan import DayPlan
from euclio.problems.session.costs import money
from euclio.problems.session.latency.of_requests import caveat


def day_table(day: Day, result: Result[DayPlan, Any, DayEvaluation]) -> RenderableType:
    """A header, what the plan comes to and, per hardware type, the fewest, most and mean machines on."""
    from euclio.problems.day.family import LEAST_COST_IN_ALL

    head = f"{result.instance}: {result.status.value}"
    evaluation = result.evaluation
    if result.value is None or evaluation is None:
        return Text(f"{head}\n{result.reason}" if result.reason else head)
    found = figures_of(day, evaluation)
    lines = [
        head + value_text(result, LEAST_COST_IN_ALL.priced_in(day.session.currency)),
        f"running {money(day.session, found.running)}, changes {money(day.session, found.changing)}: "
        f"{found.starts:,} starts and {found.stops:,} stops in {len(day.steps):,} steps, {figures(day.hours)} h",
    ]
    said = caveat(day.session, WHOLE)
    lines += [said] if said else []
    numbers = ("fewest", "most", "mean", "machine-hours")
    table = new_table("hardware", *numbers, numbers=numbers)
    by_type = machines_by_type(evaluation)
    for h, hardware in enumerate(day.session.hardware):
        on = [row[h] for row in by_type]
        hours = found.machine_hours_by_hardware[hardware.name]
        cells = (hardware.name, min(on), max(on), figures(hours / day.hours), figures(hours))
        table.add_row(*(Text(str(cell)) for cell in cells))
    return Group(*map(Text, lines), Text(""), table)
