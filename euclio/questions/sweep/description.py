"""A grid as plain data for the page and the widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.core.families import family_of
from euclio.core.result import Status
from euclio.core.words import counted, figures, full, percent
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.parts_of_plans import objectives_kept
from euclio.problems.session.resources import machine_limits
from euclio.questions.sweep.grid import Grid, Place, Point, Swept

MOST_NAMED = 4
"""The most modules of a path that are named; of a longer path only the ends are."""


@dataclass(frozen=True, slots=True)
class LimitUse:
    """The use of a limit by a plan.

    Attributes:
        limit: its name.
        share: the part of the limit in use, from 0 to 1.
        words: the same in words, and the largest user.
    """

    limit: str
    share: Fraction
    words: str


def uses(point: Point) -> list[LimitUse]:
    """The use of each limit by the plan of a point, the objective first; empty without a plan."""
    if point.checked is None:
        return []
    _, found = point.checked
    session, machines = point.session, point.machines
    rows = _objectives(session, found)
    for limit in machine_limits(session):
        taken = limit.taken(machines, session.spare_machines)
        share = taken / limit.capacity if limit.capacity else Fraction(1)
        what = "machines" if limit.is_stock else f"of {limit.name}"
        label = f"stock of {limit.name}" if limit.is_stock else limit.name
        rows.append(LimitUse(label, share, f"{full(taken, digits=4)} of {full(limit.capacity)} {what}"))
    return rows


def _objectives(session: Session, found: Evaluation) -> list[LimitUse]:
    """The longest path against each objective, and the module on it that takes the most."""
    latency = [module.worst_case_latency_s for module in found.modules]
    kept = objectives_kept(session, latency)
    if not kept:
        return [_objective(session, latency, "SLO", session.slo_s, *longest_path(session, latency))]
    return [_objective(session, latency, one.name, one.slo_s, one.latency_s, one.path) for one in kept]


def _objective(
    session: Session,
    latency_s: Sequence[Fraction],
    label: str,
    slo_s: Fraction,
    length_s: Fraction,
    names: Sequence[str],
) -> LimitUse:
    words = f"{figures(length_s)} of {full(slo_s)} s at worst"
    if len(names) > 1:
        most = max(names, key=lambda name: latency_s[session.index[name]])
        words += f" on {_path(names)}; most of it {most}, {figures(latency_s[session.index[most]])} s"
    return LimitUse(label, length_s / slo_s, words)


def _path(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return " -> ".join(names)
    return f"{names[0]} -> ... -> {names[-1]} ({counted(len(names), 'module')})"


class Reasons:
    """Why points have no plan, in one line each; points with the same session and charging share one.

    Args:
        limit_s: seconds for each explanation.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._known: dict[tuple[Session, str, str], str] = {}

    def of(self, point: Point) -> str:
        """The line; empty if there is a plan."""
        result = point.result
        if point.checked is not None:
            return ""
        if result.status is not Status.INFEASIBLE:
            return result.reason or "no plan was found within the time limit"
        known = (point.session, point.charging.value, result.reason)
        if known not in self._known:
            why = family_of(point.session).why_infeasible
            self._known[known] = why(point.session, result, self._limit_s)
        return self._known[known]


SCHEMA = "euclio/what-if-sweep/1"
REASON_LIMIT_S = 1.0
"""Seconds of the search for the reason why a point has no plan."""


def describe(found: Swept) -> dict[str, Any]:
    """The grid and the known results of its points, as plain data with fractions.

    Returns:
        `euclio/what-if-sweep/1` (docs/formats/printed.md): `grid`, and `points` by place, such as "2,2,1,0". Each
        point has an entry for each way of charging.
    """
    reasons, asked = Reasons(REASON_LIMIT_S), found.question
    places = sorted({place for place, _ in found.points})
    points = {
        key(place): [entry(found.point(place, way), asked, reasons) for way in asked.chargings] for place in places
    }
    return {**asked.described(SCHEMA), "grid": grid(asked), "points": points}


def grid(asked: Grid) -> dict[str, Any]:
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


def entry(point: Point, asked: Grid, reasons: Reasons) -> dict[str, Any]:
    """A point: outcome, costs per hour, machines in the order of the session's hardware, its limits or the reason."""
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
    """The proof of a point, in a few words."""
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
