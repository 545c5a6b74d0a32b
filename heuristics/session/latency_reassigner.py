"""Latency reassigner of Harpagon (§III-C): what the paths leave unused goes to the residual workload."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import SessionArrays
from euclio.problems.session.latency.dispatch import fits, module_latency, path_times
from heuristics.session.continuous_dummies import add_filled, fill_leftover, least_rate
from heuristics.session.dummy_generator import ANY_RATE, WHOLE_MACHINES
from heuristics.session.module_scheduler import module_cost, schedule_module
from heuristics.session.schedule import Schedule, copy_module, new_schedule


@compiled
def reassign_latency(s: SessionArrays, dummies: int, most: int, first: bool, plan: Schedule) -> int:
    """Give unused latency, greedily, to the module whose residual saves most; repeat while it helps.

    Args:
        s: the session.
        dummies: the dummy generator (`dummy_generator.py`).
        most: how often at most (Harp-0re: 0, Harp-1re: 1).
        first: whether the first module that saves anything, in the session's order, is taken instead.
        plan: a feasible schedule, improved in place.

    Returns:
        How often latency was reassigned.
    """
    modules = s.rate.size
    before, after = np.zeros(modules), np.zeros(modules)
    candidate, best = new_schedule(s), new_schedule(s)
    done = 0
    while done < most:
        path_times(s, plan.latency, before, after)
        best_gain, best_module = 0.0, -1
        for m in range(modules):
            budget = s.slo - before[m] - after[m]
            # No latency is to spare beyond rounding.
            if budget <= plan.latency[m] * (1.0 + TIE):
                continue
            if not reschedule_residual(s, m, budget, dummies, plan, candidate):
                continue
            gain = plan.cost[m] - candidate.cost[m]
            # Ties go to the first module; gains within rounding would never end.
            if gain > best_gain and gain > 1e-9 * plan.cost[m]:
                best_gain, best_module = gain, m
                copy_module(s, m, candidate, best)
                # What the modules after it would save is never asked.
                if first:
                    break
        if best_module < 0:
            break
        copy_module(s, best_module, best, plan)
        done += 1
    return done


@compiled
def reschedule_residual(
    s: SessionArrays, m: int, budget: float, dummies: int, plan: Schedule, candidate: Schedule
) -> bool:
    """Run Algorithm 1 again on everything after the first allocation's whole machines, and merge the result with them.

    Dummies at any rate depend on the budget: with them the generator goes over the merged plan once more, and may fill
    up the first configuration where Algorithm 1 finds nothing for the residual alone (ours; the paper is silent).

    Args:
        s: the session.
        m: the module.
        budget: latency budget in seconds.
        dummies: the dummy generator (`dummy_generator.py`).
        plan: the schedule so far.
        candidate: the module's part is overwritten.

    Returns:
        Whether `candidate` holds a plan of module m that obeys every rule within the budget.
    """
    lo, hi = s.first[m], s.first[m + 1]
    first = lo
    while plan.machines[first] == 0 and plan.partial_at[m] != first:
        first += 1
    # What paths leave does not help the majority (Harpagon §III-C), so that its whole machines stay.
    kept = plan.machines[first]
    residual = s.rate[m] - kept * s.throughput[first]
    # The whole machines that stay serve everything: there is no residual.
    if residual <= TIE * s.rate[m]:
        return False
    if not schedule_module(s, m, residual, budget, dummies, candidate):
        if dummies != ANY_RATE or residual >= s.throughput[first] or s.duration[first] >= budget:
            return False
        candidate.machines[lo:hi], candidate.dummy[m] = 0, 0.0
        add_filled(s, m, first, least_rate(s, first, kept, residual, budget), residual, candidate)
    candidate.machines[first] += kept
    candidate.cost[m] += kept * s.price[first]
    if dummies == ANY_RATE:
        fill_leftover(s, m, budget, candidate)
        candidate.cost[m] = module_cost(s, m, candidate)
    used, last = 0, lo
    for k in range(lo, hi):
        if candidate.machines[k] > 0 or candidate.partial_at[m] == k:
            used, last = used + 1, k
    # With the machines that stay, the new plan may have an allocation too many.
    if used > s.max_allocations:
        return False
    # A partial machine has to be the last in the ranking.
    if candidate.partial_at[m] >= 0 and candidate.partial_at[m] != last:
        return False
    # Where dummies fill machines up to full, they may fill less than one of the last configuration.
    if dummies == WHOLE_MACHINES and candidate.dummy[m] >= s.throughput[last]:
        return False
    candidate.latency[m] = module_latency(
        s, m, candidate.machines, candidate.partial_at[m], candidate.partial[m], candidate.dummy[m]
    )
    return fits(candidate.latency[m], budget)
