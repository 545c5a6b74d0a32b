"""Depth-first search for the cheapest plan of one module within a latency budget, to proven optimality (ours).

A plan goes down the ranking: at every step it takes n whole machines of the next configuration it uses, until a
partial machine, an exact fit or dummies close it. A configuration *needs* a remaining rate of at least b/(L − d).
Once it needs more than is left, the plan has to close with at least that *deficit* of dummies, hence with whole
machines only, and its cost is a sum of machine prices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.session.arrays import TIE, Floats, Ints, SessionArrays
from euclio.session.dispatch import full_latency
from euclio.session.policies.kernels import LEFT, TIED
from formulations.session.exact.remaining_rate import few_share, rate_left, settled_rest
from formulations.tolerances import RATES, UNIT_ROUNDING

MOST_SUMS = 1e4
"""Sums of this many machine prices and more are not rounded up to the next reachable one."""
FIRST_STAGE_NODES, DIVE_NODES = 2000, 60
"""Staging: nodes from the top, then per short dive from each later configuration, before the full search."""


THROUGHPUT, PRICE, UNIT_COST, WHOLE_NEED, PARTIAL_NEED, MOST_THROUGHPUT, LOW = range(7)
"""Rows of a module's table: t, the nearest float; p; ρ = p/t; the remaining rate that whole machines need; the rate
that a partial machine needs (its own, under `tc-shared` that of its ratio, in form `EVEN` that of every machine next to
it); the largest t from here on, at the end 0; what t has beyond its float, at the end what the rate has."""


class ModuleProblem(NamedTuple):
    """One module at one budget: the configurations that are of any use, in rank order.

    Handed on by value, so that one table holds what is known of a configuration (see `SessionArrays`).

    Attributes:
        configuration: index among the session's configurations, shape (configurations kept,).
        group: number of each configuration's throughput-cost ratio, shape (configurations kept,).
        table: a row per figure, from `THROUGHPUT` to `LOW`, shape (rows, configurations kept + 1).
        rate: the module's rate, the nearest float.
        few: rates below this are computed anew, as sums of floats lack digits there.
        dummies: whether dummies may fill the last machine.
        most: most allocations.
        shared: whether configurations of one ratio share their remaining rate (`tc-shared`).
        even: whether the machines of the last allocation share its rate (form `EVEN`).
    """

    configuration: Ints
    group: Ints
    table: Floats
    rate: float
    few: float
    dummies: bool
    most: int
    shared: bool
    even: bool


class ModulePlanFound(NamedTuple):
    """The cheapest plan found.

    Attributes:
        cost: money per hour; infinite: none below the cutoff.
        machines: whole machines per configuration kept, shape (configurations kept,).
        partial_at: which of them has the partial machine, -1: none.
        nodes: nodes of the search.
        complete: whether the search was exhausted: no plan is cheaper than both `cost` and the cutoff.
    """

    cost: float
    machines: Ints
    partial_at: int
    nodes: int
    complete: bool


@compiled
def module_problem(s: SessionArrays, m: int, budget: float) -> ModuleProblem:
    """Needs of module m's configurations at a budget in seconds; useless configurations are left out."""
    lo, hi = s.first[m], s.first[m + 1]
    count = hi - lo
    rate, limit = s.rate[m], budget * (1.0 + TIE)
    whole, partial = np.full(count, np.inf), np.full(count, np.inf)
    even = s.policy > TIED
    for k in range(lo, hi):
        if s.duration[k] >= limit:
            continue
        need = s.batch[k] / (limit - s.duration[k])
        partial[k - lo] = need
        if s.policy == LEFT or s.policy == TIED:
            whole[k - lo] = need
        else:
            # The configuration alone decides: no rate is needed, or none is enough.
            full = full_latency(s, k)
            whole[k - lo] = 0.0 if full <= limit else np.inf
            if even:
                # d + (F − d)·t/r within the limit, for a machine's share r; F is within it exactly if t is enough.
                partial[k - lo] = even_batch(s, k) / (limit - s.duration[k])
    keep = np.zeros(count, np.bool_)
    most = 0.0
    for i in range(count - 1, -1, -1):
        t = s.throughput[lo + i]
        deficit = whole[i] - rate
        as_whole = deficit <= 0.0 or (s.dummies and deficit < max(most, t))
        as_partial = partial[i] <= rate and (partial[i] < t or s.policy == TIED)
        if not as_whole:
            whole[i] = np.inf
        if as_whole or as_partial:
            keep[i] = True
            most = max(most, t)
    kept = np.flatnonzero(keep)
    size = kept.size
    index, group, table = np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros((LOW + 1, size + 1))
    table[LOW, size] = s.low[s.batch.size + m]
    for i in range(size - 1, -1, -1):
        k = lo + kept[i]
        index[i] = k
        table[THROUGHPUT, i], table[PRICE, i], table[UNIT_COST, i] = s.throughput[k], s.price[k], s.unit_cost[k]
        table[WHOLE_NEED, i], table[PARTIAL_NEED, i], table[LOW, i] = whole[kept[i]], partial[kept[i]], s.low[k]
        table[MOST_THROUGHPUT, i] = max(table[MOST_THROUGHPUT, i + 1], s.throughput[k])
    if s.policy == TIED:
        number = 0
        for i in range(1, size):
            for k in range(index[i - 1] + 1, index[i] + 1):
                number += 0 if s.same_ratio[k] else 1
            group[i] = number
    few = few_share(table[UNIT_COST, :size]) * rate
    return ModuleProblem(index, group, table, rate, few, s.dummies, s.max_allocations, s.policy == TIED, even)


