"""`evaluate`: the checker's answer on a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from euclio.core import families
from euclio.core.family import Checked

if TYPE_CHECKING:
    from euclio.problems.day import Day, DayEvaluation, DayPlan
    from euclio.problems.fragments import Fleet, FleetEvaluation, FragmentPlan, FragmentSpace
    from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, PlanEvaluation
    from euclio.problems.session import Evaluation, Plan, PlanSpace, Session


@overload
def evaluate(instance: Session, plan: Plan, space: PlanSpace | None = None) -> Evaluation: ...
@overload
def evaluate(instance: Cluster, plan: PipelinePlan, space: PipelineSpace | None = None) -> PlanEvaluation: ...
@overload
def evaluate(instance: Fleet, plan: FragmentPlan, space: FragmentSpace | None = None) -> FleetEvaluation: ...
@overload
def evaluate(instance: Day, plan: DayPlan, space: Any = None) -> DayEvaluation: ...
def evaluate(instance: Any, plan: Any, space: Any = None) -> Checked:
    """Check and price a plan of any family.

    Args:
        instance: a session, cluster, fleet or day.
        plan: a plan of it.
        space: plan space of the plan; None means the full one.

    Returns:
        The checker's answer.
    """
    return families.evaluate(instance, plan, space)
