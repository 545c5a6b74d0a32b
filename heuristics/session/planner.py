"""Budgets to plan: Algorithm 1, dummy generator and reassigner below a split, and the whole of a greedy system."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.problems.session.arrays import Floats, SessionArrays
from euclio.problems.session.latency.dispatch import fits, path_times
from heuristics.session.latency_reassigner import reassign_latency
from heuristics.session.latency_splitting import COST, Moves, Units, continue_splitting, single_units, split_latency
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.objective_shares import has_one_objective, stretch_factors
from heuristics.session.schedule import Schedule, copy_schedule, new_schedule
from heuristics.session.split_optimizer import merged_units, module_budgets


class Scheduling(NamedTuple):
    """What is done below a split.

    Attributes:
        dummies: the dummy generator (`dummy_generator.py`).
        reassignments: how often latency may be reassigned.
        first: whether to the first module that gains, instead of the one that gains most.
    """

    dummies: int
    reassignments: int
    first: bool


class Splitting(NamedTuple):
    """How the latency is split move by move.

    Attributes:
        criterion: LATENCY_COST or THROUGHPUT of `latency_splitting.py`.
        start: MOST_EXPENSIVE_HARDWARE or LEAST_LATENCY of that file.
        merge: whether nodes are merged.
        direct: whether moves are undone and made anew by the cost that they save.
        stretch: whether the budgets are stretched to fill the SLO (Piccolo's Algorithm 2, line 19).
    """

    criterion: int
    start: int
    merge: bool
    direct: bool
    stretch: bool


@compiled
def plan_budgets(s: SessionArrays, budgets: Floats, below: Scheduling, plan: Schedule) -> int:
    """Schedule every module within its budget, then reassign what is left.

    Args:
        s: the session.
        budgets: latency budget per module in seconds, shape (modules,).
        below: what is done below the split.
        plan: overwritten.

    Returns:
        How often latency was reassigned; -1 if some module has no plan within its budget, or the SLO is missed.
    """
    modules = s.rate.size
    for m in range(modules):
        if not schedule_module(s, m, s.rate[m], budgets[m], below.dummies, plan):
            return -1
    if not fits(path_times(s, plan.latency, np.zeros(modules), np.zeros(modules)), s.slo):
        return -1
    return reassign_latency(s, below.dummies, below.reassignments, below.first, plan)


@compiled
def plan_greedily(s: SessionArrays, splitting: Splitting, below: Scheduling) -> tuple[Schedule, float, int, int, bool]:
    """Split the latency move by move, optimize the split, and schedule below it.

    Cost-direct tries every number R of undone moves; the cheapest plan is kept (Harpagon §III-D leaves R open).

    Args:
        s: the session.
        splitting: how the latency is split.
        below: what is done below the split.

    Returns:
        Plan, its cost (infinite if none was found), number of moves, number of reassignments, whether the start fell
        back to the least latencies.
    """
    units = merged_units(s) if splitting.merge else single_units(s)
    moves = split_latency(s, units, splitting.criterion, splitting.start)
    best, trial = new_schedule(s), new_schedule(s)
    best_cost, best_reassigned = np.inf, 0
    for kept in range(moves.reached, 0, -1):
        # Undoing moves is cost-direct's part; without it the full split is all there is.
        if kept < moves.reached and not splitting.direct:
            break
        tried = moves if kept == moves.reached else continue_splitting(s, units, COST, moves, kept)
        # It ends in the split that was scheduled already, whose plan is known.
        if kept < moves.reached and _same_end(units, tried, moves):
            continue
        budgets = module_budgets(s, units, tried.latency[tried.reached - 1])
        if splitting.stretch:
            budgets = stretched(s, budgets)
        reassigned = plan_budgets(s, budgets, below, trial)
        # Ties within rounding keep the split with fewer moves undone.
        if reassigned >= 0 and total_of(trial.cost) < best_cost * (1.0 - 1e-12):
            best_cost, best_reassigned = total_of(trial.cost), reassigned
            copy_schedule(trial, best)
    return best, best_cost, moves.reached - 1, best_reassigned, moves.fallback


@compiled
def stretched(s: SessionArrays, budgets: Floats) -> Floats:
    """The budgets in proportion, so that the longest path takes the whole SLO (Piccolo §III-C, Algorithm 2, line 19).

    The end-to-end latency that the paper divides by is the whole DAG's; what shorter paths have to spare is left to the
    reassigner. Of several objectives each is filled, and a module's budget is the least of these.
    """
    if not has_one_objective(s):
        return budgets * stretch_factors(s, budgets)
    modules = s.rate.size
    return budgets * (s.slo / path_times(s, budgets, np.zeros(modules), np.zeros(modules)))


@compiled
def _same_end(units: Units, a: Moves, b: Moves) -> bool:
    """Whether two sequences of moves end with equal latencies of all units."""
    for u in range(units.first.size - 1):
        if a.latency[a.reached - 1, u] != b.latency[b.reached - 1, u]:
            return False
    return True
