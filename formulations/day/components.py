"""Modules that no path joins: each such part of the DAG is a load over time of its own, but for the stock (ours).

Modules share the SLO with those on a path of theirs only. So the least cost is that of the parts together; where there
is a stock, it is a bound, and proven if the plans together keep it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from euclio.core.errors import InapplicableError
from euclio.problems.day import Day, DayPlan, StepPlan, evaluate
from euclio.problems.day.instance import of_modules
from euclio.problems.session import Session
from formulations.day.answers import Made, RuleError
from formulations.day.one_module import cheapest_of_one_module
from formulations.day.one_path import LateError

Part = tuple[int, ...]
"""Modules that paths join, by their places."""


def parts_of(session: Session) -> list[Part]:
    """The parts of the DAG, by their first modules."""
    parents = session.parents()
    part = list(range(len(parents)))
    for m in session.order:
        for parent in parents[m]:
            old, new = sorted((part[m], part[parent]), reverse=True)
            part = [new if one == old else one for one in part]
    return [tuple(m for m, one in enumerate(part) if one == first) for first in sorted(set(part))]


def cheapest_by_parts(day: Day, deadline: float, of_several: Callable[[Day, float], Made]) -> Made | None:
    """The cheapest plans of the parts as one, and the bound of all of them; None: there is one part, or no answer.

    Args:
        day: the instance.
        deadline: when to give up, on the clock of `time.perf_counter`; parts share the time.
        of_several: what plans a part of several modules, given a deadline.

    Raises:
        NoPlanError: nothing serves a step.
    """
    parts = sorted(parts_of(day.session), key=len)
    if len(parts) == 1:
        return None
    made: list[Made] = []
    try:
        for n, part in enumerate(parts):
            now = time.perf_counter()
            own, until = of_modules(day, part), now + (deadline - now) / (len(parts) - n)
            made.append(_of_one(own, until) if len(part) == 1 else of_several(own, until))
    except (RuleError, InapplicableError, LateError):
        # A part that is too large or late leaves no plan: all modules together are asked next.
        return None
    bounds = [one.bound for one in made if one.bound is not None]
    return Made(_together(day, parts, made), math.fsum(bounds) if len(bounds) == len(made) else None)


def _of_one(day: Day, deadline: float) -> Made:
    """The cheapest plan of one module, in fractions where floats miss the SLO by rounding."""
    made = cheapest_of_one_module(day, deadline, False)
    return made if evaluate(day, made.plan).feasible else cheapest_of_one_module(day, deadline, True)


def _together(day: Day, parts: Sequence[Part], made: Sequence[Made]) -> DayPlan:
    steps: list[StepPlan] = []
    for k in range(len(day.steps)):
        staffings = {
            m: own
            for part, one in zip(parts, made, strict=True)
            for m, own in zip(part, one.plan.steps[k].modules, strict=True)
        }
        steps.append(StepPlan(tuple(staffings[m] for m in sorted(staffings))))
    return DayPlan(tuple(steps))
