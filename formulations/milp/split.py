"""Solver `milp-split`: latency splitting over given module frontiers as a MILP (Harpagon §III-D, Scrooge (2a)-(2d)).

The model, names as in `formulations.split_problem`:

    minimise    Σ_m Σ_i cost_m,i · x_m_i                                                   Scrooge (2a)
    choose_m    Σ_i x_m_i = 1                                     for every module m       Scrooge (2d)
    after_a_m   start_m ≥ start_a + Σ_i latency_a,i · x_a_i       for every edge (a, m)    Scrooge (2c)
    end_m       start_m + Σ_i latency_m,i · x_m_i ≤ SLO           for every last module m  Scrooge (2c)
    x_m_i ∈ {0, 1},  start_m ≥ 0

Scrooge writes one row per path; start times say the same with one row per edge. Its (2b), which serves the whole rate,
holds within every mode.

The engine works with tolerances, the answer does not: the chosen modes' longest path is added up exactly. If it misses
the SLO, the row `path_r` forbids it and the model is solved again: of the modules on this path, at least one takes a
faster mode than it had. No split within the SLO breaks that, and there are finitely many such rows. So the engine's
bound always holds.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.registry import EngineOptions, Limits
from euclio.result import Answer, TracePoint, WarmStart
from euclio.session import Plan, PlanSpace, Session
from formulations.frontiers import split_problem
from formulations.milp.engine import (
    EngineRun,
    Outcome,
    chosen_engine,
    engine_limits,
    export_lp,
    later,
    readable,
    run_model,
)
from formulations.per_hardware import cheapest_over_hardware
from formulations.split_problem import SplitProblem

if TYPE_CHECKING:
    from pulp import LpProblem

ROOM = 1e-9
"""Share of the SLO by which the model is laxer than the problem, so that rounding never cuts a split off."""


@dataclass(frozen=True, slots=True)
class SplitAnswer:
    """What the MILP says about a split problem.

    Attributes:
        outcome: how the last run of the engine ended.
        raw_status: the engine's own word.
        chosen: number of the mode of each module; None: no split within the SLO was found.
        cost_per_h: exact cost of that split.
        bound_per_h: proven lower bound on every split within the SLO; None: none.
        runs: models solved.
        nodes: their nodes of branch and bound.
        trace: incumbent and bound over time.
        warm_start: what became of the start.
    """

    outcome: Outcome
    raw_status: str
    chosen: tuple[int, ...] | None = None
    cost_per_h: Fraction | None = None
    bound_per_h: float | None = None
    runs: int = 0
    nodes: int = 0
    trace: tuple[TracePoint, ...] = ()
    warm_start: WarmStart = WarmStart.NONE


@dataclass(slots=True)
class SplitModel:
    """The MILP of a split problem.

    Attributes:
        problem: the problem.
        model: the PuLP model.
        x: variable of each module's each mode.
        begin: start time of each module.
        forbidden: rows added so far.
    """

    problem: SplitProblem
    model: LpProblem
    x: list[list[Any]]
    begin: list[Any]
    forbidden: int = 0

    def chosen(self, run: EngineRun) -> tuple[int, ...]:
        """The mode of each module in an engine's solution."""
        return tuple(max(range(len(xs)), key=lambda i: run.values[xs[i].name]) for xs in self.x)

    def values(self, chosen: tuple[int, ...]) -> dict[str, float]:
        """The value of every variable in a split."""
        latency = [self.problem.modes[m][i].latency_s for m, i in enumerate(chosen)]
        before, _ = self.problem.around_s(latency)
        values = {v.name: float(i == chosen[m]) for m, xs in enumerate(self.x) for i, v in enumerate(xs)}
        return values | {v.name: float(before[m]) for m, v in enumerate(self.begin)}

    def forbid(self, chosen: tuple[int, ...], path: list[int]) -> None:
        """Demand that a module on this path takes a faster mode than the one chosen."""
        import pulp

        as_slow = [self.x[m][i] for m in path for i in range(chosen[m] + 1)]
        self.forbidden += 1
        self.model += pulp.lpSum(as_slow) <= len(path) - 1, f"path_{self.forbidden}"


