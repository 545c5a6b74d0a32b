"""How explanations and differences of all families show themselves: the text that the command line prints."""

from __future__ import annotations

from typing import Any

from euclio.core.family import Difference, Explained
from euclio.core.showing.view import Head, View
from euclio.core.words import counted


def _explained_head(found: Explained) -> Head:
    first = found.text.partition("\n")[0]
    name = str(found.data.get("instance", ""))
    facts = first.removeprefix(f"{name}: ").removeprefix(found.status.value).lstrip(",;: ")
    return Head(name, found.status.value, (facts,))


def _changes(found: Difference) -> str:
    """How much changes, in words."""
    added, removed, total = (found.data.get(name) for name in ("added", "removed", "changes"))
    if isinstance(added, list) and isinstance(removed, list):
        return f"{counted(len(removed), 'part')} of the first plan only, {len(added)} of the second only"
    return f"{counted(int(total or 0), 'machine change')}: {added} added, {removed} removed"


def _difference_head(found: Difference) -> Head:
    return Head("", "", (_changes(found),))


def _difference_rows(found: Difference) -> list[dict[str, Any]]:
    hardware = found.data.get("hardware")
    if hardware is not None:
        return list(hardware)
    parts = [("removed", part) for part in found.data["removed"]] + [("added", part) for part in found.data["added"]]
    return [{"change": change, "part": part} for change, part in parts]


EXPLAINED = View(_explained_head, lambda found: found.text)
DIFFERENCE = View(_difference_head, lambda found: found.text, rows=_difference_rows)
