"""The least cost by the most machines that may be added to the running machines and removed (ours).

The more changes are allowed, the less a plan costs, until the cheapest plan of all is allowed. So it is enough to know
where the cost falls. Between two limits with the same cost, the cost is the same everywhere. Below a limit without a
plan, there is no plan. A plan that is the cheapest under one limit is also the cheapest under each smaller limit that
it keeps. The search halves the widest and steepest gaps until none is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.showing import Framed, Plotted
from euclio.core.solver import AnySolver
from euclio.core.solving import solver_for
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import MachineChanges, counts_of
from euclio.problems.session.rules import Charging
from euclio.problems.session.space import PlanSpace
from euclio.questions.question import Question, Solved, Solving
from euclio.serving.attainment.demand import Demand

MOST_SOLVED = 60
"""Limits that are solved at most; if the cost falls at more of them, some falls are merged."""
LESS = 1 - Fraction(1, 10**9)
"""A cost falls if it falls by more than the tolerance of proofs."""


@dataclass(frozen=True, slots=True)
class Step(Solved):
    """The cheapest plan with at most so many changes.

    Attributes:
        most: most machines added and removed together; None means any number.
    """

    most: int | None

    @property
    def changes(self) -> int | None:
        """Machines that its plan adds and removes; None without a plan."""
        return None if self.checked is None else self.checked[1].changes

    @property
    def moves(self) -> MachineChanges:
        """The machines that its plan adds and removes; empty without a plan."""
        running = self.session.running
        if self.checked is None or running is None:
            return MachineChanges({}, {})
        plan, found = self.checked
        new = counts_of(self.session, plan, [module.partial_rps for module in found.modules])
        return MachineChanges(dict(new - running.counts), dict(running.counts - new))


@dataclass(frozen=True, slots=True)
class ByChanges(Question):
    """A question: the most machines that may be added to the running ones and removed from them.

    Attributes:
        changed: the session with its changes, without a limit on changes of machines.
        most: largest limit to solve; None means up to the limit that allows the cheapest plan of all.
    """

    changed: Session
    most: int | None

    def limited(self, most: int | None) -> Session:
        """The session with at most this many changes of machines; None means any number."""
        running = self.changed.running
        assert running is not None
        return replace(self.changed, running=replace(running, most_changes=most))


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Framed, Plotted):
    """The answer.

    Attributes:
        question: the question.
        tried: the limits that are known, ascending; a limit without a plan comes first.
        free: the cheapest plan without a limit.
        complete: whether every fall of the cost between no changes and the last of `tried` is known.
    """

    _view = late_value("euclio.questions.views", "CURVE")

    question: ByChanges
    tried: tuple[Step, ...]
    free: Step
    complete: bool

    @property
    def steps(self) -> tuple[Step, ...]:
        """The fewest changes that have a plan, and each larger number at which the cost falls."""
        found: list[Step] = []
        for step in self.tried:
            cost = step.cost_per_h
            if cost is not None and (not found or _falls(found[-1].cost_per_h, cost)):
                found.append(step)
        return tuple(found)

    @property
    def running_per_h(self) -> Fraction:
        """Money per hour of the running machines whose hardware the session still has."""
        running, price = self.question.changed.running, self.question.changed.price
        assert running is not None
        return sum((own.machines * price.get(own.hardware, Fraction(0)) for own in running.machines), Fraction(0))

    @property
    def without_plan(self) -> Step | None:
        """The largest limit without a plan, or without one that was found; None if a plan needs no changes."""
        return next((step for step in reversed(self.tried) if step.cost_per_h is None), None)

    @property
    def reached(self) -> bool:
        """Whether the last step costs as little as a plan without a limit."""
        last, least = self.tried[-1].cost_per_h if self.tried else None, self.free.cost_per_h
        return last is not None and least is not None and not _falls(last, least)

    def saved(self, step: Step) -> Fraction | None:
        """Money per hour that a step saves against the fewest changes that have a plan; None if it has none."""
        first = self.steps[0].cost_per_h if self.steps else None
        return None if first is None or step.cost_per_h is None else first - step.cost_per_h

    def part_of_saving(self, step: Step) -> Fraction | None:
        """The saving of a step as a share of what any number of changes saves; None if there is nothing to save."""
        saved, most = self.saved(step), self.saved(self.free)
        return None if saved is None or not most else saved / most


def change_costs(session: Session, *, solving: Solving | None = None, **asked: object) -> Curve:
    """The cost of a session's cheapest plan as a function of the most machines that may change.

    Args:
        session: the session.
        solving: the function that solves a limit.
        **asked: as of `question`.
    """
    return answered(question(session, **asked), solving)  # type: ignore[arg-type]


def question(
    session: Session,
    *,
    changes: SessionChanges | None = None,
    most: int | None = None,
    solver: str | AnySolver | None = None,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
    demand: Demand | None = None,
) -> ByChanges:
    """A question about a session.

    Args:
        session: the session.
        changes: changes of the session at all steps; they must name running machines if the session names none.
        most: largest limit on changes of machines; None means up to the limit that allows the cheapest plan of all.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own, with whole machines.
        time_limit_s: limit of each run in seconds; None means no limit.
        demand: the demand that all plans keep under random arrivals; None means no demand.

    Raises:
        InputError: nothing runs, or changes that do not go with the session.
    """
    chosen = solver_for(family_of(session), solver)
    changed = session if changes is None else changes.applied_to(session)
    if changed.running is None:
        raise InputError("is needed: the result whose plan runs", field="--from")
    whole = replace(chosen.space, charging=Charging.WHOLE)
    return ByChanges(session, changes, chosen, space or whole, time_limit_s, changed, most, demand=demand)


@told("solving all numbers of changes")
def answered(asked: ByChanges, solving: Solving | None = None) -> Curve:
    """The answer to a question; `solving` solves a limit, by default as the question's demand requires.

    Raises:
        InputError: the solver does not cover limits on changes.
    """
    solving = solving or asked.solving()
    # First with a limit, so that a solver that covers none is refused even if nothing has to change.
    known: dict[int, Step] = {}
    _note(asked, known, _solved(asked, 0, solving))
    free = _solved(asked, None, solving)
    if free.changes is None:
        return Curve(asked, (), free, True)
    end = free.changes if asked.most is None else min(asked.most, free.changes)
    if end == free.changes:
        _note(asked, known, _kept(asked, free, end))
    elif end not in known:
        _note(asked, known, _solved(asked, end, solving))
    solved = 0
    while gaps := list(_gaps(known)):
        if solved == MOST_SOLVED:
            break
        low, high = max(gaps, key=lambda gap: _weight(known, *gap))
        _note(asked, known, _solved(asked, (low + high) // 2, solving))
        solved += 1
    return Curve(asked, tuple(known[most] for most in sorted(known)), free, not gaps)


def _solved(asked: ByChanges, most: int | None, solving: Solving) -> Step:
    session = asked.limited(most)
    result = asked.solved(solving, session, asked.space)
    if result.status is Status.INAPPLICABLE:
        raise InputError(result.reason, field="--solver")
    return Step(session, result, most)


def _note(asked: ByChanges, known: dict[int, Step], step: Step) -> None:
    """Add a step, and its plan at the number of changes that it makes if it is the cheapest there too."""
    assert step.most is not None
    # A plan that is known for fewer changes may be cheaper if a time limit was hit.
    better = [one for most, one in known.items() if most < step.most and one.cost_per_h is not None]
    best = min(better, key=lambda one: one.cost_per_h or Fraction(0), default=step)
    if step.cost_per_h is None or (best.cost_per_h is not None and best.cost_per_h < step.cost_per_h):
        step = step if best.cost_per_h is None else _kept(asked, best, step.most)
    known[step.most or 0] = step
    fewer = step.changes
    if fewer is not None and fewer not in known and step.result.status is Status.OPTIMAL:
        known[fewer] = _kept(asked, step, fewer)


def _kept(asked: ByChanges, step: Step, most: int) -> Step:
    """The plan of a step under another limit, which it keeps."""
    session, result = asked.limited(most), step.result
    assert result.plan is not None
    checked = evaluate(session, result.plan, result.space)
    kept = replace(result, evaluation=checked, value=checked.value, wall_s=0.0, of_instance=session)
    return Step(session, kept, most)


def _gaps(known: dict[int, Step]) -> Iterable[tuple[int, int]]:
    """Neighbouring limits with others between them, and different costs."""
    order = sorted(known)
    for low, high in pairwise(order):
        least = known[high].cost_per_h
        if high - low > 1 and least is not None and _falls(known[low].cost_per_h, least):
            yield low, high


def _weight(known: dict[int, Step], low: int, high: int) -> tuple[bool, Fraction]:
    """The rank of a gap between two limits: gaps in which plans begin come first, then by width and fall."""
    before, after = known[low].cost_per_h, known[high].cost_per_h
    assert after is not None
    return (True, Fraction(high - low)) if before is None else (False, (high - low) * (before - after))


def _falls(before: Fraction | None, after: Fraction | None) -> bool:
    """Whether a cost is lower than the one before it; any cost is lower than no plan."""
    return after is not None and (before is None or after < before * LESS)
