"""Runs a row of Table III on a session: puts its components together."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, SessionArrays, session_arrays
from euclio.problems.session.latency.dispatch import clear_of_rounding, path_times
from euclio.problems.session.latency.series_parallel import reduce_series_parallel
from euclio.problems.session.least_latency import why_no_plan
from euclio.problems.session.placing import share_machines
from euclio.problems.session.policies.kernels import raise_error_of
from heuristics.session.dummy_generator import generator_of
from heuristics.session.latency_splitting import (
    LATENCY_COST,
    LEAST_LATENCY,
    MOST_EXPENSIVE_HARDWARE,
    THROUGHPUT,
    split_quantized,
)
from heuristics.session.objective_shares import even_shares, has_one_objective
from heuristics.session.planner import Scheduling, Splitting, plan_budgets, plan_greedily
from heuristics.session.schedule import Schedule, bought_whole, idle_cost, new_schedule, plan_of, spare_cost
from heuristics.session.systems import Splitter, Start, System

# Even latency splitting: Clipper as Harpagon compares it (§IV-A): equal shares along each path.


@compiled
def split_evenly(s: SessionArrays) -> Floats:
    """Budget per module in seconds: the SLO divided by the modules on the longest chain through it."""
    if not has_one_objective(s):
        return even_shares(s)
    ones = np.ones(s.rate.size)
    before, after = np.zeros(s.rate.size), np.zeros(s.rate.size)
    path_times(s, ones, before, after)
    return s.slo / (before + ones + after)


REASSIGN_MOST = 1 << 30
MOST_QUANTA = 20_000
"""Steps of a quantized budget beyond which the dynamic program, quadratic in them, is not begun."""


def run_system(system: System, session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Plan a session as the system does, on each hardware that its row allows, and keep the cheapest.

    Raises:
        InapplicableError: a quantized splitter meets a DAG that is not series-parallel, or too many steps.
    """
    best = Answer(None, "no plan")
    for one in hardware_choices(session, system.narrow(session, space)):
        answer = _run_on(system, session, one)
        # Strictly cheaper: ties keep the hardware that is listed first.
        if answer.plan is not None and (best.claimed is None or (answer.claimed or 0.0) < best.claimed):
            best = answer
    return best if best.plan is not None else _no_plan(system, session, space)


def _no_plan(system: System, session: Session, space: PlanSpace) -> Answer:
    """The answer of a system that found none: infeasible only where bounds on the latency prove it."""
    why = why_no_plan(session, space)
    if why:
        return Answer(None, "infeasible", infeasible=True, reason=why)
    return Answer(None, "no plan", reason=f"{system.name} found no plan that meets the SLO")


def hardware_choices(session: Session, space: PlanSpace) -> list[PlanSpace]:
    """The plan spaces to try: one, or one per hardware type ("one type": the cheapest result over the types)."""
    if not space.single_hardware:
        return [space]
    return [space.on(h.name) for h in space.hardware_of(session)]


def _run_on(system: System, session: Session, space: PlanSpace) -> Answer:
    """One attempt at the SLO itself; where rounding made the checker refuse the plan, one just below it.

    The published systems plan for machines by share. Where they are charged whole, that plan is bought rounded up;
    where they may be shared, its partial machines are packed.
    """
    arrays = session_arrays(session, space)
    if (arrays.first[1:] == arrays.first[:-1]).any():
        return Answer(None, "no plan")
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        schedule, cost, stats = plan_arrays(system, arrays._replace(slo=slo), generator_of(space.dummy))
        raise_error_of(space.policy)
        if not np.isfinite(cost):
            break
        plan = plan_of(session, arrays, schedule, space.dummy)
        clear = clear_of_rounding(arrays, schedule.latency, schedule.partial, schedule.dummy)
        if clear or evaluate(session, plan, space).feasible:
            plan = share_machines(session, plan, space) if space.charging.packs else plan
            claimed = bought_whole(session, plan) if space.charging.whole else float(cost)
            claimed += spare_cost(session, plan) + idle_cost(session, plan, space)
            return Answer(plan, "feasible", claimed=claimed, stats=stats)
    return Answer(None, "no plan")


def plan_arrays(system: System, s: SessionArrays, dummies: int) -> tuple[Schedule, float, dict[str, float]]:
    """Plan a session on one choice of hardware, in floats only: `run_system` without the checker.

    Args:
        system: the row.
        s: the session within the row's plan space.
        dummies: generator of dummies (`heuristics.session.dummy_generator.generator_of`).

    Returns:
        The schedule, its cost per hour (infinite if there is no plan) and what was counted on the way.

    Raises:
        InapplicableError: a quantized splitter meets a DAG that is not series-parallel, or too many steps.
    """
    reassignments = REASSIGN_MOST if system.reassignments is None else system.reassignments
    below = Scheduling(dummies, reassignments, system.reassign_first)
    if system.splitter in (Splitter.LATENCY_COST, Splitter.THROUGHPUT):
        splitting = Splitting(
            LATENCY_COST if system.splitter is Splitter.LATENCY_COST else THROUGHPUT,
            LEAST_LATENCY if system.start is Start.LEAST_LATENCY else MOST_EXPENSIVE_HARDWARE,
            system.merge,
            system.direct,
            system.stretch,
        )
        schedule, cost, moves, reassigned, fallback = plan_greedily(s, splitting, below)
        stats = {"iterations": float(moves), "reassignments": float(reassigned), "start_fallback": float(fallback)}
        return schedule, cost, stats
    if system.splitter is Splitter.QUANTIZED:
        reduction = reduce_series_parallel(s)
        if len(reduction.left) > 1:
            raise InapplicableError(f"{system.name} splits series-parallel DAGs only; this one is not")
        if s.slo > MOST_QUANTA * system.quantum_s:
            raise InapplicableError(
                f"{system.name} cuts the SLO of {s.slo:g} s into steps of {system.quantum_s:g} s; "
                f"at most {MOST_QUANTA} steps are tried"
            )
        budgets, cost = split_quantized(s, reduction.steps, system.quantum_s, dummies)
        if not np.isfinite(cost):
            return new_schedule(s), np.inf, {}
    else:
        budgets = split_evenly(s)
    schedule = new_schedule(s)
    reassigned = plan_budgets(s, budgets, below, schedule)
    cost = float(schedule.cost.sum()) if reassigned >= 0 else np.inf
    return schedule, cost, {"reassignments": float(max(reassigned, 0))}
