"""Common parts of both engines of PPipe's model: plan spaces, the best plan so far, the answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint, WarmStart
from euclio.problems.pipeline import Cluster, Objective, PipelinePlan, PipelineSpace, evaluate
from formulations.pipeline.columns.enumeration import Columns, Ints, enumerate_columns
from formulations.pipeline.columns.exact_search import search_exactly
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.plans import plan_of as plan_of_columns
from formulations.pipeline.columns.problem import Deadline, Progress, problem_of
from formulations.pipeline.columns.relaxation import relax
from formulations.pipeline.ppipe.points import Choice, choice_of, plan_of, value_of
from formulations.pipeline.ppipe.problem import Option, OutOfTimeError, PPipeProblem, ppipe_problem
from formulations.tolerances import GAP


@dataclass(slots=True)
class ClusterSearch:
    """The state of the search for the best plan of a cluster.

    Attributes:
        problem: the problem.
        limits: limits of the solver's run.
        started: `time.perf_counter` value when the run began.
        start: choice of the warm start; None if there is none, or it is not one of the model's.
        plan: best plan that the checker accepts; None if there is none yet.
        value: value of that plan by the solver's own arithmetic, exact, in the problem's unit.
        bound: proven bound in the problem's unit; None if there is none yet.
        infeasible: whether it is proven that there is no plan.
        raw_status: status of the engine's last run, in the engine's words.
        trace: incumbent and bound over time, in the problem's unit.
        warm: outcome of the warm start.
        stats: counters.
    """

    problem: PPipeProblem
    limits: Limits[PipelinePlan]
    started: float
    start: Choice | None = None
    plan: PipelinePlan | None = None
    value: Fraction | None = None
    bound: float | None = None
    infeasible: bool = False
    raw_status: str = ""
    trace: tuple[TracePoint, ...] = ()
    warm: WarmStart = WarmStart.NONE
    stats: dict[str, float] = field(default_factory=lambda: {"models": 0.0, "refused": 0.0})

    @property
    def most(self) -> bool:
        """Whether the largest value is the best."""
        return self.problem.space.objective is Objective.THROUGHPUT

    @property
    def left_s(self) -> float:
        """Remaining seconds; infinite means no limit."""
        limit = self.limits.time_limit_s
        return math.inf if limit is None else max(0.0, self.started + limit - time.perf_counter())

    def accept(self, choice: Choice) -> bool:
        """Have a choice checked and keep it if it is the best so far; whether it is a plan, or leaves a model out."""
        value = value_of(self.problem, choice)
        if self.most and value == 0:
            return True
        return self.take(plan_of(self.problem, choice), value)

    def take(self, plan: PipelinePlan, value: Fraction) -> bool:
        """Have a plan of this value checked and keep it if it is the best so far; whether it is a plan."""
        if not evaluate(self.problem.cluster, plan, self.problem.space).feasible:
            return False
        if self.value is None or (value > self.value if self.most else value < self.value):
            self.plan, self.value = plan, value
        return True

    def note_bound(self, bound: float | None) -> None:
        """Keep the tightest bound; no plan costs less than 0."""
        if bound is not None:
            nearer = min if self.most else max
            own = bound if self.most else max(bound, 0.0)
            self.bound = own if self.bound is None else nearer(self.bound, own)

    @property
    def closed(self) -> bool:
        """Whether bound and plan are close enough for optimality, or there is no plan at all."""
        if self.infeasible or self.value is None or self.bound is None:
            return self.infeasible
        value = float(self.value)
        return abs(self.bound - value) <= GAP * value

    def prove(self) -> None:
        """Note that no plan is better than the best one so far; without one there is no plan at all."""
        self.infeasible = self.value is None
        if self.value is not None:
            self.bound = float(self.value)

    @property
    def until(self) -> float:
        """The deadline on the clock of `time.perf_counter`; infinite means none."""
        limit = self.limits.time_limit_s
        return math.inf if limit is None else self.started + limit

    def _why_none(self) -> str:
        if self.infeasible:
            return "no plan serves every model within its SLO on these GPUs"
        if self.left_s <= 0:
            return "the time limit was hit"
        return f"the engine ended ({self.raw_status}) without a plan that the checker accepts"

    def answer(self) -> Answer[PipelinePlan]:
        """The answer so far."""
        unit, reason = self.problem.unit, ""
        if self.plan is None:
            reason = self._why_none()
        slots = self.problem.slots
        size = {
            "pipelines": float(len(slots)),
            "options": float(sum(len(options) for slot in slots for options in slot.places)),
        }
        return Answer(
            self.plan,
            self.raw_status,
            None if self.value is None else float(self.value * unit),
            None if self.infeasible else _times(self.bound, unit),
            self.infeasible,
            {**self.stats, **size},
            reason,
            tuple(replace(p, incumbent=_times(p.incumbent, unit), bound=_times(p.bound, unit)) for p in self.trace),
            self.warm,
        )


def _times(value: float | None, unit: Fraction) -> float | None:
    return None if value is None else value * float(unit)


def solve_in_time(
    cluster: Cluster,
    space: PipelineSpace,
    limits: Limits[PipelinePlan],
    solve: Callable[[ClusterSearch], Answer[PipelinePlan]],
    *,
    literal: bool = False,
) -> Answer[PipelinePlan]:
    """A solver's answer, also if time ran out during the listing of pipelines and their options.

    Args:
        cluster: the cluster.
        space: plan space.
        limits: limits of the solver's run.
        solve: completes a search that has no model yet.
        literal: whether to keep every pipeline, also an unusable one.

    Raises:
        InputError: a price or a load for least cost is missing.
    """
    started, deadline = time.perf_counter(), limits.deadline()
    try:
        problem = ppipe_problem(cluster, space, literal=literal, deadline=deadline)
    except OutOfTimeError:
        return Answer(None, "limit", reason="the time limit was hit while the model was made")
    given = limits.options.warm_start
    start = None if given is None else choice_of(problem, given)
    return solve(
        ClusterSearch(problem, limits, started, start, warm=WarmStart.NONE if given is None else WarmStart.IGNORED)
    )


def answer_at_once(search: ClusterSearch) -> Answer[PipelinePlan] | None:
    """The answer if some model cannot be served at all; None if there is a problem to solve."""
    problem = search.problem
    if problem.unserved is None:
        return None
    name = problem.cluster.models[problem.unserved].name
    reason = f"no pipeline of {name} meets its SLO on these GPUs"
    return Answer(None, "infeasible", infeasible=True, reason=reason)


# The best plan of a few known options in exact arithmetic; an engine adds further options (ours).
#
# Engines work within tolerances of about 1e-6 and cannot distinguish plans that differ by less. So their proposals only
# show which options matter. The columns' exact packing finds the best plan of all proposed options, and the engine is
# asked for a plan with another option that is as good within its tolerance. When there is none, the best plan of the
# known options is the best of all.


@dataclass(slots=True)
class Known:
    """Known options.

    Attributes:
        problem: the problem.
        options: by slot and place.
    """

    problem: PPipeProblem
    options: dict[tuple[int, int], set[Option]] = field(default_factory=dict)
    _columns: Columns | None = None

    def add(self, choice: Choice) -> bool:
        """Add the options of a choice; whether one of them is new."""
        new = False
        for i, places in choice.items():
            for d, (option, _) in enumerate(places):
                own = self.options.setdefault((i, d), set())
                new = new or option not in own
                own.add(option)
        return new

    def has(self, slot: int, place: int, option: Option) -> bool:
        """Whether an option is known."""
        return option in self.options.get((slot, place), ())

    @property
    def all(self) -> bool:
        """Whether there are no other options."""
        slots = enumerate(self.problem.slots)
        return all(self.has(i, d, o) for i, slot in slots for d, options in enumerate(slot.places) for o in options)

    def improve(self, search: ClusterSearch, until: float) -> None:
        """Have the best plan of the known options checked, if it is better than the best one before.

        Args:
            search: the state of the search.
            until: `time.perf_counter` value at which to stop; infinite means never.

        Raises:
            InapplicableError: there are too many pipelines to enumerate.
            UndecidedError: the known options have too many plans, or the time is over.
        """
        problem = self.problem
        if self._columns is None:
            self._columns = enumerate_columns(problem.cluster, problem.space)
        columns = self._columns.take(self._rows(self._columns))
        numbers = problem_of(problem.cluster, problem.space)
        if len(np.unique(columns.model)) < len(numbers.weight):
            return
        relaxation = relax(numbers, columns)
        if relaxation is None:
            return
        root = Node(numbers, columns, relaxation, Progress(relaxation.bound), Deadline(until))
        sign = 1 if search.most else -1
        known = None if search.value is None else sign * search.value * problem.unit
        found = search_exactly(root, problem.cluster, known)
        if found is not None:
            search.take(plan_of_columns(problem.cluster, columns, found[1]), sign * Fraction(found[0]) / problem.unit)

    def _rows(self, columns: Columns) -> Ints:
        """Columns of known options only."""
        index = {gpu.name: t for t, gpu in enumerate(self.problem.cluster.gpus)}
        kept = np.zeros(len(columns), dtype=bool)
        for i in {slot for slot, _ in self.options}:
            slot = self.problem.slots[i]
            types = np.array([*(index[gpu] for gpu in slot.gpus), *[-1] * (columns.gpu.shape[1] - len(slot.gpus))])
            rows = (columns.model == slot.model) & (columns.gpu == types).all(axis=1)
            for d in range(len(slot.gpus)):
                rows &= _runs(columns, d, self.options.get((i, d), set()))
            kept |= rows
        return np.flatnonzero(kept)


def _runs(columns: Columns, d: int, options: set[Option]) -> NDArray[np.bool_]:
    """Whether place d of each column takes one of the given options; the places before determine its first block."""
    found = np.zeros(len(columns), dtype=bool)
    share, batch, end = columns.share[:, d], columns.batch[:, d], columns.end[:, d]
    for o in options:
        found |= (share == o.share) & (batch == o.batch) & (end == o.end)
    return found
