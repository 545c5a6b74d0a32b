"""Solver `exact`: the cheapest plan of a session in any plan space with dummy rule none or machine, with proof."""

from __future__ import annotations

import math
import time

from euclio.errors import InapplicableError
from euclio.registry import Limits
from euclio.result import Answer
from euclio.session import DummyRule, PlanSpace, Session, evaluate
from euclio.session.arrays import session_arrays, to_plan
from formulations.frontier_search import INFEASIBLE, OPTIMAL, prove

GAP = 1e-9
"""Relative gap at which the search stops."""


def solve_exact(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Module frontiers and mode search (ours); anytime under a time limit, with a valid bound.

    With `single_hardware` every hardware type is solved and the cheapest kept.

    Raises:
        InapplicableError: the dummy rule is `continuous`.
    """
    if space.dummy is DummyRule.CONTINUOUS:
        raise InapplicableError("exact covers the dummy rules none and machine, not continuous")
    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    if not space.single_hardware:
        return _solve_on(session, space, deadline)
    return _cheapest([_solve_on(session, space.on(h.name), deadline) for h in space.hardware_of(session)])


def _cheapest(answers: list[Answer]) -> Answer:
    """The best of answers over disjoint plan spaces; its bound is the least of their bounds."""
    open_answers = [a for a in answers if not a.infeasible]
    if not open_answers:
        return answers[0]
    best = min(open_answers, key=lambda a: math.inf if a.claimed_cost_per_h is None else a.claimed_cost_per_h)
    bounds = [a.bound_per_h for a in open_answers]
    bound = None if None in bounds else min(b for b in bounds if b is not None)
    stats = {key: sum(a.stats.get(key, 0.0) for a in answers) for key in best.stats}
    status = "optimal" if all(a.raw_status == "optimal" for a in open_answers) else "limit"
    return Answer(best.plan, status, best.claimed_cost_per_h, bound, best.infeasible, stats, best.reason)


def _solve_on(session: Session, space: PlanSpace, deadline: float) -> Answer:
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "infeasible", infeasible=True, reason="a module has no configuration in the plan space")
    proof = prove(arrays, GAP, deadline)
    stats = {"solves": float(proof.solves), "nodes": float(proof.nodes), "rounds": float(proof.rounds)}
    if proof.status == INFEASIBLE:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason="no plan meets the SLO (proven)")
    bound = float(proof.bound) if proof.bound > 0 else None
    if not math.isfinite(proof.cost):
        return Answer(None, "limit", bound_per_h=bound, stats=stats, reason="the time limit was hit")
    plan = to_plan(session, arrays, proof.machines, proof.partial_at)
    if not proof.clear and not evaluate(session, plan, space).feasible:
        # Rounding decided a tie against the plan: the bound stands, the plan is looked for just inside the SLO.
        proof = prove(arrays._replace(slo=arrays.slo * (1.0 - 1e-9)), GAP, deadline)
        if not math.isfinite(proof.cost):
            return Answer(None, "limit", bound_per_h=bound, stats=stats, reason="only ties with the SLO were found")
        plan = to_plan(session, arrays, proof.machines, proof.partial_at)
    status = "optimal" if proof.status == OPTIMAL else "limit"
    return Answer(plan, status, float(proof.cost), bound, stats=stats)