@compiled
def even_batch(s: SessionArrays, k: int) -> float:
    """Requests q of form `EVEN`, where a machine that has the share R/n of the rate takes d + q·n/R; a lower bound.

    (F − d)·t, less what rounding may have added to F: at a very high concurrency their difference has few digits.
    """
    return float(max(full_latency(s, k) * (1.0 - 4.0 * UNIT_ROUNDING) - s.duration[k], 0.0) * s.throughput[k])


@compiled
def fluid_bound(s: SessionArrays, m: int, budget: float) -> float:
    """Lower bound on module m's cost within a budget in seconds.

    The first configuration of a plan has the least unit cost of all it uses, and together they take at least the
    rate that the first one needs.
    """
    rate, limit = s.rate[m], budget * (1.0 + TIE)
    most = 0.0
    for k in range(s.first[m], s.first[m + 1]):
        most = max(most, s.throughput[k])
    best = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        if s.unit_cost[k] * rate >= best:
            break
        if s.duration[k] >= limit:
            continue
        need = 0.0
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (limit - s.duration[k])
        if need <= rate * (1.0 + TIE) or (s.dummies and need - rate < most):
            best = min(best, s.unit_cost[k] * max(rate, need))
    return best


@compiled
def search_module(p: ModuleProblem, cutoff: float, floor: float, tolerance: float, nodes: int) -> ModulePlanFound:
    """The cheapest plan that costs less than the cutoff.

    Args:
        p: the problem.
        cutoff: only plans below this cost are of interest.
        floor: a proven lower bound; the search stops when it is reached.
        tolerance: plans cheaper by less than this share are not looked for.
        nodes: most nodes.

    Returns:
        The plan, and whether the search was exhausted.
    """
    machines = np.zeros(p.configuration.size, np.int64)
    search = _search(p, 0, cutoff, floor, tolerance, min(nodes, FIRST_STAGE_NODES), machines)
    used = search.nodes
    if search.complete or nodes <= FIRST_STAGE_NODES:
        return search
    best, partial_at = search.cost, search.partial_at
    for start in range(1, p.configuration.size):
        dive = _search(p, start, min(cutoff, best), floor, tolerance, DIVE_NODES, machines)
        used += dive.nodes
        if dive.cost < best:
            best, partial_at = dive.cost, dive.partial_at
    full = _search(p, 0, min(cutoff, best), floor, tolerance, nodes - used, machines)
    if full.cost < best:
        best, partial_at = full.cost, full.partial_at
    return ModulePlanFound(best, machines, partial_at, used + full.nodes, full.complete)


