"""From plans of the family `day` to answers: repeated checks, and reasons for a missing plan."""

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
    """The serving machines, and the other running ones as idle; `machines` are all that run, by hardware type."""
    idle = dict(machines)
    for one in serving:
        idle[one.hardware] -= one.machines
    return Staffing(serving, tuple(Idle(name, n) for name, n in idle.items() if n > 0))


def day_plan(steps: Iterable[Sequence[Staffing]]) -> DayPlan:
    """The plan of the staffings of each step, one per module."""
    return DayPlan(tuple(StepPlan(tuple(modules)) for modules in steps))


class NoPlanError(Exception):
    """It is proven that no plan serves a step, which the message names."""


class RuleError(Exception):
    """A rule has no plan, for the reason in the message; this proves nothing about other plans."""


class Made(NamedTuple):
    """The result of a method.

    Attributes:
        plan: a plan.
        bound: a proven bound on the cost of all plans; None if there is none.
        reason: the failure, if any; empty otherwise.
        checked: the checker's answer on the plan; None if it did not run.
    """

    plan: DayPlan
    bound: float | None = None
    reason: str = ""
    checked: DayEvaluation | None = None


def answer(day: Day, limits: Limits[Any], make: Callable[[Day, float, bool], Made]) -> Answer[DayPlan]:
    """The answer of a function that makes a plan.

    Modules without requests all day have no machines in it, and the function does not see them.

    Args:
        day: the instance.
        limits: limits of the run.
        make: the function. It takes a load with requests in all modules, a deadline on the clock of
            `time.perf_counter`, and whether to compare in fractions, and returns a plan. In floats the plan may miss an
            SLO by rounding; then it is made again in fractions.
    """
    deadline, used = limits.deadline(), without_unused(day)
    if used is None:
        return Answer(_for_all(day, DayPlan((StepPlan(()),) * len(day.steps))), "done", claimed=0.0, bound=0.0)
    try:
        made = make(used, deadline, False)
        checked = made.checked or evaluate(used, made.plan)
        # In floats a vector may serve because of rounding only; in fractions none does.
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
    """The reason if no plan serves a step, given by its number from 0."""
    rates = ", ".join(f"{float(rate):g}" for rate in day.steps[k].rates_rps[:6])
    return NoPlanError(f"step {k + 1} of {len(day.steps)} has no plan at {rates} req/s within the SLO and the stock")
