"""Solver `scrooge-milp`: Scrooge's allocation (§3.3) in two steps, as the paper runs it.

First the MILP (1)-(2d), which takes every machine for full. Then the partial allocations are refined by (3), all
modules in one run (the paper re-runs the MILP for "only this worker" and does not say in which order; one run for all
cannot do worse). Where that is infeasible, Scrooge falls back on a greedy search, and so does this
(`heuristics/scrooge_refinement.py`, which also says how the paper's contradictions are read).

The first step bounds every plan of the space from below, so a plan that matches it is proven optimal. Any other plan
is just a plan: the second step does not look back at the first.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from euclio.least_latency import why_no_plan
from euclio.registry import Limits
from euclio.result import Answer, TracePoint
from euclio.session import PlanSpace, Session, evaluate
from euclio.session.arrays import SessionArrays, session_arrays, to_plan
from formulations.milp.engine import EngineRun, Outcome, chosen_engine, engine_limits, export_lp, run_model
from formulations.scrooge.model import allocation_model, chosen_of, refinement_model
from heuristics.scrooge_refinement import Way, as_counts, latency_room, least_latency, refine_greedily, ways
from heuristics.scrooge_space import require_scrooge_space

if TYPE_CHECKING:
    from pulp import LpProblem

NAME = "scrooge-milp"
JUST_BELOW = 1.0 - 1e-7
"""Share of the SLO that the models get once the engine's tolerance has let them miss it."""
TIE = "tie with the SLO"


def solve_scrooge_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Scrooge's two steps; without a plan that the checker accepts there is none.

    Raises:
        InapplicableError: not a plan space of Scrooge.
    """
    require_scrooge_space(NAME, space, least_allocations=2)
    why = why_no_plan(session, space)
    if why:
        return Answer(None, "infeasible", infeasible=True, reason=why)
    s = session_arrays(session, space)
    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    answer = _plan(session, space, s, limits, deadline)
    if answer.raw_status == TIE:
        below = _plan(session, space, s._replace(slo=s.slo * JUST_BELOW), limits, deadline)
        return replace(below, bound=answer.bound) if below.plan is not None else answer
    return answer


def _plan(session: Session, space: PlanSpace, s: SessionArrays, limits: Limits, deadline: float) -> Answer:
    """Both steps at the SLO that the arrays hold."""
    least = least_latency(s)
    if (least > latency_room(s, least)).any():
        return Answer(None, "no plan", reason="not even the least latencies meet the SLO, as far as floats can say")
    model, x = allocation_model(session, s)
    if limits.options.export_lp is not None:
        export_lp(model, limits.options.export_lp)
    first = _run(model, limits, deadline)
    if first.outcome is Outcome.INFEASIBLE:
        return Answer(None, "no plan", reason="the first step found no configurations that meet the SLO")
    if first.objective is None:
        return Answer(None, first.raw_status, bound=first.bound, reason="the time limit was hit in the first step")
    chosen = chosen_of(x, first.values)
    refined, by_greedy = _refine(session, s, chosen, limits, deadline)
    stats = {"first_step_cost_per_h": first.objective, "greedy_fallback": float(by_greedy)}
    if refined is None:
        reason = "the configurations of the first step leave no time to collect the partial allocations' batches"
        return Answer(None, "no plan", bound=first.bound, stats=stats, reason=reason)
    plan = to_plan(session, s, *as_counts(s, refined))
    if not evaluate(session, plan, space).feasible:
        return Answer(None, TIE, bound=first.bound, stats=stats, reason="only ties with the SLO were found")
    cost = sum(way.cost_per_h for way in refined)
    # The first step's incumbents are no plans yet; its bounds hold for them all.
    trace = tuple(TracePoint(point.wall_s, None, point.bound) for point in first.trace)
    return Answer(plan, first.raw_status, cost, first.bound, stats=stats, trace=trace)


def _refine(
    session: Session, s: SessionArrays, chosen: Sequence[int], limits: Limits, deadline: float
) -> tuple[list[Way] | None, bool]:
    """The second step: one way per module, None if there is none; and whether the greedy search found it."""
    choices = [ways(s, m, k) for m, k in enumerate(chosen)]
    model, y = refinement_model(session, s, choices)
    second = _run(model, limits, deadline)
    if second.objective is None:
        return refine_greedily(s, chosen), True
    return [choices[m][w] for m, w in enumerate(chosen_of(y, second.values))], False


def _run(model: LpProblem, limits: Limits, deadline: float) -> EngineRun:
    """Run a model for what is left of the time."""
    limits_left = replace(engine_limits(limits, max(0.0, deadline - time.perf_counter())), plain=True)
    return run_model(model, chosen_engine(limits.options), limits_left)
