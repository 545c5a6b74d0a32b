"""`day-exact`: the least cost of a load over time (docs/model/load-over-time.md)."""

from __future__ import annotations

from typing import Any

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.day import Day, DayPlan
from formulations.day.answers import Made, answer
from formulations.day.one_module import cheapest_of_one_module
from formulations.day.several_modules import cheapest_of_several_modules


def solve_day(day: Day, space: Any, limits: Limits[Any]) -> Answer[DayPlan]:
    """The cheapest plan: proven for one module; for several a plan and a bound, which proves it if machines are few."""

    def made(used: Day, deadline: float, exact: bool) -> Made:
        if len(used.session.modules) == 1:
            return cheapest_of_one_module(used, deadline, exact)
        # Plans of several modules are exact already.
        return cheapest_of_several_modules(used, deadline)

    return answer(day, limits, made)