def run_milp_split(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session: module frontiers, then the MILP above; with proof.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
        InputError: the engine is not there.
    """
    return cheapest_over_hardware(session, space, lambda on: _solve_on(session, on, limits))


def _solve_on(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    started = time.perf_counter()
    deadline = math.inf if limits.time_limit_s is None else started + limits.time_limit_s
    problem = split_problem(session, space, deadline)
    start = None if limits.options.warm_start is None else chosen_by(problem, limits.options.warm_start)
    found = solve_split(problem, limits, deadline, start)
    stats = {
        "modes": float(sum(len(modes) for modes in problem.modes)),
        "runs": float(found.runs),
        "nodes": float(found.nodes),
    }
    infeasible = found.outcome is Outcome.INFEASIBLE and problem.complete
    bound = found.bound_per_h if problem.complete else None
    warm_start = found.warm_start
    if limits.options.warm_start is not None and warm_start is WarmStart.NONE:
        warm_start = WarmStart.IGNORED
    if found.chosen is None:
        reason = "no split meets the SLO (proven)" if infeasible else "the time limit was hit"
        return Answer(None, found.raw_status, None, bound, infeasible, stats, reason, found.trace, warm_start)
    picked = [problem.modes[m][i] for m, i in enumerate(found.chosen)]
    plan = Plan(tuple(mode.plan for mode in picked if mode.plan is not None))
    cost = float(sum((mode.cost_per_h for mode in picked), Fraction(0)))
    return Answer(plan, found.raw_status, cost, bound, stats=stats, trace=found.trace, warm_start=warm_start)


def chosen_by(problem: SplitProblem, plan: Plan) -> tuple[int, ...] | None:
    """The modes that a plan takes; None: one of its module plans is no mode of the problem."""
    chosen: list[int] = []
    for modes, module_plan in zip(problem.modes, plan.modules, strict=True):
        place = next((i for i, mode in enumerate(modes) if mode.plan == module_plan), None)
        if place is None:
            return None
        chosen.append(place)
    return tuple(chosen)


def split_model(problem: SplitProblem) -> SplitModel:
    """The MILP of a split problem in which every module has a mode."""
    import pulp

    model = pulp.LpProblem("latency_splitting", pulp.LpMinimize)
    names = readable(problem.modules)
    slo = float(problem.slo_s)
    x = [
        [model.add_variable(f"x_{name}_{i}", cat=pulp.LpBinary) for i in range(len(modes))]
        for name, modes in zip(names, problem.modes, strict=True)
    ]
    begin = [model.add_variable(f"start_{name}", 0.0, slo) for name in names]
    latency = [
        {v: float(mode.latency_s) for v, mode in zip(xs, modes, strict=True)}
        for xs, modes in zip(x, problem.modes, strict=True)
    ]
    price = {
        v: float(mode.cost_per_h)
        for xs, modes in zip(x, problem.modes, strict=True)
        for v, mode in zip(xs, modes, strict=True)
    }
    model += pulp.LpAffineExpression(price)
    for m, name in enumerate(names):
        model += pulp.LpAffineExpression(dict.fromkeys(x[m], 1.0)) == 1.0, f"choose_{name}"
    for a, m in problem.edges:
        end = pulp.LpAffineExpression({begin[a]: 1.0, **latency[a], begin[m]: -1.0})
        model += end <= 0.0, f"after_{names[a]}_{names[m]}"
    parents = {a for a, _ in problem.edges}
    for m, name in enumerate(names):
        if m not in parents:
            end = pulp.LpAffineExpression({begin[m]: 1.0, **latency[m]})
            model += end <= slo * (1.0 + ROOM), f"end_{name}"
    return SplitModel(problem, model, x, begin)


def solve_split(
    problem: SplitProblem,
    limits: Limits,
    deadline: float = math.inf,
    start: tuple[int, ...] | None = None,
) -> SplitAnswer:
    """The cheapest split, with proof.

    Args:
        problem: modules, modes and SLO.
        limits: seed and engine options.
        deadline: `time.perf_counter` value at which to stop.
        start: number of each module's mode in a split to start from; None: cold.
    """
    if any(not modes for modes in problem.modes):
        return SplitAnswer(Outcome.INFEASIBLE, "a module has no mode")
    options: EngineOptions = limits.options
    engine = chosen_engine(options)
    built = split_model(problem)
    if options.export_lp is not None:
        export_lp(built.model, options.export_lp)
    started = time.perf_counter()
    answer = SplitAnswer(Outcome.UNKNOWN, "the time limit was hit")
    while (left := deadline - time.perf_counter()) > 0:
        elapsed = time.perf_counter() - started
        run = run_model(
            built.model, engine, engine_limits(limits, left), None if start is None else built.values(start)
        )
        answer = replace(
            answer,
            outcome=run.outcome,
            raw_status=run.raw_status,
            bound_per_h=run.bound,
            runs=answer.runs + 1,
            nodes=answer.nodes + run.nodes,
            trace=(*answer.trace, *later(run.trace, elapsed)),
            warm_start=run.warm_start if answer.runs == 0 else answer.warm_start,
        )
        if not run.values:
            break
        chosen = built.chosen(run)
        length, path = problem.critical_path([problem.modes[m][i].latency_s for m, i in enumerate(chosen)])
        if length <= problem.slo_s:
            cost = sum((problem.modes[m][i].cost_per_h for m, i in enumerate(chosen)), Fraction(0))
            return replace(answer, chosen=chosen, cost_per_h=cost)
        built.forbid(chosen, path)
        start = None
    return answer
