"""Solver `exact`: the cheapest plan of a session in any plan space, with proof."""

from __future__ import annotations

import math
import time

import numpy as np

from euclio.registry import Limits
from euclio.result import Answer
from euclio.session import DummyRule, Plan, PlanSpace, Session, evaluate
from euclio.session.arrays import SessionArrays, session_arrays, to_plan
from euclio.session.latency_bound import latency_bound
from formulations.continuous_budgets import ContinuousProof, ContinuousSearch
from formulations.continuous_plan import fill_up
from formulations.frontier_search import INFEASIBLE, OPTIMAL, prove
from formulations.per_hardware import cheapest_over_hardware

GAP = 1e-9
"""Relative gap at which the search stops."""


def solve_exact(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Module frontiers and mode search (ours); anytime under a time limit, with a valid bound.

    Under dummy rule `continuous` budgets are bracketed (`continuous_budgets`) to the gap named there. With
    `single_hardware` every hardware type is solved and the cheapest kept.
    """
    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    return cheapest_over_hardware(session, space, lambda on: _solve_on(session, on, deadline))


def _solve_on(session: Session, space: PlanSpace, deadline: float) -> Answer:
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "infeasible", infeasible=True, reason="a module has no configuration in the plan space")
    if space.dummy is DummyRule.CONTINUOUS:
        return _solve_continuous(session, space, arrays, deadline)
    proof = prove(arrays, GAP, deadline)
    stats = {"solves": float(proof.solves), "nodes": float(proof.nodes), "rounds": float(proof.rounds)}
    if proof.status == INFEASIBLE:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason="no plan meets the SLO (proven)")
    bound = float(proof.bound) if proof.bound > 0 else None
    if not math.isfinite(proof.cost):
        return Answer(None, "limit", bound=bound, stats=stats, reason="the time limit was hit")
    plan = to_plan(session, arrays, proof.machines, proof.partial_at)
    if not proof.clear and not evaluate(session, plan, space).feasible:
        # Rounding decided a tie against the plan: the bound stands, the plan is looked for just inside the SLO.
        proof = prove(arrays._replace(slo=arrays.slo * (1.0 - 1e-9)), GAP, deadline)
        if not math.isfinite(proof.cost):
            return Answer(None, "limit", bound=bound, stats=stats, reason="only ties with the SLO were found")
        plan = to_plan(session, arrays, proof.machines, proof.partial_at)
    status = "optimal" if proof.status == OPTIMAL else "limit"
    return Answer(plan, status, float(proof.cost), bound, stats=stats)


def _solve_continuous(session: Session, space: PlanSpace, arrays: SessionArrays, deadline: float) -> Answer:
    """Rule `continuous`: the plan's dummy rates are made exactly from the budgets that the search chose."""
    shortest = [latency_bound(module, space) for module in session.modules]
    least = [float(latency) for latency in shortest if latency is not None]
    proof = ContinuousSearch(arrays, least, deadline).prove()
    stats = {"solves": float(proof.solves), "rounds": float(proof.rounds)}
    if proof.status == INFEASIBLE:
        return Answer(None, "infeasible", infeasible=True, stats=stats, reason="no plan meets the SLO (proven)")
    bound = proof.bound if proof.bound > 0 else None
    if not proof.plans:
        return Answer(None, "limit", bound=bound, stats=stats, reason="the time limit was hit")
    plan = _filled(session, space, arrays, proof)
    if plan is None:
        # Rounding decided a tie against the plan: the bound stands, the plan is looked for just inside the SLO.
        inside = arrays._replace(slo=arrays.slo * (1.0 - 1e-9))
        proof = ContinuousSearch(inside, least, deadline).prove()
        plan = _filled(session, space, arrays, proof) if proof.plans else None
    if plan is None:
        return Answer(None, "limit", bound=bound, stats=stats, reason="only ties with the SLO were found")
    status = "optimal" if proof.status == OPTIMAL else "limit"
    return Answer(plan, status, proof.cost, bound, stats=stats)


def _filled(session: Session, space: PlanSpace, arrays: SessionArrays, proof: ContinuousProof) -> Plan | None:
    partial_at = np.array([plan.partial_at for plan in proof.plans])
    plan = to_plan(session, arrays, np.concatenate([plan.machines for plan in proof.plans]), partial_at)
    return fill_up(session, plan, (partial_at >= 0).tolist(), [plan.latency for plan in proof.plans], space)
