"""Cheapest whole machines of one module within a latency budget if dummies fill them at no cost (compiled, ours).

A plan is a number of machines for each configuration, all of them full. Let the *suffix rate* of a configuration be the
rate of its machines and of all machines behind them in the ranking. The suffix rate of the first configuration in use
has to reach the module's rate. That of each configuration in use has to reach its *need*, b/(L − d) under a policy in
sequence. So on the way down the ranking there is a rate that is *required* of the machines to come:

    max(required, need) − n·t    after n machines of a configuration,

and the plan is complete once no rate is required and the rows of `least.py` are met. Under `tc-shared` the
configurations of one ratio collect from the suffix rate of the first of them, which their largest need decides. If the
configuration alone decides the latency of a full machine, its need is 0, or it is left out.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.problem import (
    LOW,
    PRICE,
    THROUGHPUT,
    UNIT_COST,
    WHOLE_NEED,
    ModulePlanFound,
    ModuleProblem,
    largest_sum_below,
    look_up_detours,
    machines_left,
    record_machines,
    row_lacks,
    rows_are_met,
    rows_cost,
)
from formulations.session.module.remaining_rate import rate_left
from formulations.session.module.whole_states import search_states
from formulations.tolerances import RATES

FIRST_STAGE_NODES = 2000
"""Nodes down the ranking before the search by states."""
MOST_STATES = 1_000_000
"""The most states, of some 40 bytes each."""


@compiled
def cheapest_cover(p: ModuleProblem, cutoff: float, floor: float, tolerance: float, nodes: int) -> ModulePlanFound:
    """The cheapest plan of machines that dummies fill, which costs less than the cutoff.

    It searches down the ranking first, which mostly takes a few nodes. Then it searches by states, if those cover all
    plans. Only if there are too many states, it searches down the ranking to the end. Arguments as of `search_cover`.
    """
    down = search_cover(p, cutoff, floor, tolerance, min(nodes, FIRST_STAGE_NODES))
    if down.complete or nodes <= FIRST_STAGE_NODES:
        return down
    size, used = p.configuration.size, down.nodes
    best = down
    if p.most >= size and np.isfinite(p.table[WHOLE_NEED, :size]).all():
        up = search_states(p, min(cutoff, best.cost), tolerance, min(nodes - used, MOST_STATES))
        used += up.nodes
        best = up if up.cost < best.cost else best
        if up.complete:
            return ModulePlanFound(best.cost, best.machines, best.partial_at, used, True)
    rest = search_cover(p, min(cutoff, best.cost), floor, tolerance, nodes - used)
    best = rest if rest.cost < best.cost else best
    return ModulePlanFound(best.cost, best.machines, best.partial_at, used + rest.nodes, rest.complete)


@compiled
def search_cover(p: ModuleProblem, cutoff: float, floor: float, tolerance: float, nodes: int) -> ModulePlanFound:
    """The cheapest plan of full machines that costs less than the cutoff, depth first down the ranking.

    A level of the stack is an allocation: its configuration `at`, and `count`, the machines that are tried next, from
    the most that do not complete the plan down to one. `required` is the rate that the levels before leave to it and to
    later ones, `cost` is their cost. `start` is the rate required of the machines of the ratio of the level before and
    of all behind them, `taken` the part of it that this ratio has already (`tc-shared`). `by_rate` says that the
    required rate is the module's rate less that of the machines before, and not a need beyond it. `most` is the largest
    rate that was required, for its rounding.

    Args:
        p: the module at one budget.
        cutoff: only plans below this cost per hour are of interest; infinite means that all are.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most nodes.

    Returns:
        The plan, and whether the search was exhausted.
    """
    size = p.configuration.size
    machines = np.zeros(size, np.int64)
    depth_most = min(size, p.most) + 1
    places, levels = np.zeros((3, depth_most), np.int64), np.zeros((5, depth_most))
    at, count, by_rate = places[0], places[1], places[2]
    required, cost, start, taken, most = levels[0], levels[1], levels[2], levels[3], levels[4]
    least_price, top = _least_prices(p), _tops(p)
    keep, best, partial_at = 1.0 - tolerance, np.inf, -1
    below = largest_sum_below(p, cutoff * keep)
    required[0], most[0], by_rate[0], at[0] = p.rate, p.rate, 1, -1
    detours = np.empty((p.least.size, 3, size + 1))
    look_up_detours(p, detours)
    depth, visited = 0, 0
    while depth >= 0:
        # Stopped early: the best plan so far, which proves nothing.
        if visited >= nodes:
            return ModulePlanFound(best, machines, partial_at, visited, False)
        visited += 1
        d = depth
        j = at[d]
        if count[d] <= 1:
            # All counts of configuration j have been tried: leave it out and go on to the next one.
            j += 1
            at[d], count[d] = j, 0
            # Prune the level: the required rate is bought at ρ_j at least, and by one machine at least.
            if j >= size or cost[d] + max(p.table[UNIT_COST, j] * required[d], least_price[j]) > below:
                depth -= 1
                continue
            # Prune the level: the missing amounts of rows are bought as well.
            if cost[d] + rows_cost(p, detours, at, count, d, j, required[d]) > below:
                depth -= 1
                continue
            t, price = p.table[THROUGHPUT, j], p.table[PRICE, j]
            # Full machines of it are always too slow, but one that is nearly full may end the plan.
            if not np.isfinite(p.table[WHOLE_NEED, j]):
                ends = p.free and required[d] <= t + RATES * most[d] and machines_left(p, at, count, d, j) > 0
                if ends and rows_are_met(p, at, count, d, j, 1.0) and cost[d] + price <= below:
                    best, partial_at = cost[d] + price, j
                    record_machines(machines, at, count, d, j, 0)
                    if best <= floor * (1.0 + tolerance):
                        return ModulePlanFound(best, machines, partial_at, visited, True)
                    below = min(below, largest_sum_below(p, best * keep))
                continue
            here, first, slack = _required_with(p, d, j, at, required, start, taken, most)
            # Prune the configuration alone: its own need is too high, and later ones may need less.
            if cost[d] + max(p.table[UNIT_COST, j] * here, price) > below:
                continue
            # The machines that complete the plan. The possible rounding error of the requirement needs none of them:
            # that keeps too much, and the exact check decides.
            n = max(1, int(np.ceil((here - slack) / t)))
            # If the module's rate decides, it may be a multiple of t; all its digits show whether it is.
            if by_rate[d] and here <= required[d] and abs(here - n * t) <= slack:
                left = rate_left(p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, n)
                if left > 0.0:
                    n += 1
            n, ends = _for_rows(p, at, count, d, j, n)
            total, room = cost[d] + n * price, machines_left(p, at, count, d, j)
            if ends and total <= below and n <= room:
                best, partial_at = total, -1
                record_machines(machines, at, count, d, j, n)
                # No plan is cheaper than the floor, so this one is the cheapest within the tolerance.
                if best <= floor * (1.0 + tolerance):
                    return ModulePlanFound(best, machines, partial_at, visited, True)
                below = min(below, largest_sum_below(p, best * keep))
            # No allocation or no configuration may follow, so other numbers of machines make no plan.
            if d + 1 >= p.most or j + 1 >= size:
                continue
            # Fewer than complete the plan; or as many, if others have to meet the rest of a row.
            count[d] = int(min(float(n if ends else n + 1), room + 1.0))
        count[d] -= 1
        # The next configuration covers the case of no machine of this one.
        if count[d] < 1:
            continue
        here, first, slack = _required_with(p, d, j, at, required, start, taken, most)
        n = count[d] = _most_of_use(p, top, at, count, d, j, here - slack)
        if n < 1:
            continue
        t, price = p.table[THROUGHPUT, j], p.table[PRICE, j]
        child_cost, child_required = cost[d] + n * price, here - n * t
        # Prune this count and all smaller ones: they leave more to configurations that cost more per request. If prices
        # on stock have made later ones cheaper, prune this count alone.
        if child_cost + p.table[UNIT_COST, j + 1] * child_required > below:
            if price <= p.table[UNIT_COST, j + 1] * t:
                count[d] = 0
            continue
        # Prune this count alone: one machine more takes the cost beyond the limit, with fewer before it may not.
        if child_cost + least_price[j + 1] > below:
            continue
        # Down: the rest is for the configurations behind this one.
        depth += 1
        cost[depth], required[depth], most[depth] = child_cost, child_required, max(most[d], here)
        start[depth], taken[depth] = first, n * t + (first - here)
        by_rate[depth] = 1 if by_rate[d] and here <= required[d] else 0
        at[depth], count[depth] = j, 0
    return ModulePlanFound(best, machines, partial_at, visited, True)


@compiled
def _for_rows(p: ModuleProblem, at: Ints, count: Ints, d: int, j: int, n: int) -> tuple[int, bool]:
    """Machines of configuration j for the rows as well as the rate, and whether no row requires others.

    More than that are useless, as later machines have what they need without them.
    """
    alone = True
    for row in range(p.least.size):
        lacks, own = row_lacks(p, at, count, d, row), p.gives[row, p.configuration[j]]
        if lacks > 0.0:
            if own > 0.0:
                n = max(n, int(np.ceil(lacks / own)))
            else:
                alone = False
    return n, alone


@compiled
def _least_prices(p: ModuleProblem) -> Floats:
    """The least price of a machine of a configuration and of all behind it, shape (configurations kept + 1,)."""
    size = p.configuration.size
    least = np.full(size + 1, np.inf)
    for j in range(size - 1, -1, -1):
        least[j] = min(least[j + 1], p.table[PRICE, j])
    return least


@compiled
def _tops(p: ModuleProblem) -> Floats:
    """The largest throughput of each type in stock from a configuration on, shape (configurations kept + 1, types + 1).

    The last column is infinite if a type without a limit follows.
    """
    size, types = p.configuration.size, p.stock.size
    top = np.zeros((size + 1, types + 1))
    for j in range(size - 1, -1, -1):
        top[j] = top[j + 1]
        # The last entry is for configurations with number -1.
        top[j, p.kind[j]] = max(top[j, p.kind[j]], p.table[THROUGHPUT, j]) if p.kind[j] >= 0 else np.inf
    return top


@compiled
def _most_of_use(p: ModuleProblem, top: Floats, at: Ints, count: Ints, d: int, j: int, required: float) -> int:
    """The most machines of configuration j, up to `count[d]`, for which the stock can take the rest that is required.

    Next to a duration a configuration needs billions of machines, and the stock may have fewer. Then all numbers of it
    would be tried in vain.
    """
    n, types = int(count[d]), p.stock.size
    if types == 0 or np.isinf(top[j + 1, types]):
        return n
    lacking, gain = required, p.table[THROUGHPUT, j]
    for kind in range(types):
        left = p.stock[kind]
        for i in range(d):
            left -= count[i] if p.kind[at[i]] == kind else 0
        lacking -= left * top[j + 1, kind] * (1.0 + RATES)
        # A machine of the same type is one less for later configurations.
        gain -= top[j + 1, kind] * (1.0 + RATES) if kind == p.kind[j] else 0.0
    if lacking <= n * gain:
        return n
    # Fewer help only if a later one takes more with the machine; rounding counts as such a one.
    return int(min(float(n), lacking / gain + 1.0)) if gain < 0.0 and lacking < 0.0 else 0


@compiled
def _required_with(
    p: ModuleProblem, d: int, j: int, at: Ints, required: Floats, start: Floats, taken: Floats, most: Floats
) -> tuple[float, float, float]:
    """The rate required of configuration j and of all behind it if it is used at level d; arguments are its columns.

    Returns:
        That rate; the rate required from the first configuration of its ratio on; their possible rounding error.
    """
    need = p.table[WHOLE_NEED, j]
    if p.shared and d > 0 and p.group[j] == p.group[at[d - 1]]:
        first = max(start[d], need)
        return first - taken[d], first, RATES * max(most[d], first)
    here = max(required[d], need)
    return here, here, RATES * max(most[d], here)
