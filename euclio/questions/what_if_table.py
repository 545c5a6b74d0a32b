"""Answers as a table for people, as rows of a CSV file, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.tables import new_table
from euclio.core.words import DASH, amount, figures, full, milliseconds, percent
from euclio.files import csv_files as csv_writing
from euclio.problems.session.costs import per_million, per_month
from euclio.problems.session.rules import Charging
from euclio.problems.session.stated_attainment import described
from euclio.questions.what_if import Point, WhatIf

SCHEMA = "euclio/what-if/1"
NO_BREAK = "\u00a0"
"""A space at which no line is broken: a number stays with its name."""


def what_if_table(answer: WhatIf) -> RenderableType:
    """A header, and one row per rate and objective with the ways of charging next to each other.

    Plans that are not proven to be the cheapest say how far the bound is below them.
    """
    asked = answer.question
    kept = asked.demand is not None
    columns = ["req/s", "SLO ms", *(heading for way in asked.chargings for heading in _headings(way, kept=kept))]
    machines = [heading for heading in columns if heading.startswith("machines")]
    numbers = [heading for heading in columns if heading not in machines]
    table = new_table(*columns, numbers=numbers, wrapped=machines, spare=["rounded up"])
    for (rate, slo), _ in asked.sessions.items():
        cells = [full(rate), milliseconds(slo)]
        for way in asked.chargings:
            cells += _cells(answer.points[rate, slo, way], kept=kept)
        table.add_row(*(Text(cell) for cell in cells))
    return Group(Text("\n".join((*asked.lines("rate and SLO"), *_judged(answer)))), Text(""), table)


def _judged(answer: WhatIf) -> list[str]:
    """By how many requests plans were judged that are to keep an attainment, and what that says."""
    kept = [point.kept for point in answer.points.values() if point.kept is not None]
    if not kept:
        return []
    requests = min(one.requests for one in kept), max(one.requests for one in kept)
    span = " to ".join(dict.fromkeys(f"{number:,}" for number in requests))
    return [
        f"judged by {span} requests each: at least what is said, with {percent(kept[0].confidence, 0)} confidence each"
    ]


def describe(answer: WhatIf, *more: WhatIf) -> dict[str, Any]:
    """The answer, and those at other capacities of a resource, as plain data with fractions."""
    asked = answer.question
    return {
        **asked.described(SCHEMA),
        "space": {k: v for k, v in asked.space.describe().items() if k != "charging"},
        "points": [
            _point(one, point) | _capacities(one, "resources")
            for one in (answer, *more)
            for point in one.points.values()
        ],
    }


def csv_text(*answers: WhatIf) -> str:
    """One row per point: what `describe` says of it; machines by type and resources in columns of their own."""
    rows = []
    hardware = [h.name for h in answers[0].question.session.hardware if any(h.name in one.hardware for one in answers)]
    for answer, point in [(one, _point(one, point)) for one in answers for point in one.points.values()]:
        machines = point.pop("machines")
        columns = {f"machines_{name}": machines.get(name, Fraction(0)) for name in hardware}
        rows.append(point | columns | _capacities(answer))
    return csv_writing.csv_text(rows[0], (row.values() for row in rows))


def _capacities(answer: WhatIf, field: str = "") -> dict[str, Any]:
    """The capacities that are asked about: in a field, or as columns; nothing where there are none."""
    changes = answer.question.changes
    if changes is None or not changes.resources:
        return {}
    return {field: changes.resources} if field else {f"resource_{name}": n for name, n in changes.resources.items()}


def _headings(way: Charging, *, kept: bool) -> Iterator[str]:
    yield f"{way} cost/h"
    if kept:
        yield f"in time, {way}"
    yield f"machines, {way}"
    if not way.whole:
        yield "rounded up"


def _cells(point: Point, *, kept: bool) -> Iterator[str]:
    yield point.cost_in_words()
    if kept:
        yield DASH if point.kept is None else point.kept.in_words()
    machines = point.machines
    names = [h.name for h in point.session.hardware if machines.get(h.name)]
    yield ", ".join(f"{name}{NO_BREAK}{amount(machines[name], digits=4)}" for name in names) or DASH
    if not point.charging.whole:
        yield figures(point.rounded_up_per_h)


def _point(answer: WhatIf, point: Point) -> dict[str, Any]:
    result = point.result
    latency = None if result.evaluation is None or result.value is None else result.evaluation.latency_s
    return {
        "rate_rps": point.rate_rps,
        "slo_s": point.slo_s,
        "charging": point.charging.value,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "rounded_up_per_h": point.rounded_up_per_h,
        "cost_per_month": None if result.value is None else per_month(result.value),
        "cost_per_million_requests": None if result.value is None else per_million(point.rate_rps, result.value),
        "latency_s": latency,
        **({} if answer.question.demand is None else described(point.kept)),
        "machines": {name: count for name, count in point.machines.items() if count},
        "reason": result.reason,
    }
