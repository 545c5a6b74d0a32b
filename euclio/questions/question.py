"""Questions about a session that take many plans to answer: their solver and plan space, and the plans found (ours)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from euclio.core.result import AnyResult, Result, Status
from euclio.core.solver import AnySolver
from euclio.core.solving import solve
from euclio.core.space_fields import in_words
from euclio.core.words import figures, percent, rounded_down
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.costs import cost_by_hardware
from euclio.problems.session.evaluate import Evaluation, bought_machines
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.of_requests import caveat
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment.demand import Demand

SessionResult = Result[Plan, PlanSpace, Evaluation]


class Solving(Protocol):
    """Solves an instance, as `euclio.core.solving.solve` does."""

    def __call__(self, instance: Any, solver: str | AnySolver | None = None, **options: Any) -> SessionResult:
        """The checked result."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a session; each kind of question adds the values that it varies.

    Attributes:
        session: the session as it is in its file.
        changes: changes of the session in all plans; None means no changes.
        solver: the solver of all plans.
        space: the plan space of all plans.
        time_limit_s: limit of each run in seconds; None means no limit.
        demand: the demand that all plans keep under random arrivals; None means no demand.
    """

    session: Session
    changes: SessionChanges | None
    solver: AnySolver
    space: PlanSpace
    time_limit_s: float | None
    demand: Demand | None = field(default=None, kw_only=True)

    def solving(self) -> Solving:
        """The function that solves a point: `euclio.core.solving.solve`, or one whose plans keep the demand."""
        if self.demand is None:
            return solve
        from euclio.serving.attainment.attaining import Fronts

        return Fronts(self.demand)

    def solved(self, solving: Solving, session: Session, space: PlanSpace) -> SessionResult:
        """The result on a varied session, in a varied plan space."""
        return solving(session, self.solver, space=space, time_limit_s=self.time_limit_s)

    def lines(self, by: str, *further: str) -> list[str]:
        """The lines above a table: the variable of the costs, changes, further lines, solver and plan space."""
        currency = f", prices in {self.session.currency}" if self.session.currency else ""
        changed = [] if self.changes is None else [f"with {self.changes.in_words()}"]
        solved = f"solver {self.solver.name}; plan space: {in_words(self.space)}"
        kept = [] if self.demand is None else [self.demand.in_words(self.session)]
        said = caveat(self.session, self.space) if self.demand is None else ""
        doubts = [said] if said else []
        return [f"{self.session.name}: cost per hour by {by}{currency}", *changed, *further, *kept, solved, *doubts]

    def described(self, schema: str) -> dict[str, Any]:
        """The question as plain data, the first fields of an answer."""
        return {
            "schema": schema,
            "instance": self.session.name,
            "currency": self.session.currency,
            "solver": self.solver.name,
            "space": self.space.describe(),
            **({} if self.demand is None else {"attainment": self.demand.describe(self.space.policy)}),
        }


@dataclass(frozen=True, slots=True)
class Solved:
    """One of the plans that answer a question.

    Attributes:
        session: the varied session.
        result: the checked result.
    """

    session: Session
    result: SessionResult

    @property
    def checked(self) -> tuple[Plan, Evaluation] | None:
        """The plan with the checker's answer; None if there is no plan."""
        plan, found = self.result.plan, self.result.evaluation
        return None if plan is None or found is None or self.result.value is None else (plan, found)

    @property
    def cost_per_h(self) -> Fraction | None:
        """Money per hour, as checked; None if there is no plan."""
        return self.result.value

    @property
    def machines(self) -> dict[str, Fraction]:
        """Machines of each hardware type that its plan is charged for; empty without a plan."""
        if self.checked is None:
            return {}
        plan, found = self.checked
        partial = [module.partial_rps for module in found.modules]
        return bought_machines(self.session, plan, partial, self.result.space)

    @property
    def cost_by_hardware(self) -> dict[str, Fraction]:
        """Money per hour of each hardware type; empty without a plan."""
        return {} if self.checked is None else cost_by_hardware(self.session, *self.checked)

    @property
    def kept(self) -> Stated | None:
        """The attainment of its plan under random arrivals; None without a plan or a demand."""
        return stated(self.result)

    def cost_in_words(self) -> str:
        """The cost per hour, with the gap if the plan is not proven to be the cheapest; without a plan the reason."""
        result = self.result
        if result.value is None:
            return result.status.value
        if result.status is Status.OPTIMAL:
            return figures(result.value)
        if result.bound is None:
            return f"≤ {figures(result.value)}"
        return f"{figures(result.value)} (gap {percent(1 - result.bound / float(result.value), 1)})"


def used_hardware(session: Session, points: Iterable[Solved]) -> list[str]:
    """The hardware types that the plan of some point uses, in the order of the session."""
    used = {name for point in points for name, count in point.machines.items() if count}
    return [h.name for h in session.hardware if h.name in used]


@dataclass(frozen=True, slots=True)
class Stated:
    """The attainment of a plan.

    Attributes:
        share: requests answered within the SLO, of all that were served when it was judged.
        least: a lower bound on the true share, with the confidence.
        confidence: of each bound by itself.
        requests: number of requests in the judgement.
    """

    share: float
    least: float
    confidence: float
    requests: int

    def in_words(self) -> str:
        """The share, and its bound rounded down."""
        return f"{percent(self.share)}, ≥ {percent(rounded_down(self.least))}"


def stated(result: AnyResult) -> Stated | None:
    """The attainment that a result states; None without a plan or a demand."""
    asked, stats = result.options.get("attainment"), result.stats
    if asked is None or result.value is None or "attainment_at_least" not in stats:
        return None
    requests = int(stats["validated_requests"])
    return Stated(stats["attainment"], stats["attainment_at_least"], asked["confidence"], requests)


def described(kept: Stated | None) -> dict[str, Any]:
    """The attainment as plain data; without a plan the fields are the same."""
    return {
        "attainment": None if kept is None else kept.share,
        "attainment_at_least": None if kept is None else kept.least,
        "judged_requests": None if kept is None else kept.requests,
    }
