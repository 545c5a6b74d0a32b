"""Solver `milp`: latency splitting and multi-tuple allocation of all modules in one MILP, with proof (ours).

The model stands in `allocation_model.py` (one module), `joint_model.py` (latencies, start times)
and, under `tc`, `heads.py` (bounds that look two configurations deep). Its latency is an outer approximation
by tangents, so that its optimum is a lower bound. The loop:

1. solve the linear relaxation and add the tangents that it breaks, while that lifts the bound;
2. solve the MILP, from the best plan known;
3. read its point as a plan, price the plan exactly; if it meets the SLO, it is optimal;
4. if not, add tangents at the point's own rates, which cut it off, and go on with 2. A point that only a tolerance
   allowed, so that no tangent is left to add, is cut off by its counts of machines.

Every plan of the plan space keeps every row at every turn, so the best bound of all turns holds, and every turn cuts
off a point: the loop ends.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction

from euclio.registry import Limits
from euclio.result import Answer, TracePoint, WarmStart
from euclio.session import Plan, PlanSpace, Policy, Session, evaluate
from formulations.joint_problem import joint_problem
from formulations.milp.engine import (
    Outcome,
    chosen_engine,
    engine_limits,
    export_lp,
    later,
    run_model,
    solve_relaxation,
)
from formulations.milp.heads import add_heads
from formulations.milp.joint_model import JointModel, joint_model
from formulations.milp.points import cut_off, point_of, read_plan
from formulations.per_hardware import cheapest_over_hardware

GAP = 1e-9
"""Relative gap at which the loop ends."""
MOST_ROUNDS = 12
LEAST_LIFT = 1e-4
"""Rounds over the relaxation end when one lifts the bound by less than this share."""


@dataclass(slots=True)
class _State:
    """Best plan, best bound and what the engine said so far."""

    plan: Plan | None = None
    cost: Fraction | None = None
    bound: float | None = None
    raw_status: str = "the time limit was hit"
    proven: bool = False
    runs: int = 0
    nodes: int = 0
    rounds: int = 0
    trace: tuple[TracePoint, ...] = ()
    warm_start: WarmStart = WarmStart.NONE

    def lift(self, bound: float | None) -> None:
        """Take a bound if it is better."""
        if bound is not None:
            self.bound = bound if self.bound is None else max(self.bound, bound)

    @property
    def closed(self) -> bool:
        """Whether bound and cost meet."""
        return self.cost is not None and self.bound is not None and self.bound >= float(self.cost) * (1.0 - GAP)


def run_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session by one MILP, with proof.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
        InputError: the engine is not there.
    """
    started = time.perf_counter()
    deadline = math.inf if limits.time_limit_s is None else started + limits.time_limit_s
    return cheapest_over_hardware(session, space, lambda on: _solve_on(session, on, limits, started, deadline))


def _solve_on(session: Session, space: PlanSpace, limits: Limits, started: float, deadline: float) -> Answer:
    problem = joint_problem(session, space)
    if problem.infeasible:
        return Answer(None, "infeasible", infeasible=True, reason="a module has no configuration that meets the SLO")
    state, given = _State(), limits.options.warm_start
    if given is not None:
        checked = evaluate(session, given, space)
        state.warm_start = WarmStart.IGNORED
        if checked.feasible:
            state.plan, state.cost = given, checked.cost_per_h
    joint = joint_model(problem)
    if space.policy is Policy.TC:
        add_heads(joint, deadline)
    if limits.options.export_lp is not None:
        export_lp(joint.model, limits.options.export_lp)
    _solve(joint, state, limits, started, deadline)
    stats = {
        "runs": float(state.runs),
        "nodes": float(state.nodes),
        "rounds": float(state.rounds),
        "tangents": float(joint.tangents),
    }
    if state.cost is None:
        reason = "no plan meets the SLO (proven)" if state.proven else "the time limit was hit"
        return Answer(
            None, state.raw_status, None, state.bound, state.proven, stats, reason, state.trace, state.warm_start
        )
    bound = float(state.cost) if state.proven else state.bound
    return Answer(
        state.plan,
        state.raw_status,
        float(state.cost),
        bound,
        stats=stats,
        trace=state.trace,
        warm_start=state.warm_start,
    )


def _solve(joint: JointModel, state: _State, limits: Limits, started: float, deadline: float) -> None:
    engine = chosen_engine(limits.options)
    if not _tighten(joint, state, engine, limits, deadline):
        return
    while not state.closed and (left := deadline - time.perf_counter()) > 0:
        start = _start(joint, state)
        elapsed = time.perf_counter() - started
        run = run_model(joint.model, engine, engine_limits(limits, left), start)
        state.raw_status = run.raw_status
        state.nodes += run.nodes
        state.trace += later(run.trace, elapsed)
        if state.runs == 0 and start is not None:
            state.warm_start = run.warm_start
        state.runs += 1
        if run.outcome is Outcome.INFEASIBLE:
            state.proven = True
            return
        state.lift(run.bound)
        if not run.values:
            return
        plan = read_plan(joint, run.values)
        checked = evaluate(joint.problem.session, plan, joint.problem.space)
        if checked.feasible and checked.cost_per_h is not None:
            if state.cost is None or checked.cost_per_h < state.cost:
                state.plan, state.cost = plan, checked.cost_per_h
        else:
            cut_off(joint, run.values, plan, checked)
        if checked.feasible and run.outcome is Outcome.OPTIMAL:
            return


def _start(joint: JointModel, state: _State) -> dict[str, float] | None:
    if state.plan is None:
        return None
    checked = evaluate(joint.problem.session, state.plan, joint.problem.space)
    return point_of(joint, state.plan, checked)


def _tighten(joint: JointModel, state: _State, engine: str, limits: Limits, deadline: float) -> bool:
    """Add tangents that the relaxation breaks; False: it has no solution, or no time is left."""
    before = 0.0
    while state.rounds < MOST_ROUNDS and (left := deadline - time.perf_counter()) > 0:
        run = solve_relaxation(joint.model, engine, engine_limits(limits, left))
        state.raw_status = run.raw_status
        state.rounds += 1
        if run.outcome is Outcome.INFEASIBLE:
            state.proven = True
        if run.objective is None or run.outcome is not Outcome.OPTIMAL:
            return False
        state.lift(run.objective)
        if run.objective - before < LEAST_LIFT * run.objective or not joint.separate(run.values):
            return True
        before = run.objective
    return True
