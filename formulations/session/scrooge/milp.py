"""Solver `scrooge-milp`: Scrooge's allocation (§3.3) in two steps, as the paper runs it.

First the MILP (1)-(2d), which takes every machine for full. Then the partial allocations are refined by (3), all
modules in one run (the paper re-runs the MILP for "only this worker" and does not say in which order; one run for all
cannot do worse). Where that is infeasible, Scrooge falls back on a greedy search, and so does this
(`heuristics/session/scrooge_refinement.py`, which also says how the paper's contradictions are read).

The first step bounds every plan of the space from below, so a plan that matches it is proven optimal. Any other plan is
just a plan: the second step does not look back at the first. The engine's word on the first step counts for the plan
only. Its optimum as a bound is proven: one entry per module, of a latency and a cost, is a choice of modes. Our own
search bounds it with the SLO a little too long (`formulations/session/split/search.py`); where a choice on the
very SLO lies in between, exact arithmetic decides (`formulations/session/split/proof.py`). Infeasibility is proven
from fractions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from euclio.core.compiled import is_past
from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, session_arrays, to_plan
from euclio.problems.session.least_latency import why_no_plan
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import chosen_engine, export_lp
from formulations.session.milp.split import split_model
from formulations.session.scrooge.model import (
    allocation_model,
    chosen_of,
    entry_problem,
    full_latency_of,
    refinement_model,
)
from formulations.session.split.course import unwatched
from formulations.session.split.mode_dag import mode_dag
from formulations.session.split.proof import solve_split
from formulations.session.split.search import no_lines, search_choices
from formulations.tolerances import GAP, SLO_SLACK, WITHIN_SLO
from heuristics.session.scrooge_refinement import Way, as_counts, latency_room, least_latency, refine_greedily, ways

if TYPE_CHECKING:
    from pulp import LpProblem

NAME = "scrooge-milp"
TIE = "tie with the SLO"


def solve_scrooge_milp(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Scrooge's two steps; without a plan that the checker accepts there is none."""
    s = session_arrays(session, space)
    deadline = limits.deadline()
    if (s.first[1:] == s.first[:-1]).any():
        answer: Answer = Answer(None, "no plan")
    else:
        answer = _plan(session, space, s, limits, deadline)
    if answer.raw_status == TIE:
        below = _plan(session, space, s._replace(slo=s.slo * WITHIN_SLO), limits, deadline)
        answer = replace(below, bound=answer.bound) if below.plan is not None else answer
    # Fractions are slow, so they are asked only where there is no plan to be faster with.
    why = why_no_plan(session, space) if answer.plan is None else ""
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else answer


def _plan(session: Session, space: PlanSpace, s: SessionArrays, limits: Limits, deadline: float) -> Answer:
    """The plan of both steps of Scrooge's MILP, at the SLO that the arrays hold."""
    least = least_latency(s)
    if (least > latency_room(s, least)).any():
        return Answer(None, "no plan", reason="not even the least latencies meet the SLO by more than rounding")
    model, x = allocation_model(session, s)
    if limits.options.export_lp is not None:
        export_lp(model, limits.options.export_lp)
    first = _run(model, limits, deadline)
    if first.values is None or first.objective is None:
        hit = not first.infeasible
        reason = (
            "the time limit was hit in the first step" if hit else "no configurations meet the SLO, says the engine"
        )
        return Answer(None, first.raw_status, reason=reason)
    chosen = chosen_of(x, first.values)
    bound = _bound(session, space, s, chosen, limits, deadline)
    refined, by_greedy = _refine(session, s, chosen, limits, deadline)
    stats = {"first_step_cost_per_h": first.objective, "greedy_fallback": float(by_greedy)}
    if refined is None:
        hit = is_past(deadline)
        missed = "the configurations of the first step leave no time to collect the partial allocations' batches"
        reason = "the time limit was hit in the second step" if hit else missed
        return Answer(None, "limit" if hit else "no plan", bound=bound, stats=stats, reason=reason)
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
    """What the first step costs at least: proven in floating point, exactly where that leaves a gap to its optimum."""
    bound = _relaxed_bound(session, s, deadline)
    cost = sum(float(s.unit_cost[k] * s.rate[m]) for m, k in enumerate(chosen))
    if bound >= cost * (1.0 - PROOF_TOLERANCE):
        return bound
    problem = entry_problem(session, space)
    start = []
    for m, k in enumerate(chosen):
        c = session.modules[m].profile[int(s.profile_index[k])]
        within = [i for i, mode in enumerate(problem.modes[m]) if mode.latency_s <= full_latency_of(c)]
        start.append(within[0])
    engine = chosen_engine(limits.options)
    search = solve_split(problem, lambda p, unit, _: split_model(p, unit, limits, engine), deadline, tuple(start))
    return None if search.bound is None else float(search.bound)


def _relaxed_bound(session: Session, s: SessionArrays, deadline: float) -> float:
    """A lower bound on the first step by our own search over its entries, with the SLO a little longer than it is."""
    own = [slice(int(a), int(b)) for a, b in pairwise(s.first)]
    latencies = [(s.duration[k] + s.batch[k] / s.throughput[k]).tolist() for k in own]
    costs = [(s.unit_cost[k] * s.rate[m]).tolist() for m, k in enumerate(own)]
    edges = [(session.index[a], session.index[b]) for a, b in session.edges]
    dag = mode_dag(edges, latencies, costs, float(session.slo_s) * (1.0 + SLO_SLACK))
    if dag.modes.size.min() == 0:
        return 0.0
    found = search_choices(dag.arrays, dag.modes, no_lines(dag.modes), math.inf, GAP, deadline, unwatched())
    # The search leaves out what is cheaper by less than its tolerance; the rest is for rounding.
    return float(found.bound) * (1.0 - 0.6 * PROOF_TOLERANCE)


def _refine(
    session: Session, s: SessionArrays, chosen: Sequence[int], limits: Limits, deadline: float
) -> tuple[list[Way] | None, bool]:
    """The second step: one way per module, None if there is none; and whether the greedy search found it."""
    choices = [ways(s, m, k) for m, k in enumerate(chosen)]
    model, y = refinement_model(session, s, choices)
    second = _run(model, limits, deadline)
    if second.values is None:
        return refine_greedily(s, chosen, deadline), True
    return [choices[m][w] for m, w in enumerate(chosen_of(y, second.values))], False


def _run(model: LpProblem, limits: Limits, deadline: float) -> LinearOutcome:
    """Run a model for what is left of the time."""
    limits_left = replace(engine_limits(limits, max(0.0, deadline - time.perf_counter())), plain=True)
    return chosen_engine(limits.options).run(model, limits_left)
