"""`day-exact` on loads over time: six modules under smooth and noisy loads, with and without a stock; one module."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from euclio.core.registry import find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.core.words import duration, percent
from euclio.day import Day
from euclio.session import Session
from tests.bench.day_instances import day, days, planner
from tests.bench.measuring import bar
from tests.bench.report import Line, Section

TIME_TARGET_S, GAP_TARGET = 10.0, 0.02
STOCK = {"T4": 3, "L4": 3}
"""Machines of the example that bind at its peaks."""


def day_speed(folder: Path) -> list[Section]:
    """The section; days of measured models are left out where `folder` has no measured sessions."""
    solver = find_solver("day-exact")
    warm_up(solver, solver.space)
    known = list(days(folder))
    alone = _one_module(planner())
    few = _with_stock(day(planner(), "noisy"))
    lines: list[Line] = []
    with bar("days", len(known) + 2) as advance:
        for own in (*known, few):
            lines += _lines(own, solve(own, "day-exact"))
            advance()
        result = solve(alone, "day-exact")
        lines.append(Line(f"{alone.name}: proven", result.status.value, "optimal", result.status is Status.OPTIMAL))
        lines.append(Line(f"{alone.name}: time", duration(result.wall_s)))
        advance()
    return [Section(f"A day of {len(known[0].steps)} steps (one core)", tuple(lines))]


def _lines(own: Day, result: AnyResult) -> list[Line]:
    if result.value is None or not result.bound:
        return [Line(f"{own.name}: plan", result.status.value, "a plan", False)]
    gap = float(result.value) / result.bound - 1
    target = own.session.stock == {}
    return [
        Line(
            f"{own.name}: over its bound",
            percent(gap),
            f"≤ {percent(GAP_TARGET)}" if target else "",
            gap <= GAP_TARGET if target else None,
        ),
        Line(
            f"{own.name}: time",
            duration(result.wall_s),
            f"≤ {duration(TIME_TARGET_S)}" if target else "",
            result.wall_s <= TIME_TARGET_S if target else None,
        ),
    ]


def _one_module(session: Session) -> Day:
    module = session.modules[1]
    return day(Session("one-module", session.slo_s, session.hardware, [module]), "noisy")


def _with_stock(own: Day) -> Day:
    hardware = [replace(h, count=STOCK.get(h.name)) for h in own.session.hardware]
    return replace(own, name=f"{own.name}-stock", session=replace(own.session, hardware=tuple(hardware)))
