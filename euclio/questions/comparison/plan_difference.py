"""Two written plans of any family next to each other: values, and what changes (`euclio diff`)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from rich.console import Group
from rich.text import Text

from euclio.core.errors import InputError
from euclio.core.family import Difference
from euclio.core.words import amount, counted, percent
from euclio.files.boundary import at
from euclio.files.json_writing import json_text
from euclio.files.unbound_results import UnboundResult

SCHEMA = "euclio/difference/1"


def compare_plans(before: UnboundResult, after: UnboundResult) -> Difference:
    """What changes from the plan of one result to that of another, both as they are written.

    Args:
        before: a result with a plan.
        after: another one.

    Raises:
        InputError: they are of two families or objectives, or a plan is none.
    """
    _check_alike(before, after)
    compare = before.family.difference
    if compare is None:
        found = _parts(before, after)
    else:
        with at("", f"{before.file} or {after.file}"):
            found = compare(before.plan, after.plan)
    return Difference(Group(Text(_header(before, after)), found.text), _data(before, after) | found.data)


def _check_alike(before: UnboundResult, after: UnboundResult) -> None:
    if before.family is not after.family:
        kinds = f"is of {after.family.instances}, and {before.file} of {before.family.instances}"
        raise InputError(f"{kinds}; give two results of one family", file=after.file)
    if before.goal.name != after.goal.name:
        goals = f"is for {after.goal.name}, and {before.file} for {before.goal.name}"
        raise InputError(f"{goals}; give two results of one objective", file=after.file)


def _header(before: UnboundResult, after: UnboundResult) -> str:
    lines = [f"before: {_described(before)}", f"after:  {_described(after)}"]
    if before.value is not None and after.value is not None:
        change = after.value - before.value
        share = f", {_signed(percent(float(change / before.value)), change)}" if before.value else ""
        lines.append(
            f"{before.goal.name} {amount(before.value)} -> {amount(after.value)} {before.goal.unit} "
            f"({_signed(amount(change), change)}{share})"
        )
    return "\n".join(lines + _planned(before, after))


def _planned(before: UnboundResult, after: UnboundResult) -> list[str]:
    """The line on what the two plans were made for, where both results say it and it is not the same."""
    if before.family.simulator is None or not (before.planned_for and after.planned_for):
        return []
    words = before.family.simulator().planned_words
    told = []
    for result in (before, after):
        with at("", result.file):
            told.append(words(result.planned_for))
    return [] if told[0] == told[1] else [f"planned for: {told[0]} -> {told[1]}"]


def _described(result: UnboundResult) -> str:
    changes = f" with {result.changes}" if result.changes else ""
    return f"{result.file}: {result.instance}{changes}, {result.solver}, {result.status}"


def _signed(text: str, value: Fraction) -> str:
    return f"+{text}" if value > 0 else text


def _data(before: UnboundResult, after: UnboundResult) -> dict[str, Any]:
    change = None if before.value is None or after.value is None else after.value - before.value
    return {
        "schema": SCHEMA,
        "before": _result_data(before),
        "after": _result_data(after),
        f"change_{before.goal.value_field}": change,
    }


def _result_data(result: UnboundResult) -> dict[str, Any]:
    return {
        "file": result.file,
        "instance": result.instance,
        "instance_changes": result.changes,
        "solver": result.solver,
        "status": result.status,
        result.goal.value_field: result.value,
        **({"planned_for": _plain(result.planned_for)} if result.planned_for else {}),
    }


def _parts(before: UnboundResult, after: UnboundResult) -> Difference:
    """The parts of two plans that only one of them has: entries of their lists, and other fields."""
    old, new = _written_parts(before), _written_parts(after)
    removed, added = list((old - new).elements()), list((new - old).elements())
    head = f"{counted(len(removed), 'part')} of the first plan only (-), {len(added)} of the second only (+)"
    lines = [*(f"- {part}" for part in removed), *(f"+ {part}" for part in added)]
    text = Text("\n".join([head, *([""] if lines else []), *lines]), no_wrap=True, overflow="ignore")
    return Difference(text, {"removed": removed, "added": added})


def _written_parts(result: UnboundResult) -> Counter[str]:
    """The entries of a plan's lists, and its other fields, as text."""
    found: Counter[str] = Counter()
    for name, value in result.parts.items():
        entries = value if isinstance(value, list) else [value]
        found.update(f"{name}: {_one_line(entry)}" for entry in entries)
    return found


def _one_line(value: Any) -> str:
    return " ".join(json_text(_plain(value)).split())


def _plain(value: Any) -> Any:
    """Parsed JSON with numbers as fractions, which are written alike whatever their decimals."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | bool | int | None) else Fraction(value)
