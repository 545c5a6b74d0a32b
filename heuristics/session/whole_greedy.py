"""A heuristic that plans for machines that are charged whole, and packed (ours; docs/model/whole-machines.md).

Where machines may be shared, plans are made several times: with partial machines charged whole, half or by the time
that they are busy, and with a part of the SLO kept for the waits on shared machines. The cheapest that packing makes of
them is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from euclio.core.lazy import late
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import Charging, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, SessionArrays, session_arrays
from euclio.problems.session.family import FAMILY
from euclio.problems.session.least_latency import why_no_plan
from euclio.problems.session.placing import share_machines
from euclio.problems.session.policies.kernels import raise_error_of
from heuristics.session.schedule import filled_plan
from heuristics.session.solver import hardware_choices
from heuristics.session.whole_splitting import cover_module, split_whole

cheaper_packed: Callable[[Session, PlanSpace, SessionArrays, Plan, float], Plan | None] = late(
    "heuristics.session.packing_search", "cheaper_packed"
)

NAME = "whole-greedy"
WEIGHTS = (1.0, 0.5, 0.0)
"""How much of a partial machine's price is charged while plans are made that are to be packed."""
PARTS = (1.0, 0.9, 0.8, 0.65)
"""Parts of the SLO that they are made for."""
BELOW = 1.0 - 1e-9
"""Where rounding decides a tie with the SLO wrongly, a plan for just less does."""


def solve_whole_greedy(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session for whole or packed machines, on each hardware where only one type is allowed."""
    best, exchanges = Answer(None, "no plan"), 0.0
    for one in hardware_choices(session, space):
        arrays = session_arrays(session, one)
        if (arrays.first[1:] == arrays.first[:-1]).any():
            continue
        here = Answer(None, "no plan")
        for weight, part in product(WEIGHTS, PARTS) if space.charging.packs else [(1.0, 1.0)]:
            answer = _plan_part(session, one, arrays, weight, part)
            exchanges += answer.stats.get("exchanges", 0.0)
            here = _cheaper(here, answer)
        best = _cheaper(best, _repacked(session, one, arrays, here) if space.charging.packs else here)
    raise_error_of(space.policy)
    if best.plan is not None:
        return replace(best, stats={"exchanges": exchanges})
    why = why_no_plan(session, space)
    if why:
        return Answer(None, "infeasible", infeasible=True, reason=why)
    return Answer(None, "no plan", reason=f"{NAME} found no plan that meets the SLO")


def _cheaper(first: Answer, second: Answer) -> Answer:
    """The answer with the cheaper plan; ties keep the first."""
    if second.claimed is None or (first.claimed is not None and first.claimed <= second.claimed):
        return first
    return second


def _repacked(session: Session, space: PlanSpace, arrays: SessionArrays, answer: Answer) -> Answer:
    """The answer with a cheaper plan of packed machines, where the search finds one."""
    if answer.plan is None or answer.claimed is None:
        return answer
    plan = cheaper_packed(session, space, arrays, answer.plan, answer.claimed)
    if plan is None:
        return answer
    cost = evaluate(session, plan, space).cost_per_h
    assert cost is not None
    # The search does not know of idle machines.
    return answer if float(cost) > answer.claimed else Answer(plan, "feasible", claimed=float(cost))


def compile_whole_greedy() -> None:
    """Compile what a run for whole machines does not reach: the search that packs partial ones."""
    solve_whole_greedy(*FAMILY.tiny(PlanSpace(charging=Charging.PACKED)), Limits())


def _plan_part(session: Session, space: PlanSpace, arrays: SessionArrays, weight: float, part: float) -> Answer:
    """One plan, made for a part of the SLO, and packed where the plan space allows it."""
    for slo in (arrays.slo * part, arrays.slo * part * BELOW):
        s = arrays._replace(slo=slo)
        budgets, cost, exchanges = split_whole(s, space.fills, weight)
        if not np.isfinite(cost):
            break
        plan = _plan_of(session, s, space, budgets, weight)
        if space.charging.packs:
            plan = share_machines(session, plan, space)
        found = evaluate(session, plan, space)
        if found.feasible and found.cost_per_h is not None:
            return Answer(plan, "feasible", claimed=float(found.cost_per_h), stats={"exchanges": float(exchanges)})
    return Answer(None, "no plan")


def _plan_of(session: Session, s: SessionArrays, space: PlanSpace, budgets: Floats, weight: float) -> Plan:
    """The plan of exact numbers that the budgets stand for."""
    machines, partial_at = np.zeros(s.batch.size, np.int64), np.full(s.rate.size, -1, np.int64)
    for m, budget in enumerate(budgets.tolist()):
        own = machines[s.first[m] : s.first[m + 1]]
        partial_at[m] = cover_module(s, m, budget, space.fills, weight, own)[1]
    return filled_plan(session, s, machines, partial_at, space.fills)
