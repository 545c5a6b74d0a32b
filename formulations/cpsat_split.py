"""Solver `cpsat-split`: latency splitting over given module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d)).

The model, names as in `formulations.split_problem`, latencies in units of 1/Q seconds, costs in units of 1/S per hour:

    minimise    Σ_m Σ_i [cost_m,i S] · x_m_i                                               Scrooge (2a)
    choose_m    Σ_i x_m_i = 1                                     for every module m       Scrooge (2d)
    after_a_m   start_m ≥ start_a + Σ_i [latency_a,i Q] · x_a_i   for every edge (a, m)    Scrooge (2c)
    end_m       start_m + Σ_i [latency_m,i Q] · x_m_i ≤ ⌊SLO Q⌋   for every module m       Scrooge (2c)

Rounding has directions. With every [·] rounded down, each split within the SLO is a solution at no higher a cost, so
the optimum is a bound. Its modes are added up exactly; if they meet the SLO, cost and bound differ by less than one
unit of money per module, and that is the answer. If they miss it, only rounding allowed them: latencies rounded up give
a split that surely meets the SLO, the scale is refined, and at the finest one the row

    path_r      Σ_{m on the path} Σ_{i at least as slow as chosen} x_m_i ≤ modules on the path - 1

cuts the refused choice off: some module on this path has to be faster. Splits within the SLO all obey it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from euclio.registry import Limits
from euclio.result import Answer, TracePoint, WarmStart
from euclio.session import Plan, PlanSpace, Session
from formulations.cpsat_engine import CpSatAnswer, CpSatOptions, solve_model
from formulations.frontiers import split_problem
from formulations.per_hardware import cheapest_over_hardware
from formulations.scaling import common_scale
from formulations.split_problem import SplitProblem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SCALES = (1 << 16, 1 << 26)
"""Units that the SLO comes to, coarse and fine."""
MONEY_UNITS = 1 << 26
"""Most units that the dearest split comes to."""
LARGE = 2000
"""Modes from which on presolve pays."""


@dataclass(slots=True)
class SplitModel:
    """The CP-SAT model of a split problem.

    Attributes:
        problem: the problem.
        model: the model.
        x: variable of each module's each mode.
        start: start time of each module.
        money: units per money per hour: S.
    """

    problem: SplitProblem
    model: cp_model.CpModel
    x: list[list[cp_model.IntVar]]
    start: list[cp_model.IntVar]
    money: Fraction

    def chosen(self, answer: CpSatAnswer) -> tuple[int, ...]:
        """The mode of each module in a solution."""
        return tuple(next(i for i, v in enumerate(xs) if answer.value(v)) for xs in self.x)

    def hint(self, chosen: tuple[int, ...]) -> None:
        """Let the search start from a split."""
        for xs, i in zip(self.x, chosen, strict=True):
            for k, v in enumerate(xs):
                self.model.add_hint(v, int(k == i))

    def forbid(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""
        as_slow = [self.x[m][i] for m in path for i in range(chosen[m] + 1)]
        self.model.add(sum(as_slow) <= len(path) - 1)


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
    from euclio.session import evaluate

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


def split_model(problem: SplitProblem, units: int, *, up: bool) -> SplitModel:
    """The model of a split problem in which every module has a mode.

    Args:
        problem: the problem.
        units: units of time that the SLO comes to.
        up: round latencies and costs up, not down.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    modes = problem.modes
    dearest = sum((max(mode.cost_per_h for mode in ms) for ms in modes), Fraction(0))
    total = sum((sum((mode.cost_per_h for mode in ms), Fraction(0)) for ms in modes), Fraction(0))
    most = max(dearest, total * MONEY_UNITS / (1 << 30))
    money = common_scale([mode.cost_per_h for ms in modes for mode in ms], most, MONEY_UNITS) if most else Fraction(1)
    time_scale = common_scale(
        [problem.slo_s, *(mode.latency_s for ms in modes for mode in ms)], problem.slo_s, _units(problem, units)
    )
    rounded = ceil if up else floor
    end = floor(problem.slo_s * time_scale)
    x = [
        [model.new_bool_var(f"x_{name}_{i}") for i in range(len(ms))]
        for name, ms in zip(problem.modules, modes, strict=True)
    ]
    start = [model.new_int_var(0, end, f"start_{name}") for name in problem.modules]
    latency = [
        sum(rounded(mode.latency_s * time_scale) * v for mode, v in zip(ms, xs, strict=True))
        for ms, xs in zip(modes, x, strict=True)
    ]
    for xs in x:
        model.add_exactly_one(xs)
    for a, m in problem.edges:
        model.add(start[m] >= start[a] + latency[a])
    parents = {a for a, _ in problem.edges}
    for m in range(len(modes)):
        if m not in parents:
            model.add(start[m] + latency[m] <= end)
    model.minimize(
        sum(
            rounded(mode.cost_per_h * money) * v
            for ms, xs in zip(modes, x, strict=True)
            for mode, v in zip(ms, xs, strict=True)
        )
    )
    return SplitModel(problem, model, x, start, money)


def _units(problem: SplitProblem, units: int) -> int:
    """Units of time such that the latencies of a module sum to less than CP-SAT's limit."""
    largest = max(sum((mode.latency_s for mode in ms), Fraction(0)) for ms in problem.modes)
    return min(units, floor((1 << 30) * problem.slo_s / largest))


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
        claimed_cost_per_h=None if search.cost is None else float(search.cost),
        bound_per_h=None if infeasible else bound,
        infeasible=infeasible,
        stats={**search.stats, "modes": float(sum(len(ms) for ms in problem.modes))},
        reason=reason,
        trace=tuple(search.trace),
    )
