"""Plans within a stock for all steps of a day at once, held against the session's own `exact`."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.registry import Limits
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.day import Day, Step
from euclio.problems.day.evaluate import WHOLE
from euclio.problems.day.instance import at_rates
from euclio.problems.session import Configuration, Hardware, Module, Session
from formulations.day import cheapest
from formulations.day.cheapest import proven_within_stock
from formulations.day.known_plans import machines_of
from formulations.session.exact.solver import solve_exact


def _day(count: int | None, loads: list[tuple[int, int]]) -> Day:
    """Two modules in a chain; the fast machines cost twice as much and are in stock."""
    profile = [
        Configuration(name, batch, 1, Fraction(base + batch * each, 1000))
        for name, base, each in (("fast", 10, 5), ("slow", 30, 11))
        for batch in (1, 2, 4, 8)
    ]
    modules = [Module(name, 60, profile) for name in ("a", "b")]
    hardware = [Hardware("fast", 2, count), Hardware("slow", 1)]
    session = Session("stocked", Fraction(2, 5), hardware, modules, [("a", "b")])
    return Day("stocked", session, [Step(60, rates) for rates in loads], 30)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_is_proven_for_all_steps_at_once_is_what_exact_finds_for_each(count):
    """The choices know latencies to 1 % only: a proof that rested on them alone would differ here and there."""
    loads = [(rate, other) for rate in (5, 40, 90, 160) for other in (0, 30, 120)]
    day = _day(count, loads)
    free = np.full((len(loads), 2, 2), 6)
    proven = proven_within_stock(day, free)
    assert sum(found is not None for found in proven) >= len(loads) // 2
    for (staffings, bound), step in (
        (found, step) for found, step in zip(proven, day.steps, strict=True) if found is not None
    ):
        optimum = solve_exact(at_rates(day.session, step.rates_rps), WHOLE, Limits())
        on = machines_of(day, staffings)
        assert float((on.sum(axis=0) * [2, 1]).sum()) == pytest.approx(optimum.claimed)
        assert bound <= optimum.claimed
        assert on[:, 0].sum() <= count


def test_a_day_that_nothing_in_stock_serves_is_infeasible_and_no_crash():
    """No module has any choice there, so that there is nothing to look up."""
    day = _day(0, [(40, 40), (60, 60)])
    hardware = (day.session.hardware[0], Hardware("slow", 1, 0))
    empty = replace(day, session=replace(day.session, hardware=hardware))
    for solver in ("day-exact", "day-per-step", "day-peak"):
        assert solve(empty, solver).status in {Status.INFEASIBLE, Status.UNKNOWN}


def test_steps_within_a_stock_are_asked_of_exact_only_where_they_are_open(monkeypatch):
    """That is what makes a day within a stock quick: `exact` takes its time there."""
    day = _day(1, [(rate, 120) for rate in range(20, 160, 10)])
    asked = []

    def counted(session, *arguments):
        asked.append(bool(session.stock))
        return solve_exact(session, *arguments)

    monkeypatch.setattr(cheapest, "solve_exact", counted)
    plans = cheapest.cheapest_plans(day, Fraction(1), float("inf"), exact=False)
    for step in day.steps:
        assert plans(step.rates_rps) is not None
    assert sum(asked) <= len(day.steps) // 2
    assert len(asked) >= len(day.steps)
