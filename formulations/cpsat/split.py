"""Solver `cpsat-split`: latency splitting over given module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d)).

The model is that of `split_model.py`; its rounding has directions. With every latency and cost rounded
down, each split within the SLO is a solution at no higher a cost, so the optimum is a bound. Its modes are added up
exactly; if they meet the SLO, cost and bound differ by less than one unit of money per module, and that is the answer.
If they miss it, only rounding allowed them: latencies rounded up give a split that surely meets the SLO, the scale is
refined, and at the finest one the row

    path_r      Σ_{m on the path} Σ_{i at least as slow as chosen} x_m_i ≤ modules on the path - 1

cuts the refused choice off: some module on this path has to be faster. Splits within the SLO all obey it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction

from euclio.registry import Limits
from euclio.result import Answer, TracePoint, WarmStart
from euclio.session import Plan, PlanSpace, Session, evaluate
from formulations.cpsat.engine import CpSatAnswer, CpSatOptions, solve_model
from formulations.cpsat.split_model import SplitModel, split_model
from formulations.frontiers import split_problem
from formulations.per_hardware import cheapest_over_hardware
from formulations.split_problem import SplitProblem

SCALES = (1 << 16, 1 << 26)
"""Units that the SLO comes to, coarse and fine."""
LARGE = 2000
"""Modes from which on presolve pays."""


@dataclass(slots=True)
class SplitSearch:
    """What is known of a split problem so far.

    Attributes:
        problem: the problem.
        chosen: number of the mode of each module in the best split within the SLO; None: none yet.
        cost: its exact cost.
        bound: proven lower bound on every split within the SLO; None: none yet.
        infeasible: proven: no split meets the SLO.
        raw_status: CP-SAT's word on the last model.
        hint_used: the first solution came from the hint.
        trace: incumbent and bound over time.
        stats: counters.
    """

    problem: SplitProblem
    chosen: tuple[int, ...] | None = None
    cost: Fraction | None = None
    bound: Fraction | None = None
    infeasible: bool = False
    raw_status: str = "UNKNOWN"
    hint_used: bool = False
    trace: list[TracePoint] = field(default_factory=list)
    stats: dict[str, float] = field(default_factory=lambda: {"models": 0.0, "conflicts": 0.0, "refused": 0.0})

    def accept(self, chosen: tuple[int, ...]) -> list[int]:
        """Add up a choice of modes exactly; returns the path that misses the SLO, empty if it is within."""
        picked = [self.problem.modes[m][i] for m, i in enumerate(chosen)]
        length, path = self.problem.critical_path([mode.latency_s for mode in picked])
        if length > self.problem.slo_s:
            return path
        cost = sum((mode.cost_per_h for mode in picked), Fraction(0))
        if self.cost is None or cost < self.cost:
            self.chosen, self.cost = chosen, cost
        return []


def run_cpsat_split(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session: module frontiers, then the model above; with proof.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
    """
    started = time.perf_counter()
    deadline = math.inf if limits.time_limit_s is None else started + limits.time_limit_s

    def run(on: PlanSpace) -> Answer:
        problem = split_problem(session, on, deadline)
        given = limits.options.warm_start
        start = None if given is None else modes_within(problem, session, given, on)
        search = solve_split(problem, limits, deadline, start, started)
        answer = _answer(search)
        if given is None:
            return answer
        return replace(answer, warm_start=WarmStart.USED if search.hint_used else WarmStart.IGNORED)

    return cheapest_over_hardware(session, space, run)


def modes_within(problem: SplitProblem, session: Session, plan: Plan, space: PlanSpace) -> tuple[int, ...] | None:
    """For each module the cheapest mode that is no slower than in a plan; None: there is none."""
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


def solve_split(
    problem: SplitProblem,
    limits: Limits,
    deadline: float = math.inf,
    start: tuple[int, ...] | None = None,
    started: float | None = None,
) -> SplitSearch:
    """The cheapest split, with proof.

    Args:
        problem: modules, modes and SLO.
        limits: seed and engine options.
        deadline: `time.perf_counter` value at which to stop.
        start: number of each module's mode in a split to start from; None: cold.
        started: `time.perf_counter` value that the trace counts from; None: now.
    """
    search = SplitSearch(problem)
    begun = time.perf_counter() if started is None else started
    if any(not modes for modes in problem.modes):
        search.infeasible, search.raw_status = True, "INFEASIBLE"
        return search
    for units in SCALES:
        model = split_model(problem, units, up=False)
        if start is not None:
            model.hint(start)
        while time.perf_counter() < deadline:
            answer = _run(search, model, limits, deadline, begun)
            if answer.infeasible:
                search.infeasible = search.chosen is None
                return search
            if answer.values is None:
                return search
            chosen = model.chosen(answer)
            path = search.accept(chosen)
            if answer.status != "OPTIMAL" or not path:
                return search
            search.stats["refused"] += 1
            if units != SCALES[-1]:
                _round_up(search, units, limits, deadline, begun)
                break
            model.forbid(chosen, path)
    return search


def _round_up(search: SplitSearch, units: int, limits: Limits, deadline: float, begun: float) -> None:
    """A split that meets the SLO although every latency was rounded up; its bound is not one of the problem."""
    bound = search.bound
    model = split_model(search.problem, units, up=True)
    answer = _run(search, model, limits, deadline, begun)
    search.bound = bound
    if answer.values is not None:
        search.accept(model.chosen(answer))


def _run(search: SplitSearch, model: SplitModel, limits: Limits, deadline: float, begun: float) -> CpSatAnswer:
    left = deadline - time.perf_counter()
    given = limits.options
    before = time.perf_counter() - begun
    large = sum(len(xs) for xs in model.x) >= LARGE
    answer = solve_model(
        model.model,
        CpSatOptions(
            None if math.isinf(left) else max(left, 0.0),
            given.threads or 1,
            limits.seed,
            given.log_file,
            presolve=large,
        ),
    )
    search.raw_status = answer.status
    search.hint_used = search.hint_used or answer.hint_used
    search.stats["models"] += 1
    search.stats["conflicts"] += answer.conflicts
    for point in answer.trace:
        incumbent = None if point.incumbent is None else float(point.incumbent / model.money)
        bound = None if point.bound is None else float(point.bound / model.money)
        search.trace.append(TracePoint(before + point.wall_s, incumbent, bound))
    if answer.bound is not None:
        found = answer.bound / model.money
        search.bound = found if search.bound is None else max(search.bound, found)
    return answer


def _answer(search: SplitSearch) -> Answer:
    problem = search.problem
    bound = None if search.bound is None or not problem.complete else float(search.bound)
    infeasible = search.infeasible and problem.complete
    plan = None
    if search.chosen is not None:
        picked = [problem.modes[m][i] for m, i in enumerate(search.chosen)]
        plan = Plan(tuple(mode.plan for mode in picked if mode.plan is not None))
    reason = "" if plan is not None else "no split meets the SLO (proven)" if infeasible else "the time limit was hit"
    return Answer(
        plan=plan,
        raw_status=search.raw_status,
        claimed=None if search.cost is None else float(search.cost),
        bound=None if infeasible else bound,
        infeasible=infeasible,
        stats={**search.stats, "modes": float(sum(len(ms) for ms in problem.modes))},
        reason=reason,
        trace=tuple(search.trace),
    )
