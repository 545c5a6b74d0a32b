"""Solver `scrooge-milp`: Scrooge's allocation (§3.3) in two steps, as the paper runs it.

First the MILP (1)-(2d), which takes every machine for full. Then the partial allocations are refined by (3), all
modules in one run (the paper re-runs the MILP for "only this worker" and does not say in which order; one run for all
cannot do worse). Where that is infeasible, Scrooge falls back on a greedy search, and so does this
(`heuristics/session/scrooge_refinement.py`, which also says how the paper's contradictions are read).

The first step bounds every plan of the space from below, so a plan that matches it is proven optimal. Any other plan
is just a plan: the second step does not look back at the first. The engine's word on the first step counts for the plan
only. Its optimum as a bound is proven exactly: one entry per module, of a latency and a cost, is a choice of modes
(`formulations/session/splitting/proof.py`). That not even the least latencies meet the SLO is told from fractions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.session import PlanSpace, Session, evaluate
from euclio.session.arrays import SessionArrays, session_arrays, to_plan
from euclio.session.least_latency import why_no_plan
from formulations.engines.milp import EngineRun, Outcome, chosen_engine, engine_limits, export_lp, run_model
from formulations.session.milp.split import split_model
from formulations.session.scrooge.model import (
    allocation_model,
    chosen_of,
    entry_problem,
    full_latency_of,
    refinement_model,
)
from formulations.session.splitting.proof import solve_split
from heuristics.session.scrooge_refinement import Way, as_counts, latency_room, least_latency, refine_greedily, ways
from heuristics.session.scrooge_space import require_scrooge_space

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
        return Answer(None, "no plan", reason="not even the least latencies meet the SLO by more than rounding")
    model, x = allocation_model(session, s)
    if limits.options.export_lp is not None:
        export_lp(model, limits.options.export_lp)
    first = _run(model, limits, deadline)
    if first.objective is None:
        hit = first.outcome is not Outcome.INFEASIBLE
        reason = (
            "the time limit was hit in the first step" if hit else "no configurations meet the SLO, says the engine"
        )
        return Answer(None, first.raw_status, reason=reason)
    chosen = chosen_of(x, first.values)
    bound = _bound(session, space, s, chosen, limits, deadline)
    refined, by_greedy = _refine(session, s, chosen, limits, deadline)
    stats = {"first_step_cost_per_h": first.objective, "greedy_fallback": float(by_greedy)}
    if refined is None:
        reason = "the configurations of the first step leave no time to collect the partial allocations' batches"
        return Answer(None, "no plan", bound=bound, stats=stats, reason=reason)
    plan = to_plan(session, s, *as_counts(s, refined))
    checked = evaluate(session, plan, space)
    if not checked.feasible or checked.cost_per_h is None:
        return Answer(None, TIE, bound=bound, stats=stats, reason="only ties with the SLO were found")
    # The first step's incumbents are no plans yet; its bounds hold for them all.
    trace = tuple(TracePoint(point.wall_s, None, point.bound) for point in first.trace)
    return Answer(plan, first.raw_status, float(checked.cost_per_h), bound, stats=stats, trace=trace)


def _bound(
    session: Session, space: PlanSpace, s: SessionArrays, chosen: Sequence[int], limits: Limits, deadline: float
) -> float | None:
    """The first step's optimum, proven exactly; if time runs out, what it is at least; None: nothing is known."""
    problem = entry_problem(session, space)
    start = []
    for m, k in enumerate(chosen):
        c = session.modules[m].profile[int(s.profile_index[k])]
        within = [i for i, mode in enumerate(problem.modes[m]) if mode.latency_s <= full_latency_of(c)]
        start.append(within[0])
    engine = chosen_engine(limits.options)
    search = solve_split(problem, lambda p, unit, _: split_model(p, unit, limits, engine), deadline, tuple(start))
    return None if search.bound is None else float(search.bound)


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
