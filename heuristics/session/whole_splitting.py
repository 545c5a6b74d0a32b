"""Latency splitting where machines are charged whole (ours): Algorithm 2 of Harpagon on steps of whole machines.

A module's options are its cheapest machines at ever smaller budgets. Splitting begins with everybody's fastest option
and goes on to cheaper ones, by money saved per second of latency (Harpagon §III-D). Then modules are made faster one at
a time, if what the others save with the time so gained is more: a machine added in one place drops others elsewhere.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import (
    fits,
    module_latency,
    partial_latency,
    path_times,
    whole_and_rest,
    whole_latency,
)
from euclio.problems.session.policies.kernels import LEFT, TIED
from heuristics.session.latency_splitting import COST, LATENCY_COST, Units, best_move

# Machines for one module where they are charged whole: the cheapest that keep a budget, by a cut search (ours).
#
# A module of rate T takes n machines of each of some configurations, in rank order. Where dummies fill machines for
# nothing, all are full: the n·t sum up to T or more, and under `tc` a configuration keeps the budget L if the rate of
# its machines and of all that follow is at least b/(L - d). So using it raises what is yet to be served to that rate,
# and the search goes down the ranking with what is left. Where no dummies fill them, the last machine takes what is
# left below its rate.

DEEPEST = 4
"""Configurations of a module that are combined at most."""
FEWER = 2
"""Machines that a configuration which others follow may have less than what is left would fill."""
MOST_NODES = 3000
"""Configurations that are tried for one budget at most."""


@compiled
def cover_module(
    s: SessionArrays, m: int, budget: float, fills: bool, weight: float, machines: Ints
) -> tuple[float, int, float]:
    """The cheapest machines of module m within a budget, of those that the search sees.

    Args:
        s: the session.
        m: the module.
        budget: latency budget in seconds.
        fills: whether dummies fill machines for nothing.
        weight: how much of a partial machine's price is charged however little of it is used, 0 to 1; the rest is
            charged by the time that it is busy. Below 1, partial machines are looked for even where dummies could
            fill them.
        machines: overwritten with the whole machines per configuration of the module, shape (its configurations,).

    Returns:
        Cost per hour with partial machines weighted so (infinite if none was found), the configuration of the partial
        machine (-1 if there is none) and its rate.
    """
    lo, hi, deepest = s.first[m], s.first[m + 1], min(DEEPEST, s.max_allocations)
    # A level of the search is an allocation: its configuration, its machines, the rate that it has to serve with all
    # that follow, and whether that has been raised above what is asked for.
    at, count, least = np.full(deepest, lo - 1), np.zeros(deepest, np.int64), np.zeros(deepest, np.int64)
    demand, need, cost = np.full(deepest, s.rate[m]), np.zeros(deepest), np.zeros(deepest)
    raised = np.zeros(deepest, np.bool_)
    best, best_partial, best_rate = np.inf, -1, 0.0
    level, nodes = 0, 0
    while level >= 0:
        k = at[level]
        if count[level] <= least[level]:
            # No number of machines is left to be tried of this configuration: on to the next one.
            k += 1
            at[level] = k
            nodes += 1
            count[level] = least[level] = 0
            # Later configurations cost more per request, so that none of them is cheaper either.
            if k >= hi or nodes > MOST_NODES or cost[level] + demand[level] * s.unit_cost[k] >= best * (1.0 - TIE):
                level -= 1
                continue
            need[level] = _need(s, k, demand[level], budget, fills)
            # A rate that was raised above what is asked for is met by full machines alone.
            if (not fills or weight < 1.0) and not (level > 0 and raised[level - 1]):
                last, rate, price = _ended_by_partial(s, m, k, demand[level], budget, weight)
                if cost[level] + price < best * (1.0 - TIE):
                    best, best_rate = cost[level] + price, rate
                    best_partial = k if rate > 0.0 else -1
                    _keep(machines, lo, at, count, level, last)
            if not np.isfinite(need[level]):
                continue
            if fills:
                full = int(np.ceil(need[level] / s.throughput[k] * (1.0 - TIE)))
                if cost[level] + full * s.price[k] < best * (1.0 - TIE):
                    best, best_partial, best_rate = cost[level] + full * s.price[k], -1, 0.0
                    _keep(machines, lo, at, count, level, full)
            whole = int(need[level] / s.throughput[k])
            if level + 1 < deepest and whole > 0:
                count[level], least[level] = whole + 1, max(1, whole - FEWER)
            continue
        count[level] -= 1
        left = need[level] - count[level] * s.throughput[k]
        # These machines take all that is left: that plan has been seen.
        if left <= TIE * s.rate[m]:
            continue
        raised[level] = (level > 0 and raised[level - 1]) or need[level] > demand[level] * (1.0 + TIE)
        level += 1
        demand[level], cost[level] = left, cost[level - 1] + count[level - 1] * s.price[k]
        at[level], count[level], least[level] = k, 0, 0
    return best, best_partial, best_rate


@compiled
def _need(s: SessionArrays, k: int, demand: float, budget: float, fills: bool) -> float:
    """The rate that whole machines of configuration k and all that follow need to keep the budget; infinite: none does.

    It is at least what is to be served. Under `tc-shared`, where those before it of the same ratio count too, it is
    more than needed.
    """
    if s.duration[k] >= budget:
        return np.inf
    if s.policy == LEFT or s.policy == TIED:
        collecting = s.batch[k] / (budget - s.duration[k])
        if collecting <= demand:
            return demand
        return float(collecting) if fills else np.inf
    count = max(1.0, np.ceil(demand / s.throughput[k] * (1.0 - TIE)))
    left = count * s.throughput[k]
    return demand if fits(whole_latency(s, k, int(count), 0.0, left, left), budget) else np.inf


@compiled
def _ended_by_partial(
    s: SessionArrays, m: int, k: int, demand: float, budget: float, weight: float
) -> tuple[int, float, float]:
    """What is left, served by configuration k without dummies: whole machines, rate of a partial one, weighted price.

    The price is infinite if one of them takes longer than the budget.
    """
    whole, rest = whole_and_rest(demand, s.throughput[k], s.rate[m])
    if whole > 0 and not fits(whole_latency(s, k, whole, rest, demand, demand), budget):
        return 0, 0.0, np.inf
    if rest == 0.0:
        return whole, 0.0, whole * s.price[k]
    if not fits(partial_latency(s, k, whole, rest, demand, demand), budget):
        return 0, 0.0, np.inf
    busy = min(1.0, rest * s.duration[k] / s.batch[k])
    return whole, rest, (whole + weight + (1.0 - weight) * busy) * s.price[k]


@compiled
def _keep(machines: Ints, lo: int, at: Ints, count: Ints, level: int, last: int) -> None:
    """Note the machines of the levels before this one, and of this one the number that ends the plan."""
    machines[:] = 0
    for i in range(level):
        machines[at[i] - lo] = count[i]
    machines[at[level] - lo] = last


MOST_OPTIONS = 20_000
"""Options of all modules together, about; of one module, `MOST_STEPS`."""
MOST_STEPS = 300
NEAREST = 1e-3
"""Budgets end this close to the least duration, as a share of the longest one beyond it."""
MOST_ROUNDS = 30
"""How often a module is made faster at most."""


@compiled
def split_whole(s: SessionArrays, fills: bool, weight: float) -> tuple[Floats, float, int]:
    """Budgets of all modules, and what their machines cost.

    Args:
        s: the session, each module with a configuration.
        fills: whether dummies fill machines for nothing.
        weight: as for `cover_module`.

    Returns:
        The budgets in seconds, shape (modules,), the weighted cost per hour (infinite if no plan was found), and how
        often a module was made faster.
    """
    units, budget = whole_options(s, fills, weight)
    modules = s.rate.size
    chosen = units.first[1:] - 1
    for m in range(modules):
        if units.first[m] == units.first[m + 1]:
            return np.zeros(modules), np.inf, 0
        for option in range(units.first[m], units.first[m + 1]):
            if units.latency[option] < units.latency[chosen[m]]:
                chosen[m] = option
    scratch = np.zeros(modules)
    if path_times(s, units.latency[chosen], scratch, np.zeros(modules)) > s.slo * (1.0 + TIE):
        return np.zeros(modules), np.inf, 0
    _descend(s, units, LATENCY_COST, chosen, -1)
    rounds = 0
    while rounds < MOST_ROUNDS and _exchange(s, units, chosen):
        rounds += 1
    return budget[chosen], total_of(units.cost[chosen]), rounds


@compiled
def whole_options(s: SessionArrays, fills: bool, weight: float) -> tuple[Units, Floats]:
    """The options of every module, at descending budgets, and these budgets."""
    modules = s.rate.size
    steps = max(20, min(MOST_STEPS, MOST_OPTIONS // modules))
    shrink = NEAREST ** (1.0 / steps)
    fastest = np.empty(modules)
    for m in range(modules):
        fastest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, fastest, before, after)
    first = np.zeros(modules + 1, np.int64)
    latency, cost, budget = np.empty(modules * steps), np.empty(modules * steps), np.empty(modules * steps)
    size = 0
    for m in range(modules):
        machines = np.zeros(s.first[m + 1] - s.first[m], np.int64)
        everywhere = np.zeros(s.first[-1], np.int64)
        longest = s.slo - before[m] - after[m]
        limit, end = longest, fastest[m] + NEAREST * (longest - fastest[m])
        for _ in range(steps):
            if limit <= end:
                break
            price, partial_at, partial = cover_module(s, m, limit, fills, weight, machines)
            # Shorter budgets have no more plans than this one.
            if not np.isfinite(price):
                break
            everywhere[s.first[m] : s.first[m + 1]] = machines
            dummy = max(0.0, total_of(machines * s.throughput[s.first[m] : s.first[m + 1]]) - s.rate[m])
            reached = module_latency(s, m, everywhere, partial_at, partial, dummy)
            # A slower option that is no cheaper is left out.
            while size > first[m] and cost[size - 1] >= price * (1.0 - TIE):
                size -= 1
            latency[size], cost[size], budget[size] = reached, price, limit
            size += 1
            # The next plan has to be faster than this one, and budgets go towards the least duration step by step.
            limit = min(reached * (1.0 - 1e-9), fastest[m] + (limit - fastest[m]) * shrink)
        first[m + 1] = size
    return Units(np.arange(modules), first, latency[:size], cost[:size], np.zeros(size)), budget[:size]


@compiled
def _descend(s: SessionArrays, units: Units, criterion: int, chosen: Ints, fixed: int) -> None:
    """Move modules to cheaper options while one fits the SLO, the best by a criterion first; `fixed` stays."""
    modules = s.rate.size
    before, after = np.zeros(modules), np.zeros(modules)
    while True:
        latency = units.latency[chosen]
        path_times(s, latency, before, after)
        room = s.slo * (1.0 + TIE) - before - after
        if fixed >= 0:
            # No option takes less than no time, so that the module stays.
            room[fixed] = -1.0
        unit, option = best_move(units, criterion, latency, units.cost[chosen], room)
        if unit < 0:
            return
        chosen[unit] = option


@compiled
def _exchange(s: SessionArrays, units: Units, chosen: Ints) -> bool:
    """Make the one module faster by whose time the others save most; whether that saves anything."""
    least = total_of(units.cost[chosen]) * (1.0 - 1e-9)
    best = chosen.copy()
    found = False
    for m in range(s.rate.size):
        for option in range(units.first[m], units.first[m + 1]):
            if units.latency[option] >= units.latency[chosen[m]] * (1.0 - TIE):
                continue
            for criterion in (LATENCY_COST, COST):
                trial = chosen.copy()
                trial[m] = option
                _descend(s, units, criterion, trial, m)
                total = total_of(units.cost[trial])
                # Strictly cheaper: ties go to the first module, then the longest budget.
                if total < least:
                    least, found = total * (1.0 - TIE), True
                    best[:] = trial
    chosen[:] = best
    return found