@compiled
def _search(
    p: ModuleProblem, start: int, cutoff: float, floor: float, tolerance: float, nodes: int, machines: Ints
) -> ModulePlanFound:
    """One depth-first search whose first allocation is configuration `start` or later.

    `machines` is overwritten whenever a cheaper plan is found.
    """
    size = p.configuration.size
    depth_most = min(size, p.most) + 1
    # One block of memory each for all columns: most searches are so short that asking for memory is half their time.
    places, levels = np.zeros((2, depth_most), np.int64), np.zeros((7, depth_most))
    at, count = places[0], places[1]
    rest, cost, deficit, own_deficit = levels[0], levels[1], levels[2], levels[3]
    shared, own_shared, detour = levels[4], levels[5], levels[6]
    keep, slack, few = 1.0 - tolerance, RATES * p.rate, p.few
    best, best_partial = np.inf, -1
    below = cutoff * keep
    below_whole = _largest_sum_below(p, below)
    rest[0], shared[0], at[0] = p.rate, p.rate, start - 1
    depth, visited = 0, 0
    while depth >= 0:
        if visited >= nodes:
            return ModulePlanFound(best, machines, best_partial, visited, False)
        visited += 1
        d = depth
        j = at[d]
        if count[d] <= 1:
            j += 1
            at[d], count[d] = j, 0
            if j >= size or cost[d] + p.table[UNIT_COST, j] * (rest[d] + deficit[d]) > (
                below if deficit[d] == 0.0 else below_whole
            ):
                depth -= 1
                continue
            tied = p.shared and d > 0 and p.group[j] == p.group[at[d - 1]]
            w = shared[d] if tied else rest[d]
            t = p.table[THROUGHPUT, j]
            whole = int(rest[d] / t)
            left = rest[d] - whole * t
            spare = t - left
            if left < few or spare < few:
                whole, left, spare = settled_rest(
                    p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, whole if left <= spare else whole + 1
                )
            new_deficit = max(deficit[d], p.table[WHOLE_NEED, j] - w)
            if new_deficit < TIE * p.rate:
                new_deficit = 0.0
            if deficit[d] == 0.0 and (whole == 0 or new_deficit == 0.0):
                if left == 0.0:
                    closed = whole > 0
                elif p.shared:
                    closed = p.table[PARTIAL_NEED, j] <= w + (slack if w >= few else 0.0)
                elif p.even and whole > 0:
                    # (n + 1)·u <= n·t + f, for n + 1 equal shares. The difference of large rates always has an error.
                    each = p.table[PARTIAL_NEED, j]
                    closed = each <= left + whole * (t - each) + slack
                else:
                    closed = p.table[PARTIAL_NEED, j] <= left + (slack if left >= few else 0.0)
                if closed:
                    total = cost[d] + whole * p.table[PRICE, j] + left * p.table[UNIT_COST, j]
                    if total <= below:
                        best, best_partial = total, (j if left > 0.0 else -1)
                        _record(machines, at, count, d, j, whole)
                        below = min(below, best * keep)
                        below_whole = _largest_sum_below(p, below)
                        if best <= floor * (1.0 + tolerance):
                            return ModulePlanFound(best, machines, best_partial, visited, True)
                    depth -= 1
                    continue
            if new_deficit > 0.0 and not p.dummies:
                continue
            if p.dummies and left > 0.0 and spare + slack >= new_deficit:
                total = cost[d] + (whole + 1) * p.table[PRICE, j]
                if total <= below:
                    best, best_partial = total, -1
                    _record(machines, at, count, d, j, whole + 1)
                    below = min(below, best * keep)
                    below_whole = _largest_sum_below(p, below)
                    if best <= floor * (1.0 + tolerance):
                        return ModulePlanFound(best, machines, best_partial, visited, True)
            most = whole if left > 0.0 else whole - 1
            if most < 1 or d + 1 >= p.most or j + 1 >= size or new_deficit >= p.table[MOST_THROUGHPUT, j + 1] + slack:
                continue
            own_deficit[d], own_shared[d] = new_deficit, w
            detour[d] = _last_machine_detour(p, j + 1, new_deficit)
            count[d] = most + 1
        count[d] -= 1
        n = count[d]
        child_rest = rest[d] - n * p.table[THROUGHPUT, j]
        # A small difference of large rates has lost its digits.
        if child_rest < few:
            child_rest = rate_left(p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, n)
        child_cost = cost[d] + n * p.table[PRICE, j]
        lower = child_cost + p.table[UNIT_COST, j + 1] * (child_rest + own_deficit[d]) + detour[d]
        if lower > (below if own_deficit[d] == 0.0 else below_whole):
            count[d] = 0
            continue
        depth += 1
        rest[depth], cost[depth], deficit[depth] = child_rest, child_cost, own_deficit[d]
        shared[depth], at[depth], count[depth] = own_shared[d], j, 0
    return ModulePlanFound(best, machines, best_partial, visited, True)


@compiled
def _record(machines: Ints, at: Ints, count: Ints, depth: int, j: int, whole: int) -> None:
    machines[:] = 0
    for d in range(depth):
        machines[at[d]] = count[d]
    machines[j] = whole


@compiled
def _last_machine_detour(p: ModuleProblem, i: int, deficit: float) -> float:
    """What the last machine costs beyond the unit cost of configuration i: it must take more than the deficit."""
    if deficit == 0.0:
        return 0.0
    best = np.inf
    for j in range(i, p.configuration.size):
        if p.table[THROUGHPUT, j] > deficit:
            best = min(best, (p.table[UNIT_COST, j] - p.table[UNIT_COST, i]) * p.table[THROUGHPUT, j])
    return best


@compiled
def _largest_sum_below(p: ModuleProblem, limit: float) -> float:
    """The largest sum of machine prices that is at most `limit` (an upper bound on it where prices are many)."""
    if p.configuration.size == 0 or not np.isfinite(limit):
        return limit
    least, other = p.table[PRICE, 0], -1.0
    for i in range(p.configuration.size):
        price = p.table[PRICE, i]
        if price == 0.0:
            return limit
        if price != least:
            if other < 0.0:
                other = price
            elif price != other:
                return limit
    room = limit * (1.0 + TIE)
    # Where many machines are bought, their sums lie too close to each other to be worth the loop.
    if room > MOST_SUMS * max(least, other):
        return limit
    if other < 0.0:
        return float(np.floor(room / least) * least * (1.0 + 2.0 * TIE))
    if other > least:
        least, other = other, least
    best = 0.0
    for n in range(int(room / least) + 1):
        best = max(best, n * least + np.floor((room - n * least) / other) * other)
    return float(best * (1.0 + 2.0 * TIE))
