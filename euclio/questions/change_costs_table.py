"""Costs by changes as a table for people, as rows of a CSV file, and as plain data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Status
from euclio.core.tables import new_table
from euclio.core.words import DASH, counted, figures, percent
from euclio.files import csv_files as csv_writing
from euclio.problems.session.costs import money
from euclio.problems.session.stated_attainment import described
from euclio.questions.change_costs import Curve, Step

SCHEMA = "euclio/change-costs/1"
NO_BREAK = "\u00a0"
"""A space at which no line is broken: a number stays with its name."""


def change_table(curve: Curve) -> RenderableType:
    """A header, a row for each number of changes at which the cost falls, and what no limit would cost.

    Plans that are not proven to be the cheapest say how far the bound is below them.
    """
    kept = ["in time"] if curve.question.demand is not None else []
    columns = ["changes", "cost/h", *kept, "saved/h", "of all that can be", "machines added and removed"]
    table = new_table(*columns, numbers=columns[:-1], wrapped=columns[-1:], spare=["of all that can be"])
    none = curve.without_plan
    if none is not None:
        upto = "0" if not none.most else f"0 to {none.most:,}"
        table.add_row(upto, none.result.status.value, *(DASH for _ in columns[2:]))
    for step in curve.steps:
        part = curve.part_of_saving(step)
        cells = [
            f"{step.most:,}",
            step.cost_in_words(),
            *(DASH if step.kept is None else step.kept.in_words() for _ in kept),
            figures(curve.saved(step)),
            percent(None if part is None else float(part), 1),
        ]
        table.add_row(*(Text(cell) for cell in (*cells, _moves(step))))
    return Group(Text("\n".join(_header(curve))), Text(""), table, Text(""), Text("\n".join(_footer(curve))))


def describe(curve: Curve) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked = curve.question
    none = curve.without_plan
    return {
        **asked.described(SCHEMA),
        "running_cost_per_h": curve.running_per_h,
        "no_plan_up_to": None if none is None else none.most,
        "complete": curve.complete,
        "steps": [_step(curve, step) for step in curve.steps],
        "without_limit": _step(curve, curve.free),
    }


def csv_text(curve: Curve) -> str:
    """One row per step, and one without a limit, whose `most_changes` is empty."""
    rows = [_step(curve, step) for step in (*curve.steps, curve.free)]
    names = [h.name for h in curve.question.changed.hardware]
    heading = [name for name in rows[0] if name not in ("added", "removed")]
    moves = [(way, name) for way in ("added", "removed") for name in names]
    return csv_writing.csv_text(
        [*heading, *(f"{way}_{name}" for way, name in moves)],
        ([*(row[name] for name in heading), *(row[way].get(name, 0) for way, name in moves)] for row in rows),
    )


def _header(curve: Curve) -> list[str]:
    asked, running = curve.question, curve.question.changed.running
    assert running is not None
    count = counted(sum(own.machines for own in running.machines), "machine")
    cost = money(asked.session, curve.running_per_h)
    return asked.lines("machines added and removed", f"running: {count}, {cost} per hour")


def _footer(curve: Curve) -> list[str]:
    free = curve.free
    if free.cost_per_h is None:
        why = f": {free.result.reason}" if free.result.reason else ""
        return [f"without a limit on changes: {free.result.status.value}{why}"]
    lines = []
    if not curve.reached:
        lines.append(f"without a limit: {free.cost_in_words()}, with {counted(free.changes or 0, 'change')}")
    if not curve.complete:
        lines.append("between these numbers of changes there may be others at which the cost falls")
    found = "this is the cheapest plan" if free.result.status is Status.OPTIMAL else "no cheaper plan was found"
    return lines or [f"more changes save nothing: {found}, {free.cost_in_words()}"]


def _moves(step: Step) -> str:
    """Machines added and removed by hardware type, such as "+2 T4, -1 A100"."""
    added, removed = _by_hardware(step.moves.added), _by_hardware(step.moves.removed)
    names = [h.name for h in step.session.hardware]
    names += sorted((set(added) | set(removed)) - set(names))
    words = [f"+{added[name]:,}{NO_BREAK}{name}" for name in names if added[name]]
    words += [f"-{removed[name]:,}{NO_BREAK}{name}" for name in names if removed[name]]
    return ", ".join(words) or DASH


def _by_hardware(moved: dict[tuple[str, str], int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (_, hardware), count in moved.items():
        found[hardware] += count
    return found


def _step(curve: Curve, step: Step) -> dict[str, Any]:
    result = step.result
    return {
        "most_changes": step.most,
        "changes": step.changes,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "saved_per_h": curve.saved(step),
        "share_of_saving": curve.part_of_saving(step),
        "added": dict(_by_hardware(step.moves.added)),
        "removed": dict(_by_hardware(step.moves.removed)),
        **({} if curve.question.demand is None else described(step.kept)),
        "reason": result.reason,
    }
