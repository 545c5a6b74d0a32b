"""Views of the results of all families: status, value and proof, then the table that `euclio solve` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.families import families, family_of
from euclio.core.family import Difference, Explained, Family
from euclio.core.fitted_table import Column
from euclio.core.objective import Goal
from euclio.core.parts import Glance
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.showing.html import MOST_ROWS
from euclio.core.showing.view import Head, View, fields_of
from euclio.core.tables import value_text
from euclio.core.words import counted, duration, full


def _explained_head(found: Explained) -> Head:
    lines = found.text.splitlines()
    return Head(str(found.data.get("instance", "")), found.status.value, tuple(lines[1:][-1:]))


def _changes(found: Difference) -> str:
    """The amount of change, in words."""
    added, removed, total = (found.data.get(name) for name in ("added", "removed", "changes"))
    if isinstance(added, list) and isinstance(removed, list):
        return f"{counted(len(removed), 'part')} of the first plan only, {len(added)} of the second only"
    return f"{counted(int(total or 0), 'machine change')}: {added} added, {removed} removed"


def _difference_head(found: Difference) -> Head:
    goals = {f"change_{goal.value_field}": goal for family in families() for goal in family.goals}
    value = ""
    for goal in (goal for field, goal in goals.items() if found.data.get(field) is not None):
        before, after = (found.data[which][goal.value_field] for which in ("before", "after"))
        value = f"{goal.name} {full(before)} -> {full(after)} {goal.unit}"
    return Head("", "", (value, _changes(found)))


def _difference_rows(found: Difference) -> list[dict[str, Any]]:
    hardware = found.data.get("hardware")
    if hardware is not None:
        return list(hardware)
    parts = [("removed", part) for part in found.data["removed"]] + [("added", part) for part in found.data["added"]]
    return [{"change": change, "part": part} for change, part in parts]


EXPLAINED = View(_explained_head, lambda found: found.text)
DIFFERENCE = View(_difference_head, lambda found: found.text, rows=_difference_rows)


def _family(result: AnyResult) -> Family | None:
    """The family of a result; None if it is unknown."""
    if result.of_instance is not None:
        return family_of(result.of_instance)
    own = (family for family in families() if isinstance(result.plan, family.plan))
    alike = (family for family in families() if type(result.space) is type(family.full_space))
    return next(own, None) or next(alike, None)


def _head(result: AnyResult) -> Head:
    family = _family(result)
    value = "" if family is None else value_text(result, family.goal(result.space)).removeprefix(", ")
    why = result.reason if result.value is None else ""
    return Head(result.instance, result.status.value, (value, why, f"{result.solver} in {duration(result.wall_s)}"))


def _table(result: AnyResult) -> RenderableType | None:
    family = _family(result)
    if family is None or result.of_instance is None:
        return None
    table = family.table(result.of_instance, result)
    line = _at_random(family, result)
    return Group(table, Text(line)) if line else table


def _at_random(family: Family, result: AnyResult) -> str:
    """Quick estimates of the plan under random arrivals; empty if none exist or the plan is made for them."""
    if family.simulator is None or result.plan is None or result.value is None or "attainment" in result.options:
        return ""
    simulator = family.simulator()
    if not simulator.keeps:
        return ""
    known = simulator.glance(result.of_instance, result)
    cost = f"{known.cost}, " if known.cost else ""
    return f"under Poisson arrivals{_known(known)}; 99 %: {cost}attainment=0.99"


def _known(known: Glance) -> str:
    words = f" {known.in_words()}" if known.in_words() else ""
    return f"{words}: ask simulate()" if known.share is None else words


def _rows(result: AnyResult) -> list[dict[str, Any]]:
    """The parts of the plan; the result itself if the family has no rows or there is no plan."""
    family = _family(result)
    if family is None or family.rows is None or result.plan is None or result.value is None:
        name = "value" if family is None else family.goal(result.space).name.replace(" ", "_")
        facts = fields_of(result, "instance", "solver", "status")
        return [{**facts, name: result.value, **fields_of(result, "bound", "gap", "wall_s")}]
    return family.rows(result.of_instance, result.plan, result.evaluation)


def _written_head(result: WrittenResult) -> Head:
    return Head(result.instance, result.status.value, (*_written_value(result, result.goal), "as written, not checked"))


def _written_value(result: WrittenResult, goal: Goal) -> tuple[str, ...]:
    value = () if result.value is None else (f"{goal.name} {full(result.value)} {goal.unit}",)
    bound = () if result.bound is None else (f"bound {full(result.bound)}",)
    return (*value, *bound, f"solver {result.solver}")


def checked_head(found: Any, *facts: str) -> Head:
    """The first facts of a checker's answer: its verdict, these facts, and the first broken rule."""
    return Head("", "accepted" if found.feasible else "refused", (*filter(None, facts), *found.violations[:1]))


def checked_view(head: Callable[[Any], Head], rows: Callable[[Any], list[dict[str, Any]]], *columns: Column) -> View:
    """The view of a checker's answer: the other broken rules, and then the checked figures."""
    return View(head, rows=rows, lines=lambda found: found.violations[1:MOST_ROWS], columns=columns)


RESULT = View(_head, _table, rows=_rows, leads=True)
WRITTEN = View(_written_head)
