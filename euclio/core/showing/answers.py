"""How explanations and differences of all families show themselves: the text that the command line prints."""

from __future__ import annotations

from typing import Any

from euclio.core.families import families
from euclio.core.family import Difference, Explained
from euclio.core.showing.view import Head, View
from euclio.core.words import counted, full


def _explained_head(found: Explained) -> Head:
    lines = found.text.splitlines()
    return Head(str(found.data.get("instance", "")), found.status.value, tuple(lines[1:][-1:]))


def _changes(found: Difference) -> str:
    """How much changes, in words."""
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
