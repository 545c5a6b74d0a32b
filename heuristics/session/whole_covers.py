"""Machines for one module where they are charged whole: the cheapest that keep a budget, by a cut search (ours).

A module of rate T takes n machines of each of some configurations, in rank order. Where dummies fill machines for
nothing, all are full: the n·t sum up to T or more, and under `tc` a configuration keeps the budget L if the rate of its
machines and of all that follow is at least b/(L - d). So using it raises what is yet to be served to that rate, and the
search goes down the ranking with what is left. Where no dummies fill them, the last machine takes what is left below
its rate.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import TIE, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import fits, partial_latency, whole_and_rest, whole_latency
from euclio.problems.session.policies.kernels import LEFT, TIED

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
        Cost per hour with partial machines weighted so (infinite: none was found), the configuration of the partial
        machine (-1: there is none) and its rate.
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
