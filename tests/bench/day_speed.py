"""`day-exact` on loads over time: six modules under smooth and noisy loads, with and without a stock; one module."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from euclio.core.registry import find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.core.words import duration, percent
from euclio.problems.day import Day
from euclio.problems.session import Session
from tests.bench.day_instances import chains, day, days, planner
from tests.bench.measuring import bar
from tests.bench.report import Line, Section

TIME_TARGET_S, GAP_TARGET = 10.0, 0.02
CHAIN_GAP_TARGET, CHAIN_TIME_TARGET_S = 0.01, 60.0
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
    lines += _chain_lines()
    return [Section(f"A day of {len(known[0].steps)} steps (one core)", tuple(lines))]


def _chain_lines() -> list[Line]:
    """How many days of chains are close to their bound, and the largest gap and time."""
    known = list(chains())
    with bar("days of chains", len(known)) as advance:
        gaps, seconds = [], []
        for own in known:
            result = solve(own, "day-exact", time_limit_s=CHAIN_TIME_TARGET_S)
            assert result.value is not None
            assert result.bound
            gaps.append(float(result.value) / result.bound - 1)
            seconds.append(result.wall_s)
            advance()
    close = sum(gap <= CHAIN_GAP_TARGET for gap in gaps)
    return [
        Line(
            f"days of seven models in a chain: within {percent(CHAIN_GAP_TARGET)}",
            f"{close} of {len(known)}",
            f"{len(known)}",
            close == len(known),
        ),
        Line("days of seven models in a chain: most over the bound", percent(max(gaps))),
        Line(
            "days of seven models in a chain: longest time",
            duration(max(seconds)),
            f"≤ {duration(CHAIN_TIME_TARGET_S)}",
            max(seconds) <= CHAIN_TIME_TARGET_S,
        ),
    ]


def _lines(own: Day, result: AnyResult) -> list[Line]:
    if result.value is None or not result.bound:
        return [Line(f"{own.name}: plan", result.status.value, "a plan", False)]
    gap = float(result.value) / result.bound - 1
    return [
        Line(
            f"{own.name}: over its bound",
            percent(gap),
            f"≤ {percent(GAP_TARGET)}",
            gap <= GAP_TARGET,
        ),
        Line(
            f"{own.name}: time",
            duration(result.wall_s),
            f"≤ {duration(TIME_TARGET_S)}",
            result.wall_s <= TIME_TARGET_S,
        ),
    ]


def _one_module(session: Session) -> Day:
    module = session.modules[1]
    return day(Session("one-module", session.slo_s, session.hardware, [module]), "noisy")


def _with_stock(own: Day) -> Day:
    hardware = [replace(h, count=STOCK.get(h.name)) for h in own.session.hardware]
    return replace(own, name=f"{own.name}-stock", session=replace(own.session, hardware=tuple(hardware)))
