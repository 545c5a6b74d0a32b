"""Latency splitting over frontiers, proven exactly by an engine with a tolerance (ours).

The engine's model is looser than the problem: latencies and costs are rounded down, or rows are laxer by more than the
engine's tolerance. So every split within the SLO is a solution of it. The loop, with a split to begin with (every
module at its fastest mode):

1. ask the engine for the cheapest solution that costs no more than the incumbent;
2. add its modes up exactly. If they miss the SLO, cut off every split that is as slow on that path, since some module
   on it has to be faster. If the last digits of a mode's latency are unsure (`Mode.unsure_s`) and could matter, make
   them sure first, and make the model anew;
3. if they meet it, the split may be the new incumbent. Cut off every split in which each module costs as much as here,
   since some module has to cost less;
4. go on with 1. When the model has no solution left, the incumbent is the optimum, exactly.

A mode is left out if it costs more than the incumbent less the least costs of the other modules. Money is counted in
units of the incumbent's cost. When that has fallen far, the model is made anew.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from euclio.core.result import Answer, TracePoint, WarmStart
from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from formulations.engines.interface import Outcome
from formulations.session.split.problem import Mode, SplitProblem
from formulations.tolerances import MOST_CANDIDATES, STEP

FALL = 100
"""The model is made anew if the cost has fallen below one part in this many."""
MOST_MODELS = 200
"""The most models before the search gives up."""


Turn = Outcome[tuple[int, ...], Fraction]
"""An engine's result on a model: the number of the mode of each module, money per hour.

