"""From plans of the family `day` to answers: what is checked again, and what is said without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.day import Day, DayPlan, Idle, Staffing, StepPlan, evaluate
from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.instance import asked, without_unused
from euclio.problems.day.plan import Serving
from formulations.day.paths import LateError


def staffing(serving: tuple[Serving, ...], machines: dict[str, int]) -> Staffing:
    """What serves, and as idle what is on beyond it; `machines` are those on, by hardware type."""
    idle = dict(machines)
    for one in serving:
        idle[one.hardware] -= one.machines
    return Staffing(serving, tuple(Idle(name, n) for name, n in idle.items() if n > 0))


def day_plan(steps: Iterable[Sequence[Staffing]]) -> DayPlan:
    """The plan of the staffings of each step, one per module."""
    return DayPlan(tuple(StepPlan(tuple(modules)) for modules in steps))


class NoPlanError(Exception):
    """No plan serves a step (says which); it is proven."""


class RuleError(Exception):
    """A rule has no plan (says why), which proves nothing about others."""


class Made(NamedTuple):
    """What a method found.

    Attributes:
        plan: a plan.
        bound: a proven bound on the cost of all plans; None if there is none.
        reason: the failure, if any; empty otherwise.
        checked: what the checker says of the plan; None if it was not asked.
    """

    plan: DayPlan
    bound: float | None = None
    reason: str = ""
    checked: DayEvaluation | None = None


def answer(day: Day, limits: Limits[Any], make: Callable[[Day, float, bool], Made]) -> Answer[DayPlan]:
    """The answer of what makes a plan.

    Modules to which no requests come all day have no machines in it; what makes plans does not see them.

    Args:
        day: the instance.
        limits: limits of the run.
        make: a load whose modules all have requests, a deadline on the clock of `time.perf_counter`, and whether to
            compare in fractions, in; a plan out. In floats it may be a plan that misses an SLO by rounding; then it is
            made once more in fractions.
    """
    deadline, used = limits.deadline(), without_unused(day)
    if used is None:
        return Answer(_for_all(day, DayPlan((StepPlan(()),) * len(day.steps))), "done", claimed=0.0, bound=0.0)
    try:
        made = make(used, deadline, False)
        checked = made.checked or evaluate(used, made.plan)
        # In floats a vector may serve by rounding only; in fractions none does.
        if not checked.feasible:
            made = make(used, deadline, True)
            checked = made.checked or evaluate(used, made.plan)
    except NoPlanError as reason:
        return Answer(None, "infeasible", infeasible=True, reason=str(reason))
    except RuleError as reason:
        return Answer(None, "no plan", reason=str(reason))
    except LateError:
        return Answer(None, "time limit", reason="the time limit was hit; allow more time")
    value = None if checked.value is None else float(checked.value)
    return Answer(_for_all(day, made.plan), "done", claimed=value, bound=made.bound, reason=made.reason)


def _for_all(day: Day, plan: DayPlan) -> DayPlan:
    """The plan of the modules with requests as one of all modules."""
    places, rest = asked(day.largest_rates_rps), Staffing(())
    if len(places) == len(day.session.modules):
        return plan
    of_steps = (dict(zip(places, step.modules, strict=True)) for step in plan.steps)
    modules = range(len(day.session.modules))
    return DayPlan(tuple(StepPlan(tuple(own.get(m, rest) for m in modules)) for own in of_steps))


def nothing_serves(day: Day, k: int) -> NoPlanError:
    """What is said where no plan serves a step, by its number from 0."""
    rates = ", ".join(f"{float(rate):g}" for rate in day.steps[k].rates_rps[:6])
    return NoPlanError(f"step {k + 1} of {len(day.steps)} has no plan at {rates} req/s within the SLO and the stock")
