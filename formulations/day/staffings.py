"""From vectors of machines to plans of the family `day`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from euclio.problems.day import DayPlan, Idle, Staffing, StepPlan
from euclio.problems.day.plan import Serving


def staffing(serving: tuple[Serving, ...], machines: dict[str, int]) -> Staffing:
    """What serves, and as idle what is on beyond it; `machines` are those on, by hardware type."""
    idle = dict(machines)
    for one in serving:
        idle[one.hardware] -= one.machines
    return Staffing(serving, tuple(Idle(name, n) for name, n in idle.items() if n > 0))


def day_plan(steps: Iterable[Sequence[Staffing]]) -> DayPlan:
    """The plan of the staffings of each step, one per module."""
    return DayPlan(tuple(StepPlan(tuple(modules)) for modules in steps))