A bound holds for every split that is a solution, and not for splits that the model rules out.
"""


class SplitModel(Protocol):
    """A model of a split problem in which every module has a mode."""

    finest: bool

    def solve(self, left_s: float) -> Turn:
        """The cheapest solution, within some seconds."""

    def forbid_slow(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""

    def forbid_costly(self, chosen: tuple[int, ...]) -> None:
        """Demand that a module takes a cheaper mode than the one chosen."""

    def demand_below(self, cost: Fraction) -> None:
        """Demand that all modes together cost at most this much per hour, or hardly more."""


Build = Callable[[SplitProblem, Fraction, int], SplitModel]
"""Makes a model, given the problem, the cost that counts as 1, and the number of models so far that were too coarse."""


@dataclass(slots=True)
class SplitSearch:
    """The known results on a split problem.

    Attributes:
        problem: the problem; modes may become sure on the way.
        picked: modes of the best split within the SLO, by module; None means none yet.
        cost: its exact cost.
        bound: proven lower bound on every split within the SLO; None means none.
        infeasible: whether it is proven that no split meets the SLO.
        decided: whether the search was completed.
        raw_status: the engine's status of the last model.
        trace: incumbent and bound over time.
        stats: counters.
        reason: why there is no decision.
    """

    problem: SplitProblem
    picked: tuple[Mode, ...] | None = None
    cost: Fraction | None = None
    bound: Fraction | None = None
    infeasible: bool = False
    decided: bool = False
    raw_status: str = ""
    trace: list[TracePoint] = field(default_factory=list)
    stats: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("models", "runs", "nodes", "refused", "refined"), 0.0)
    )
    reason: str = "the time limit was hit"

    def accept(self, chosen: tuple[int, ...]) -> list[int]:
        """Add the modes of a split up exactly, and keep it if it is the cheapest so far.

        Args:
            chosen: number of the mode of each module.

        Returns:
            Indices of the modules on a path that misses the SLO; empty means that the split meets it.
        """
        picked = tuple(self.problem.modes[m][i] for m, i in enumerate(chosen))
        length, path = self.problem.critical_path([mode.latency_s for mode in picked])
        if length > self.problem.slo_s:
            return path
        cost = sum((mode.cost_per_h for mode in picked), Fraction(0))
        if self.cost is None or cost < self.cost:
            self.picked, self.cost = picked, cost
        return []

    def run(self, build: Build, deadline: float, started: float) -> None:
        """Search until nothing cheaper is left, or a limit is hit; the attributes have the outcome.

        Args:
            build: makes an engine's model.
            deadline: `time.perf_counter` value at which to stop.
            started: `time.perf_counter` value from which the trace counts.
        """
        if any(not modes for modes in self.problem.modes):
            self.infeasible, self.raw_status = True, "a module has no mode"
            return
        if not self._begin():
            return
        coarse = 0
        while not self.decided and self.stats["models"] < MOST_MODELS:
            if time.perf_counter() >= deadline:
                return
            finer = self._with_one_model(build, coarse, deadline, started)
            if finer is None:
                return
            coarse += finer
        if not self.decided:
            self.reason = "too many models were needed"

    def _begin(self) -> bool:
        """Begin with every module at its fastest mode; False if that misses the SLO, or this cannot be decided."""
        while path := self.accept(tuple(len(modes) - 1 for modes in self.problem.modes)):
            fastest = tuple(len(modes) - 1 for modes in self.problem.modes)
            if not self._unsure(fastest, path):
                self.infeasible, self.raw_status = True, "the fastest modes miss the SLO"
                return False
            if not self._refine(fastest, path):
                return False
        return True

    def _with_one_model(self, build: Build, coarse: int, deadline: float, started: float) -> int | None:
        """Search with one model; 1 requests a finer model, 0 another one; None means that the search is over."""
        assert self.cost is not None
        unit = self.cost
        # No split costs less than all modules at their cheapest modes.
        self._lift(sum((modes[0].cost_per_h for modes in self.problem.modes), Fraction(0)))
        if self.decided:
            return None
        model = build(_affordable(self.problem, unit), unit, coarse)
        self.stats["models"] += 1
        limit = self._demand(model)
        for _ in range(MOST_CANDIDATES):
            left = deadline - time.perf_counter()
            if left <= 0:
                return None
            turn = self._turn(model, left, started, limit)
            if turn.infeasible:
                self._lift(limit)
                return None
            if turn.values is None:
                return None
            path = self.accept(turn.values)
            if not turn.optimal:
                return None
            # Coarse rounding may have let the slow split in, and then a finer model never returns it.
            if path and not model.finest:
                self.stats["refused"] += 1
                return 1
            if path and self._unsure(turn.values, path):
                return 0 if self._refine(turn.values, path) else None
            if path:
                self.stats["refused"] += 1
                model.forbid_slow(turn.values, path)
                continue
            model.forbid_costly(turn.values)
            if self.cost * FALL < unit:
                return 0
            if self.cost * (1 - STEP) < limit:
                limit = self.cost * (1 - STEP)
                model.demand_below(limit)
            self._lift(self.bound)
            if self.decided:
                return None
        self.reason = "ties are too many to go through"
        return None

    def _demand(self, model: SplitModel) -> Fraction:
        """Demand a cost below the incumbent's."""
        assert self.cost is not None
        assert self.picked is not None
        limit = self.cost * (1 - STEP)
        chosen = []
        for modes, mode in zip(self.problem.modes, self.picked, strict=True):
            # Modes may have been refined since the incumbent was kept, so that its own are found by cost.
            same = [i for i, other in enumerate(modes) if other.cost_per_h >= mode.cost_per_h]
            chosen.append(same[0] if same else len(modes))
        model.forbid_costly(tuple(chosen))
        model.demand_below(limit)
        return limit

    def _turn(self, model: SplitModel, left: float, started: float, limit: Fraction) -> Turn:
        """Run the engine once, and record its counters, its trace and its bound, which holds up to the limit."""
        before = time.perf_counter() - started
        turn = model.solve(left)
        self.raw_status = turn.raw_status
        self.stats["runs"] += 1
        self.stats["nodes"] += turn.nodes
        cost = None if self.cost is None else float(self.cost)
        for point in turn.trace_from(before):
            # The model rules the incumbent out, so its bound may lie above the incumbent's cost.
            bound = point.bound if cost is None or point.bound is None else min(point.bound, cost)
            self.trace.append(TracePoint(point.wall_s, cost, bound))
        if turn.bound is not None and not turn.infeasible:
            self._lift(min(turn.bound, limit))
        return turn

    def _lift(self, bound: Fraction | None) -> None:
        """Record a bound if it is better; nothing is left if it meets the cost."""
        if bound is not None and (self.bound is None or bound > self.bound):
            self.bound = bound
        if self.cost is not None and self.bound is not None and self.cost - self.bound <= STEP * self.cost:
            self.bound, self.decided = self.cost, True

    def _unsure(self, chosen: tuple[int, ...], path: list[int]) -> bool:
        """Whether the path could be within the SLO apart from latencies that are unsure."""
        modes = [self.problem.modes[m][chosen[m]] for m in path]
        length = sum((mode.least_s for mode in modes), Fraction(0))
        return any(mode.unsure_s for mode in modes) and length <= self.problem.slo_s

    def _refine(self, chosen: tuple[int, ...], path: list[int]) -> bool:
        """Make the modes of a path sure; False means that this took too much work."""
        for m in path:
            if self.problem.modes[m][chosen[m]].unsure_s:
                self.stats["refined"] += 1
                problem = self.problem.refined(m, chosen[m])
                if problem is None:
                    self.reason = "ties within a module are too many to go through"
                    return False
                self.problem = problem
        return True


