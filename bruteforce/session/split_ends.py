"""What a module's plan can become when the reassigner gives its residual more latency (compiled)."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import TIE, UNLIMITED, Floats, SessionArrays
from euclio.problems.session.latency.dispatch import module_latency
from euclio.problems.session.policies.kernels import LEFT, TIED
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.latency_reassigner import reschedule_residual
from heuristics.session.module_scheduler import generate_configuration
from heuristics.session.schedule import Schedule, new_schedule


@compiled
def plan_ends(s: SessionArrays, m: int, dummies: int, most_budget: float, plan: Schedule) -> Floats:
    """Every pair of worst-case latency and cost that module m's plan can end with, or something no more expensive.

    The residual is rescheduled at every budget at which Algorithm 1 gives another plan, from the largest down. A
    plan whose first allocation changes has another residual next time: for it the whole rate's fluid bound stands in.
    Where Algorithm 1 leaves a rest, the residual's fluid bound stands in for all smaller budgets.

    Dummies at any rate give a plan of their own for every budget. As long as Algorithm 1's plan stays, more budget only
    means fewer of them: the cost at the largest budget stands in for all, at a latency that no plan is below. With a
    limit on allocations that need not hold, and the whole rate's fluid bound stands in for everything.

    Args:
        s: the session.
        m: the module.
        dummies: the dummy generator.
        most_budget: largest budget that the module can ever get, in seconds.
        plan: a schedule that holds the module's plan.

    Returns:
        Rows (latency in seconds, cost per hour), shape (ends, 2).
    """
    ends = np.empty((64, 2))
    ends[0, 0], ends[0, 1] = plan.latency[m], plan.cost[m]
    size = 1
    first = _first_allocation(s, m, plan)
    kept = plan.machines[first]
    residual = s.rate[m] - kept * s.throughput[first]
    candidate, unfilled = new_schedule(s), new_schedule(s)
    # What the whole machines that stay take at least; without any, the fastest configuration's duration.
    shortest = s.duration[first] if kept > 0 else s.duration[s.first[m] : s.first[m + 1]].min()
    if dummies == ANY_RATE and s.max_allocations < UNLIMITED:
        ends[1, 0], ends[1, 1] = 0.0, _fluid(s, m, s.rate[m], most_budget)
        return ends[:2]
    budget = most_budget
    while residual > TIE * s.rate[m] and budget > 0.0:
        rest, _ = generate_configuration(s, m, residual, budget, unfilled)
        possible = reschedule_residual(s, m, budget, dummies, plan, candidate)
        # The reassigner takes only what saves money.
        if possible and candidate.cost[m] < plan.cost[m]:
            if size == ends.shape[0]:
                ends = np.concatenate((ends, np.empty_like(ends)))
            ends[size, 0], ends[size, 1] = candidate.latency[m], candidate.cost[m]
            if dummies == ANY_RATE:
                ends[size, 0] = shortest
            # Another residual next time: bounded, in place of following every way on.
            if _first_allocation(s, m, candidate) != first or candidate.machines[first] != kept:
                ends[size, 0], ends[size, 1] = 0.0, _fluid(s, m, s.rate[m], most_budget)
            size += 1
        # Algorithm 1 fails here: one fluid bound covers all smaller budgets.
        if rest > 0.0:
            cost = _fluid(s, m, residual, budget)
            if dummies == ANY_RATE:
                # Filled up, the first configuration takes the residual next to the machines that stay.
                cost = min(cost, s.unit_cost[first] * residual)
            cost += kept * s.price[first]
            if cost < plan.cost[m]:
                ends = np.concatenate((ends[:size], np.array([[s.duration[first], cost]])))
                size += 1
            break
        served = residual - s.rate[m]
        latency = module_latency(s, m, unfilled.machines, unfilled.partial_at[m], unfilled.partial[m], served)
        # Just below what this plan takes, by more than `fits` forgives: the next budget with another plan.
        budget = min(latency, budget) * (1.0 - 4.0 * TIE)
    return ends[:size]


@compiled
def _fluid(s: SessionArrays, m: int, rate: float, budget: float) -> float:
    """Least cost of a rate within a budget: all of it, or a configuration's need if that is more, at one unit cost."""
    best = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        # No rate makes it fast enough.
        if s.duration[k] >= budget:
            continue
        need = 0.0
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (budget * (1.0 + TIE) - s.duration[k])
        best = min(best, s.unit_cost[k] * max(rate, need))
    return best


@compiled
def _first_allocation(s: SessionArrays, m: int, plan: Schedule) -> int:
    """The configuration of module m's first allocation in rank order."""
    first = s.first[m]
    while plan.machines[first] == 0 and plan.partial_at[m] != first:
        first += 1
    return int(first)
