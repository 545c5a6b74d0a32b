"""What a module costs at each latency budget (ours): Harpagon's Algorithm 1 where it may look back, step by step.

Algorithm 1 (Harpagon §III-C) takes as many machines of the best configuration as the rate fills, and never returns to
that. Here it does: where fewer machines, or none, may leave a better rest, they are tried too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import full_latency, module_latency, path_times, whole_and_rest
from euclio.problems.session.policies.kernels import LEFT, TIED
from heuristics.session.schedule import Schedule, new_schedule

LOOKS = 300
"""Configurations that are looked at for one plan once there is one; `PATIENCE` times as many until there is one."""
PATIENCE = 30
CHEAPER = 1.0 - 1e-9
"""What is not cheaper by this share is no cheaper; the next budget is shorter than a plan's latency by this share."""
MOST_STEPS, FINE_STEPS = 200, 150
"""Most steps of a module; after the first 150 the time that a budget leaves is halved each time."""


class Stairs(NamedTuple):
    """Steps of all modules, each module's by falling latency and rising cost.

    Attributes:
        first: number of each module's first step, then the total, shape (modules + 1,).
        latency: worst-case latency in seconds, shape (steps,).
        cost: least cost per hour that was found within `budget`, shape (steps,).
        budget: latency budget in seconds that the step was found within, shape (steps,).
    """

    first: Ints
    latency: Floats
    cost: Floats
    budget: Floats


@compiled
def staircases(s: SessionArrays) -> Stairs:
    """The steps of all modules between their shortest durations and what these leave of the SLO."""
    modules, size = s.rate.size, 0
    first, steps, plan = np.zeros(modules + 1, np.int64), np.empty((3, MOST_STEPS * modules)), new_schedule(s)
    shortest, before, after = np.empty(modules), np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        shortest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
    path_times(s, shortest, before, after)
    for m in range(modules):
        budget = s.slo - before[m] - after[m]
        while size < first[m] + MOST_STEPS and cheapest_within(s, m, budget, plan):
            # What is slower and no cheaper is no step.
            if size > first[m] and steps[1, size - 1] >= plan.cost[m] * CHEAPER:
                size -= 1
            steps[0, size], steps[1, size], steps[2, size] = plan.latency[m], plan.cost[m], budget
            size += 1
            budget = min(budget, plan.latency[m]) * CHEAPER
            if size > first[m] + FINE_STEPS:
                budget = 0.5 * (budget + shortest[m])
        first[m + 1] = size
    return Stairs(first, steps[0, :size].copy(), steps[1, :size].copy(), steps[2, :size].copy())


@compiled
def cheapest_within(s: SessionArrays, m: int, budget: float, plan: Schedule) -> bool:
    """The cheapest plan of module m that is found within a latency budget in seconds.

    A configuration needs what is left of the rate to be at least b/(L - d), dummies included. First come the plans
    whose dummies only their last allocation needs; then, if they are cheaper, those that ask for dummies before.

    Args:
        s: the session; policies of form `EVEN` and `GENERAL` are not understood.
        m: the module.
        budget: latency budget in seconds.
        plan: the module's part is overwritten.

    Returns:
        Whether a plan was found.
    """
    limit, size = budget * (1.0 + TIE), 0
    use, need = np.empty(s.first[m + 1] - s.first[m], np.int64), np.empty((2, s.first[m + 1] - s.first[m]))
    for k in range(s.first[m], s.first[m + 1]):
        if s.duration[k] < limit:
            use[size], need[1, size] = k, s.batch[k] / (limit - s.duration[k])
            need[0, size] = need[1, size]
            # Full machines' latency is theirs alone: they need no rate, or none is enough.
            if s.policy < LEFT:
                need[0, size] = 0.0 if full_latency(s, k) <= limit else np.inf
            size += 1
    best = _look_back(s, m, use[:size], need, 0.0, np.inf, plan)
    if s.dummies and s.policy >= LEFT and size > 0:
        best = _look_back(s, m, use[:size], need, s.throughput[use[:size]].max(), best, plan)
    plan.cost[m] = best
    if best < np.inf:
        plan.latency[m] = module_latency(s, m, plan.machines, plan.partial_at[m], plan.partial[m], plan.dummy[m])
    return bool(best < np.inf)


@compiled
def _look_back(
    s: SessionArrays, m: int, use: Ints, need: Floats, most_dummies: float, best: float, plan: Schedule
) -> float:
    """Algorithm 1, which returns to what it took; plans that cost less per hour than `best` are written down.

    A level is an allocation: `at` its configuration in `use`, `count` the machines of it that are tried next. `rest`,
    `cost` and `asked` are what the levels before leave of the rate, cost, and ask for in dummies, `asks` what the level
    asks for.

    Args:
        s: the session.
        m: the module.
        use: configurations that are fast enough, by rank.
        need: rate that whole machines of each need to be left, and a partial one to have; shape (2, configurations).
        most_dummies: allocations are followed by others only if they ask for fewer dummies than this, or for none.
        best: cost per hour of the plan that is known.
        plan: the module's part is overwritten with every cheaper plan.

    Returns:
        Cost of the cheapest plan per hour.
    """
    counts, levels = np.zeros((2, use.size + 2), np.int64), np.zeros((4, use.size + 2))
    at, count = counts[0], counts[1]
    rest, cost, asked, asks = levels[0], levels[1], levels[2], levels[3]
    rest[0], at[0], d, looks = s.rate[m], -1, 0, 0
    while d >= 0:
        # Machines of the level's configuration are left to be tried: take them, and go on with what they leave.
        if count[d] > 0:
            k = use[at[d]]
            rest[d + 1], cost[d + 1] = rest[d] - count[d] * s.throughput[k], cost[d] + count[d] * s.price[k]
            asked[d + 1], at[d + 1], count[d] = asks[d], at[d], count[d] - 1
            d += 1
            continue
        at[d] += 1
        i, looks = at[d], looks + 1
        # The levels below may have billions of machines left to be tried, so the search ends here for all of them.
        if looks > LOOKS * (1 if best < np.inf else PATIENCE):
            break
        # No later configuration costs less per request.
        if i == use.size or cost[d] + (rest[d] + asked[d]) * s.unit_cost[use[i]] >= best * CHEAPER:
            d -= 1
            continue
        k = use[i]
        whole, left = whole_and_rest(rest[d], s.throughput[k], s.rate[m])
        asks[d] = max(asked[d], need[0, i] - rest[d])
        # Close with whole machines and a partial one, or filled up with dummies to one whole machine more.
        filled = False
        served = asked[d] <= 0.0 and (whole == 0 or asks[d] <= 0.0)
        if left > 0.0:
            served = served and need[1, i] <= (rest[d] if s.policy == TIED else left)
            filled = not served and s.dummies and asks[d] <= s.throughput[k] - left
        paid = cost[d] + (whole + filled) * s.price[k] + (0.0 if filled else left * s.unit_cost[k])
        if (served or filled) and paid < best * CHEAPER:
            best = paid
            plan.machines[s.first[m] : s.first[m + 1]] = 0
            for j in range(d):
                # The count went down by one when its machines were taken.
                plan.machines[use[at[j]]] = count[j] + 1
            plan.machines[k] = whole + filled
            plan.partial_at[m], plan.partial[m] = (k, left) if left > 0.0 and not filled else (-1, 0.0)
            plan.dummy[m] = s.throughput[k] - left if filled else 0.0
        if d + 1 < s.max_allocations and (asks[d] <= 0.0 or asks[d] < most_dummies):
            # The most machines that leave something to those that follow.
            count[d] = whole if left > 0.0 else whole - 1
    return best