def solve_split(
    problem: SplitProblem,
    build: Build,
    deadline: float = math.inf,
    start: tuple[int, ...] | None = None,
    started: float | None = None,
) -> SplitSearch:
    """The cheapest split, with proof.

    Args:
        problem: modules, modes and SLO.
        build: makes an engine's model.
        deadline: `time.perf_counter` value at which to stop.
        start: number of each module's mode in a split to start from; None means a cold start.
        started: `time.perf_counter` value from which the trace counts; None means now.

    Returns:
        The results at the end: split, bound, and whether they are decided.
    """
    search = SplitSearch(problem)
    if start is not None:
        search.accept(start)
    search.run(build, deadline, time.perf_counter() if started is None else started)
    return search


def modes_within(problem: SplitProblem, session: Session, plan: Plan, space: PlanSpace) -> tuple[int, ...] | None:
    """For each module the number of its cheapest mode that is no slower than in a plan; None if a module has none."""
    checked = evaluate(session, plan, space)
    if not checked.modules:
        return None
    chosen: list[int] = []
    for modes, module in zip(problem.modes, checked.modules, strict=True):
        place = next((i for i, mode in enumerate(modes) if mode.latency_s <= module.worst_case_latency_s), None)
        if place is None:
            return None
        chosen.append(place)
    return tuple(chosen)


def answer_of(search: SplitSearch, given: Plan | None, start: tuple[int, ...] | None) -> Answer:
    """The answer of a search over the frontiers of a session; its proofs count if the frontiers are complete.

    Args:
        search: the search.
        given: plan to start from; None means that none was given.
        start: its modes; None means that it has none.
    """
    complete = search.problem.complete
    infeasible = search.infeasible and complete
    plan = None
    if search.picked is not None:
        plan = Plan(tuple(mode.plan for mode in search.picked if mode.plan is not None))
    modes = float(sum(len(ms) for ms in search.problem.modes))
    warm_start = WarmStart.NONE if given is None else WarmStart.IGNORED if start is None else WarmStart.USED
    return Answer(
        plan=plan,
        raw_status=search.raw_status,
        claimed=None if search.cost is None else float(search.cost),
        bound=None if search.bound is None or infeasible or not complete else float(search.bound),
        infeasible=infeasible,
        stats={**search.stats, "modes": modes},
        reason="" if plan is not None else "no split meets the SLO (proven)" if infeasible else search.reason,
        trace=tuple(search.trace),
        warm_start=warm_start,
    )


def _affordable(problem: SplitProblem, cost: Fraction) -> SplitProblem:
    """The problem without modes that no split of at most this cost per hour can take; those left keep their numbers."""
    least = [modes[0].cost_per_h for modes in problem.modes]
    spare = cost - sum(least, Fraction(0))
    modes = tuple(
        tuple(mode for mode in ms if mode.cost_per_h <= low + spare)
        for ms, low in zip(problem.modes, least, strict=True)
    )
    return replace(problem, modes=modes)
