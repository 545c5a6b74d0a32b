"""Solver `price-of-time` (ours): steps of modules, a price of a second in each, and a choice by what it loses.

`heuristics/session/staircases.py` has the steps, `heuristics/session/time_prices.py` the prices and the choice;
docs/findings/our-heuristic.md says how near to the optimum that comes.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, session_arrays
from euclio.problems.session.latency.dispatch import clear_of_rounding
from euclio.problems.session.least_latency import why_no_plan
from heuristics.session.filled_plan import plan_of
from heuristics.session.schedule import Schedule, new_schedule
from heuristics.session.solver import hardware_choices
from heuristics.session.staircases import cheapest_within, staircases
from heuristics.session.time_prices import split_by_prices

NAME = "price-of-time"


def solve_price_of_time(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session by prices of time, on each hardware where only one type is allowed."""
    best = Answer(None, "no plan", reason=f"{NAME} found no plan that meets the SLO")
    for one in hardware_choices(session, space):
        answer = _planned(session, one)
        # Strictly cheaper: ties keep the hardware that is listed first.
        if answer.claimed is not None and (best.claimed is None or answer.claimed < best.claimed):
            best = answer
    why = "" if best.plan is not None else why_no_plan(session, space)
    return Answer(None, "infeasible", infeasible=True, reason=why) if why else best


def _planned(session: Session, space: PlanSpace) -> Answer:
    """The plan for one choice of hardware; where rounding made the checker refuse it, one just below the SLO."""
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "no plan")
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        schedule, cost = plan_by_prices(arrays._replace(slo=slo))
        if not np.isfinite(cost):
            break
        plan = plan_of(session, arrays, schedule, space.dummy)
        clear = clear_of_rounding(arrays, schedule.latency, schedule.partial, schedule.dummy)
        if clear or evaluate(session, plan, space).feasible:
            return Answer(plan, "feasible", claimed=float(cost))
    return Answer(None, "no plan")


@compiled
def plan_by_prices(s: SessionArrays) -> tuple[Schedule, float]:
    """The plan of a session each of whose modules has a configuration, and its cost per hour; infinite: none found."""
    plan, stairs, cost = new_schedule(s), staircases(s), 0.0
    if (stairs.first[1:] == stairs.first[:-1]).any():
        return plan, np.inf
    chosen, cost = split_by_prices(s, stairs)
    if cost < np.inf:
        for m in range(s.rate.size):
            cheapest_within(s, m, stairs.budget[chosen[m]], plan)
    return plan, cost
