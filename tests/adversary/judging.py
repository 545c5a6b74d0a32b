"""Judges an answer by the reference."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from euclio.core.families import family_of
from euclio.core.result import AnyResult, Status
from tests.drawn.truth import Truth

OVERRUN_S = 1.0
"""Seconds by which a solver may overrun its time limit."""


class Outcome(StrEnum):
    """The outcome of one run; the words are the columns of the table."""

    RIGHT = "right"
    WRONG_OPTIMUM = "wrong optimum"
    WRONG_INFEASIBLE = "wrong infeasible"
    WRONG_BOUND = "wrong bound"
    ERROR = "error"
    CRASH = "crash"
    HANG = "hang"
    REFUSED = "refused"
    """The instance was called bad input."""
    OVERRUN = "overrun"
    REFERENCE = "reference"
    """A plan that the checker accepts is better than the reference allows: the reference (or the checker) is wrong."""
    FEASIBLE = "feasible"
    UNKNOWN = "unknown"
    INAPPLICABLE = "inapplicable"
    UNJUDGED = "unjudged"
    """An answer without contradiction on an instance that is too large for the reference."""


WRONG = frozenset(
    {
        Outcome.WRONG_OPTIMUM,
        Outcome.WRONG_INFEASIBLE,
        Outcome.WRONG_BOUND,
        Outcome.ERROR,
        Outcome.CRASH,
        Outcome.HANG,
        Outcome.REFUSED,
        Outcome.OVERRUN,
        Outcome.REFERENCE,
    }
)
UNDECIDED = frozenset({Outcome.FEASIBLE, Outcome.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Judgement:
    """An outcome and, where it is not right, a line that says why."""

    outcome: Outcome
    why: str = ""


def judge(result: AnyResult, truth: Truth | None, instance: object, time_limit_s: float | None) -> Judgement:
    """Compare a checked result with the truth; None means the instance is too large for the reference."""
    if result.status is Status.ERROR:
        return Judgement(Outcome.ERROR, result.reason)
    if result.status is Status.INAPPLICABLE:
        return Judgement(Outcome.INAPPLICABLE, result.reason)
    found = Judgement(Outcome.UNJUDGED) if truth is None else _against(result, truth, instance)
    if found.outcome not in WRONG and time_limit_s is not None and result.wall_s > time_limit_s + OVERRUN_S:
        return Judgement(Outcome.OVERRUN, f"{result.wall_s:.1f} s, limit {time_limit_s:g} s")
    return found


def _against(result: AnyResult, truth: Truth, instance: object) -> Judgement:
    goal = family_of(instance).goal(result.space)
    if truth.infeasible:
        if result.value is not None:
            return Judgement(Outcome.REFERENCE, f"plan of {_text(result.value)}, reference: infeasible")
        right = result.status is Status.INFEASIBLE
        return Judgement(Outcome.RIGHT if right else Outcome.UNKNOWN, "" if right else "truth: infeasible")
    assert truth.lower is not None
    assert truth.upper is not None
    known = _text(truth.lower) if truth.exact else f"{_text(truth.lower)} to {_text(truth.upper)}"
    if result.status is Status.INFEASIBLE:
        return Judgement(Outcome.WRONG_INFEASIBLE, f"truth: {known}")
    best, beyond = (truth.lower, truth.upper) if goal.maximised else (truth.upper, truth.lower)
    tolerance = Fraction(goal.tolerance)
    bound_room = tolerance * (abs(best) or 1)  # as `Goal.gap` has it: a share of the value, of 1 where that is 0
    if result.bound is not None and _better(best, Fraction(result.bound), bound_room, goal.maximised):
        return Judgement(Outcome.WRONG_BOUND, f"{result.status} with bound {result.bound!r}, truth: {known}")
    if result.value is None:
        return Judgement(Outcome.UNKNOWN, f"truth: {known}")
    if _better(result.value, beyond, Fraction(0), goal.maximised):
        return Judgement(Outcome.REFERENCE, f"plan of {_text(result.value)}, reference: {known}")
    if result.status is not Status.OPTIMAL:
        return Judgement(Outcome.FEASIBLE, f"value {_text(result.value)}, bound {result.bound!r}, truth: {known}")
    if _better(best, result.value, tolerance * abs(result.value), goal.maximised):
        return Judgement(Outcome.WRONG_OPTIMUM, f"optimal {_text(result.value)}, truth: {known}")
    return Judgement(Outcome.RIGHT)


def _better(one: Fraction, other: Fraction, room: Fraction, maximised: bool) -> bool:
    """Whether one value is better than another by more than the room."""
    return one > other + room if maximised else one < other - room


def _text(value: Fraction) -> str:
    return repr(float(value))
