"""A grid as plain data, which the page and the widget show."""

from __future__ import annotations

from typing import Any

from euclio.core.result import Status
from euclio.core.words import figures, percent
from euclio.questions.sweep.limits import Reasons, uses
from euclio.questions.sweep.question import Place, Sweep
from euclio.questions.sweep.solving import Swept
from euclio.questions.what_if import Point

SCHEMA = "euclio/what-if-sweep/1"
REASON_LIMIT_S = 1.0
"""Limit of the search for why a point has no plan."""


def describe(found: Swept) -> dict[str, Any]:
    """The grid and what is known of its points, as plain data with fractions.

    Returns:
        `euclio/what-if-sweep/1` (docs/formats/printed.md): `grid`, and `points` by place, such as "2,2,1,0": an entry
        for each way of charging.
    """
    reasons, asked = Reasons(REASON_LIMIT_S), found.question
    places = sorted({place for place, _ in found.points})
    points = {
        key(place): [entry(found.point(place, way), asked, reasons) for way in asked.chargings] for place in places
    }
    return {**asked.described(SCHEMA), "grid": grid(asked), "points": points}


def grid(asked: Sweep) -> dict[str, Any]:
    """The axes, the ways of charging and the names of the hardware types."""
    return {
        "instance": asked.session.name,
        "currency": asked.session.currency,
        "chargings": [{"name": way.value, "whole": way.whole} for way in asked.chargings],
        "hardware": [h.name for h in asked.session.hardware],
        "axes": [
            {
                "label": one.label,
                "unit": one.kind.unit,
                "limits": one.kind.limits,
                "values": list(one.values),
                "texts": [one.text(k) for k in range(len(one.values))],
                "start": one.start,
            }
            for one in asked.axes
        ],
    }


def key(place: Place) -> str:
    """A place as text."""
    return ",".join(map(str, place))


def entry(point: Point, asked: Sweep, reasons: Reasons) -> dict[str, Any]:
    """A point: outcome, costs per hour, machines in the order of the session's hardware, what limits it or why not."""
    result, machines = point.result, point.machines
    known = {
        "status": result.status.value,
        "proof": proof(point),
        "cost_per_h": result.value,
        "bound_per_h": None if result.value is None else result.bound,
    }
    if point.checked is None:
        return known | {"reason": reasons.of(point)}
    return known | {
        "cost": figures(result.value),
        "rounded_up_per_h": point.rounded_up_per_h,
        "machines": [machines.get(h.name, 0) for h in asked.session.hardware],
        "uses": [[use.limit, round(float(use.share), 4), use.words] for use in uses(point)],
    }


def proof(point: Point) -> str:
    """What is proven of a point, in a few words."""
    result = point.result
    if result.value is None:
        proven = result.status is Status.INFEASIBLE
        return (
            "proven: no plan" if proven else "no plan found" if result.status is Status.UNKNOWN else result.status.value
        )
    if result.status is Status.OPTIMAL:
        return "proven cheapest"
    if result.bound is None:
        return "not proven"
    return f"gap up to {percent(1 - result.bound / float(result.value), 1)}"
