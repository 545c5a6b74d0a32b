"""`day-exact`: the least cost of a load over time (docs/model/load-over-time.md)."""

from __future__ import annotations

from typing import Any

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.day import Day, DayPlan
from formulations.day.answers import Made, answer
from formulations.day.one_module import cheapest_of_one_module
from formulations.day.several_modules import cheapest_of_several_modules


def solve_day(day: Day, space: Any, limits: Limits[Any]) -> Answer[DayPlan]:
    """The cheapest plan: proven for one module; for several a plan and a bound."""
    make = cheapest_of_one_module if len(day.session.modules) == 1 else cheapest_of_several_modules

    def made(deadline: float, exact: bool) -> Made:
        return make(day, deadline, exact)

    return answer(day, limits, made)
