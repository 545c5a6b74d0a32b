"""From plans of the family `day` to answers: what is checked again, and what is said without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.day import Day, DayPlan, evaluate
from formulations.day.one_path import LateError


class NoPlanError(Exception):
    """No plan serves a step (says which); it is proven."""


class RuleError(Exception):
    """A rule has no plan (says why), which proves nothing about others."""


class Made(NamedTuple):
    """What a method found.

    Attributes:
        plan: a plan.
        bound: a proven bound on the cost of all plans; None: there is none.
        reason: what did not go as it should have; empty: nothing.
    """

    plan: DayPlan
    bound: float | None = None
    reason: str = ""


def answer(day: Day, limits: Limits[Any], make: Callable[[float, bool], Made]) -> Answer[DayPlan]:
    """The answer of what makes a plan.

    Args:
        day: the instance.
        limits: limits of the run.
        make: a deadline on the clock of `time.perf_counter`, and whether to compare in fractions, in; a plan out. In
            floats it may be a plan that misses an SLO by rounding; then it is made once more in fractions.
    """
    deadline = limits.deadline()
    try:
        made = make(deadline, False)
        checked = evaluate(day, made.plan)
        if not checked.feasible:
            made = make(deadline, True)
            checked = evaluate(day, made.plan)
    except NoPlanError as reason:
        return Answer(None, "infeasible", infeasible=True, reason=str(reason))
    except RuleError as reason:
        return Answer(None, "no plan", reason=str(reason))
    except LateError:
        return Answer(None, "time limit", reason="the time limit was hit; allow more time")
    value = None if checked.value is None else float(checked.value)
    return Answer(made.plan, "done", claimed=value, bound=made.bound, reason=made.reason)


def nothing_serves(day: Day, k: int) -> NoPlanError:
    """What is said where no plan serves a step, by its number from 0."""
    rates = ", ".join(f"{float(rate):g}" for rate in day.steps[k].rates_rps[:6])
    return NoPlanError(f"step {k + 1} of {len(day.steps)} has no plan at {rates} req/s within the SLO and the stock")
