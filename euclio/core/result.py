"""Answers of solvers and checked results; claim and checked value are separate (docs/formats/result.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Generic

from typing_extensions import TypeVar

from euclio.core.lazy import late_value
from euclio.core.objective import Goal
from euclio.core.showing import Framed, Shown
from euclio.core.tolerances import BRACKET_TOLERANCE as BRACKET_TOLERANCE
from euclio.core.tolerances import OPTIMALITY_TOLERANCE as OPTIMALITY_TOLERANCE
from euclio.core.tolerances import PROOF_TOLERANCE as PROOF_TOLERANCE

PlanT = TypeVar("PlanT", default=Any)
SpaceT = TypeVar("SpaceT", default=Any)
EvaluationT = TypeVar("EvaluationT", default=Any)


class Status(StrEnum):
    """Outcome of a run."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"
    """No plan was found and none is ruled out: the run hit a limit or searched only some plans."""
    INAPPLICABLE = "inapplicable"
    ERROR = "error"


class WarmStart(StrEnum):
    """The solver's use of its warm start."""

    NONE = "none"
    """None was given."""
    USED = "used"
    IGNORED = "ignored"
    """The solver library rejected it (its log says so, or it never became the incumbent)."""


@dataclass(frozen=True, slots=True)
class TracePoint:
    """Incumbent and bound at one moment of a run.

    Attributes:
        wall_s: seconds since the solver started.
        incumbent: claimed value of the best plan so far; None if there is none yet.
        bound: proven bound so far; None if there is none yet.
    """

    wall_s: float
    incumbent: float | None
    bound: float | None


@dataclass(frozen=True, slots=True)
class Answer(Generic[PlanT]):
    """The unchecked answer of a solver; values are in the unit of the objective.

    Attributes:
        plan: its plan, None if it has none.
        raw_status: the solver's own word for how it ended.
        claimed: the plan's value as the solver computed it.
        bound: proven bound on the optimum of its plan space; None if there is none.
        infeasible: whether the solver proved that its plan space has no plan. Heuristics search only some plans, so
            they leave this False where they merely found none.
        stats: counters of the solver (iterations, nodes, …).
        reason: one line for the user where there is no plan.
        trace: incumbent and bound over time, where the solver reports them.
        warm_start: what became of the plan that it was given to start from.
        why: returns a longer reason than `reason`. It runs after the check of the answer, so that its failure cannot
            lose a proof. None if there is no longer reason.
    """

    plan: PlanT | None
    raw_status: str
    claimed: float | None = None
    bound: float | None = None
    infeasible: bool = False
    stats: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    trace: tuple[TracePoint, ...] = ()
    warm_start: WarmStart = WarmStart.NONE
    why: Callable[[], str] | None = None

    @classmethod
    def proven(
        cls,
        plan: PlanT,
        claimed: float,
        bound: float | None,
        reason: str,
        stats: dict[str, float],
        *,
        otherwise: str = "limit",
        tolerance: float = PROOF_TOLERANCE,
    ) -> Answer[PlanT]:
        """The answer of a minimisation: "optimal" where the bound meets the claim, else the reason why it does not.

        Args:
            plan: the best plan found.
            claimed: its value, at least 0.
            bound: lower bound on the value of every plan. None means no bound. A bound of 0 is dropped for a plan that
                costs something, because it is trivial.
            reason: why the bound does not meet the claim, where it does not.
            stats: counters of the solver.
            otherwise: the solver's own word where the bound does not meet the claim.
            tolerance: share of the claim within which the bound meets it.
        """
        bound = None if bound is None else min(bound, claimed)
        if bound is not None and bound >= claimed * (1.0 - tolerance):
            return cls(plan, "optimal", claimed, bound, stats=stats)
        return cls(plan, otherwise, claimed, bound if bound and bound > 0 else None, stats=stats, reason=reason)


@dataclass(frozen=True, slots=True, repr=False)
class Result(Framed, Generic[PlanT, SpaceT, EvaluationT]):
    """A checked answer; `value` is the checker's, never the solver's.

    Values are in the unit of the objective: money per hour (least is best), or weighted requests per second (most is).

    Attributes:
        instance: name of the instance.
        solver: name of the solver.
        options: plan space and limits of the run, as plain data.
        space: plan space that the plan was checked under.
        status: outcome.
        raw_status: the solver's own word.
        value: exact checked value, None without an accepted plan.
        claimed: the solver's claim.
        bound: proven bound; None if there is none.
        wall_s: seconds in the solver with model building, without imports and without data that the runs of an instance
            share, such as ranked profiles.
        plan: the plan, even if the checker refused it.
        evaluation: the checker's answer.
        stats: counters of the solver.
        reason: why there is no plan, or why it was refused.
        provenance: versions, machine and seed.
        trace: incumbent and bound over time, as claimed.
        warm_start: what became of the plan that the solver was given to start from.
        changes: changes of the named instance (`Family.changes`) before the run; None if there are none.
        of_instance: the instance itself, with these changes, for tables; None if it is not at hand. Equality of results
            ignores it.
        planned_for: the plan's assumed arrivals and attainment, and how it serves, as plain data; empty if the family
            does not state them.
    """

    _view = late_value("euclio.core.showing.results", "RESULT")

    instance: str
    solver: str
    options: dict[str, Any]
    space: SpaceT
    status: Status
    raw_status: str
    value: Fraction | None
    claimed: float | None
    bound: float | None
    wall_s: float
    plan: PlanT | None
    evaluation: EvaluationT | None
    stats: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)
    trace: tuple[TracePoint, ...] = ()
    warm_start: WarmStart = WarmStart.NONE
    changes: Any = None
    of_instance: Any = field(default=None, compare=False)
    planned_for: dict[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float | None:
        """The checked value as a float: the cost of a session's plan in money per hour; other families use `value`."""
        return None if self.value is None else float(self.value)

    @property
    def gap(self) -> float | None:
        """The relative gap between value and bound (absolute if the value is 0); None if either is unknown."""
        if self.value is None or self.bound is None:
            return None
        room = abs(float(self.value) - self.bound)
        return room / abs(float(self.value)) if self.value else room


AnyResult = Result[Any, Any, Any]


@dataclass(frozen=True, slots=True, repr=False)
class WrittenResult(Shown):
    """The unchecked content of a result file.

    Attributes:
        instance: name of the instance.
        solver: name of the solver.
        space: plan space for the check of the plan.
        goal: its objective.
        status: outcome as written.
        value: checked value as written, in the unit of the goal; None without a plan.
        claimed: the solver's claim as written; None if there is none.
        bound: proven bound as written; None if there is none.
        figures: the plan's other figures as written, by their place in the file.
        changed: the instance of the result: the given one with the changes that the file states. The checker uses this
            one.
        changes: these changes (`Family.changes`); None if there are none.
        options: plan space and options of the run as they stand in the file.
        planned_for: the plan's assumptions (`Result.planned_for`) as the file states them; empty if it states none.
    """

    _view = late_value("euclio.core.showing.results", "WRITTEN")

    instance: str
    solver: str
    space: Any
    goal: Goal
    status: Status
    value: Fraction | None
    claimed: Fraction | None
    bound: Fraction | None
    figures: dict[str, Fraction]
    plan: Any
    changed: Any
    changes: Any
    options: dict[str, Any] = field(default_factory=dict)
    planned_for: dict[str, Any] = field(default_factory=dict)
