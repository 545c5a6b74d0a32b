"""The verbs with the types of each family: what `from euclio import solve, evaluate` gives."""

from __future__ import annotations

from typing import Any, overload

from euclio.core import families, solving
from euclio.core.family import Checked, Explained
from euclio.core.progress import waiting
from euclio.core.result import AnyResult, Result
from euclio.core.solver import AnySolver, Solver
from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace, PlanEvaluation
from euclio.session import Evaluation, Plan, PlanSpace, Session
from euclio.session.explain.explaining import Explanation
from euclio.session.explain.explaining import explain as explain_session

SessionResult = Result[Plan, PlanSpace, Evaluation]
ClusterResult = Result[PipelinePlan, PipelineSpace, PlanEvaluation]


@overload
def solve(
    instance: Session, solver: str | Solver[Session, PlanSpace, Plan] | None = None, **options: Any
) -> SessionResult: ...
@overload
def solve(instance: Cluster, solver: str | AnySolver | None = None, **options: Any) -> ClusterResult: ...
def solve(instance: Any, solver: str | AnySolver | None = None, **options: Any) -> AnyResult:
    """Solve an instance and check the plan; arguments and errors as in `euclio.core.solving.solve`."""
    return solving.solve(instance, solver, **options)


@overload
def evaluate(instance: Session, plan: Plan, space: PlanSpace | None = None) -> Evaluation: ...
@overload
def evaluate(instance: Cluster, plan: PipelinePlan, space: PipelineSpace | None = None) -> PlanEvaluation: ...
def evaluate(instance: Any, plan: Any, space: Any = None) -> Checked:
    """Check and price a plan of any family; arguments as in `euclio.core.families.evaluate`."""
    return families.evaluate(instance, plan, space)


@overload
def explain(session: Session, space: PlanSpace | None = None, time_limit_s: float | None = None) -> Explanation: ...
@overload
def explain(session: Any, space: Any = None, time_limit_s: float | None = None) -> Explained: ...
def explain(session: Any, space: Any = None, time_limit_s: float | None = None) -> Explanation | Explained:
    """Why an instance has no plan, or how much room it has.

    Args:
        session: a session, or an instance of any family.
        space: plan space; None: the full one.
        time_limit_s: limit of all searches together.

    Returns:
        Of a session its `Explanation`, which can be asked further; else what the family says.
    """
    known = families.family_of(session)
    asked = known.full_space if space is None else space
    with waiting(f"explaining {session.name}"):
        return (
            explain_session(session, asked, time_limit_s)
            if isinstance(session, Session)
            else known.explain(session, asked, time_limit_s)
        )
