"""Written results against the checker: everything that a result file says about its plan."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.families import family_of
from euclio.core.result import Status
from euclio.core.tolerances import WRITTEN_TOLERANCE
from euclio.core.words import full

if TYPE_CHECKING:
    from euclio.core.family import Checked
    from euclio.core.result import WrittenResult


def reasons_against(instance: Any, written: WrittenResult, evaluation: Checked) -> list[str]:
    """Why a written result with a plan is refused; empty: it is accepted.

    Args:
        instance: the instance that it is a result of.
        written: what its file says.
        evaluation: the checker's answer on its plan under its plan space.
    """
    if evaluation.violations:
        return list(evaluation.violations)
    figures = family_of(instance).plan_files().figures(instance, written.plan, evaluation)
    value, goal, bound = evaluation.value, written.goal, written.bound
    assert value is not None
    reasons = [_difference(goal.value_field, written.value, value)]
    reasons += [_difference(name, written.figures.get(name), checked) for name, checked in figures.items()]
    reasons.append(goal.wrong_claim(value, written.claimed))
    reasons.append(goal.contradiction(value, bound))
    if written.status is Status.OPTIMAL and not reasons[-1] and not goal.proven(value, bound):
        reasons.append(f"status is optimal, but {goal.bound_field} does not reach the {goal.name}")
    if written.status not in (Status.OPTIMAL, Status.FEASIBLE):
        reasons.append(f"status is {written.status.value}, but there is a feasible plan")
    return [reason for reason in reasons if reason]


def _difference(name: str, written: Fraction | None, checked: Fraction) -> str:
    if written is not None and abs(written - checked) <= WRITTEN_TOLERANCE * abs(checked):
        return ""
    return f"{name} is written as {full(written, digits=12, none='null')}, checked as {full(checked, digits=12)}"
