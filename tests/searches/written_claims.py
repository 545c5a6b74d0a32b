"""Results as a file would say them, with the claim that a search wants tried."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.families import family_of
from euclio.core.result import Status, WrittenResult


def claim(
    instance: Any, space: Any, status: Status, *, bound: Fraction | None = None, plan: Any | None = None
) -> WrittenResult:
    """What a result says that has this status, bound and plan; its figures are those of the checker."""
    family = family_of(instance)
    checked = None if plan is None else family.evaluate(instance, plan, space)
    figures = {} if checked is None else family.plan_files().figures(instance, plan, checked)
    return WrittenResult(
        instance=instance.name,
        solver="drawn",
        space=space,
        goal=family.goal(space),
        status=status,
        value=None if checked is None else checked.value,
        claimed=None,
        bound=bound,
        figures=figures,
        plan=plan,
        changed=instance,
        changes=None,
    )


def infeasible(instance: Any, space: Any) -> WrittenResult:
    """There is no plan."""
    return claim(instance, space, Status.INFEASIBLE)


def bounded(instance: Any, space: Any, cutoff: Fraction) -> WrittenResult:
    """No plan is better than a cutoff: the bound is such that with its tolerance it lies there."""
    goal = family_of(instance).goal(space)
    room = Fraction(str(goal.tolerance))
    return claim(instance, space, Status.UNKNOWN, bound=cutoff / (1 + room if goal.maximised else 1 - room))


def optimal(instance: Any, space: Any, plan: Any) -> WrittenResult | None:
    """No plan is better than this one; None: it is no plan of the plan space."""
    checked = family_of(instance).evaluate(instance, plan, space)
    if not checked.feasible or checked.value is None:
        return None
    return claim(instance, space, Status.OPTIMAL, bound=checked.value, plan=plan)
