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
    """What the search of module m's cheapest plan reads at one latency budget; useless configurations are left out.

    Args:
        s: the session.
        m: the module.
        budget: largest worst-case latency in seconds.

    Returns:
        The configurations that some plan within the budget may use, with what each of them needs.
    """
    lo, hi = s.first[m], s.first[m + 1]
    count = hi - lo
    # The budget is taken a `TIE` longer, so that needs err low: no plan within the budget is lost to rounding here.
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
    # From the last configuration to the first, as dummies fill a machine of this configuration or of a later one.
    for i in range(count - 1, -1, -1):
        t = s.throughput[lo + i]
        # Nowhere is more left than the whole rate, so this is the least deficit. It errs low, as the need does: that is
        # smaller by more than a `TIE`, and a difference of numbers that large loses far less.
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
    """Lower bound on module m's cost per hour within a latency budget in seconds; infinite: no plan is within it.

    The first configuration of a plan has the least unit cost of all it uses, and together they take at least the
    rate that the first one needs.
    """
    rate, limit = s.rate[m], budget * (1.0 + TIE)
    most = 0.0
    for k in range(s.first[m], s.first[m + 1]):
        most = max(most, s.throughput[k])
    best = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        # Configurations come by rising unit cost, and every plan takes the whole rate: none after this one is cheaper.
        if s.unit_cost[k] * rate >= best:
            break
        if s.duration[k] >= limit:
            continue
        # Where the configuration alone decides the latency, no rate is asked for, which only lowers the bound.
        need = 0.0
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (limit - s.duration[k])
        # A need above the rate takes dummies: they fill less than one machine, of any configuration that the plan has.
        if need <= rate * (1.0 + TIE) or (s.dummies and need - rate < most):
            best = min(best, s.unit_cost[k] * max(rate, need))
    return best


@compiled
def search_module(p: ModuleProblem, cutoff: float, floor: float, tolerance: float, nodes: int) -> ModulePlanFound:
    """The cheapest plan of a module that costs less than the cutoff.

    Args:
        p: the module at one budget.
        cutoff: only plans below this cost per hour are of interest; infinite: all are.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not looked for.
        nodes: most nodes.

    Returns:
        The plan, and whether the search was exhausted.
    """
    # Only the search from the top proves anything. A few of its nodes settle most modules; where they do not, short
    # dives from every configuration find a good plan first, whose cost then prunes the full search.
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
    """Search depth first the plans whose first allocation is of configuration `start` or a later one.

    A level of the stack is an allocation: its configuration `at`, and `count`, the whole machines that are tried next,
    from the most to one. `rest`, `cost` and `deficit` are what the levels before leave of the rate, cost and ask for in
    dummies; `own_deficit` is the deficit once the level itself is taken into account. `shared` is the rate that the
    ratio of the level before collects from (`tc-shared`), `own_shared` that of the level itself. `detour` is what the
    last machine of a plan with dummies costs beyond the best unit cost.

    Args:
        p: the module at one budget.
        start: first configuration, as a number among those kept.
        cutoff: only plans below this cost per hour are of interest.
        floor: a proven lower bound on the cost per hour; the search stops when a plan reaches it.
        tolerance: plans that are cheaper than the best one found by less than this share are not looked for.
        nodes: most nodes.
        machines: whole machines of the best plan, shape (configurations kept,); overwritten with every cheaper plan.

    Returns:
        The plan, and whether the search was exhausted.
    """
    size = p.configuration.size
    depth_most = min(size, p.most) + 1
    # One block of memory each for all columns: most searches are so short that asking for memory is half their time.
    places, levels = np.zeros((2, depth_most), np.int64), np.zeros((7, depth_most))
    at, count = places[0], places[1]
    rest, cost, deficit, own_deficit = levels[0], levels[1], levels[2], levels[3]
    shared, own_shared, detour = levels[4], levels[5], levels[6]
    # `slack` is what rates that were summed up may be off by: where they are compared with needs and throughputs, it is
    # added on the side that keeps plans. Rates below `few` are known to all digits and need none.
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
            # All counts of configuration j have been tried: leave it out and go on to the next one.
            j += 1
            at[d], count[d] = j, 0
            # Prune the level: rest and dummies are bought at ρ_j at least, and later configurations ask for no less.
            # With a deficit the plan is one of whole machines, so that it also costs a sum of their prices. The few
            # roundings of the left side are far below the tolerance that `below` leaves.
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
            # Close to a multiple of t it takes all digits to see whether one machine more is full, or a sliver is left.
            if left < few or spare < few:
                whole, left, spare = settled_rest(
                    p.rate, p.table[THROUGHPUT], p.table[LOW], at, count, d, j, whole if left <= spare else whole + 1
                )
            new_deficit = max(deficit[d], p.table[WHOLE_NEED, j] - w)
            # A deficit that rounding may have made is none: that admits too much, and the exact check decides.
            if new_deficit < TIE * p.rate:
                new_deficit = 0.0
            # Close without dummies: whole machines take the rest exactly, or a partial one takes what they leave.
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
                        # No plan is cheaper than the floor, so this one is the cheapest within the tolerance.
                        if best <= floor * (1.0 + tolerance):
                            return ModulePlanFound(best, machines, best_partial, visited, True)
                    # The level is done: this buys all that is left at ρ_j, and every other plan from here on buys it at
                    # ρ_j or more.
                    depth -= 1
                    continue
            # Without dummies these machines never get what they need, whatever follows; a later configuration may.
            if new_deficit > 0.0 and not p.dummies:
                continue
            # Close with dummies: they fill the last machine, which has to hold the deficit.
            if p.dummies and left > 0.0 and spare + slack >= new_deficit:
                total = cost[d] + (whole + 1) * p.table[PRICE, j]
                if total <= below:
                    best, best_partial = total, -1
                    _record(machines, at, count, d, j, whole + 1)
                    below = min(below, best * keep)
                    below_whole = _largest_sum_below(p, below)
                    if best <= floor * (1.0 + tolerance):
                        return ModulePlanFound(best, machines, best_partial, visited, True)
            # The most machines that leave something to those that follow.
            most = whole if left > 0.0 else whole - 1
            # No allocation may follow, or no later machine can hold that many dummies.
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
        # Prune this count and all smaller ones: they leave more to configurations that cost more per request, while
        # deficit and detour stay, so that the bound only grows.
        if lower > (below if own_deficit[d] == 0.0 else below_whole):
            count[d] = 0
            continue
        depth += 1
        rest[depth], cost[depth], deficit[depth] = child_rest, child_cost, own_deficit[d]
        shared[depth], at[depth], count[depth] = own_shared[d], j, 0
    return ModulePlanFound(best, machines, best_partial, visited, True)


@compiled
def _record(machines: Ints, at: Ints, count: Ints, depth: int, j: int, whole: int) -> None:
    """Write the whole machines of a closed plan: those of the levels before `depth`, and `whole` of configuration j."""
    machines[:] = 0
    for d in range(depth):
        machines[at[d]] = count[d]
    machines[j] = whole


@compiled
def _last_machine_detour(p: ModuleProblem, i: int, deficit: float) -> float:
    """What a plan with dummies costs per hour beyond buying all its rate at the unit cost of configuration i.

    Its last machine is of configuration i or a later one and takes more than the deficit, so it is one of those whose
    throughput exceeds the deficit; the whole machine is paid at its own unit cost. Infinite: there is none.
    """
    if deficit == 0.0:
        return 0.0
    best = np.inf
    # A deficit is the difference of a need and a rate that was summed up: it may be too large by the rounding of both.
    for j in range(i, p.configuration.size):
        if p.table[THROUGHPUT, j] > deficit - RATES * p.rate:
            best = min(best, (p.table[UNIT_COST, j] - p.table[UNIT_COST, i]) * p.table[THROUGHPUT, j])
    return best


@compiled
def _largest_sum_below(p: ModuleProblem, limit: float) -> float:
    """The largest sum of machine prices, money per hour, that is at most `limit`; never less than that.

    It is found for one or two different prices. With more of them, with free machines and for large sums, `limit`
    itself is returned, which is an upper bound on it.
    """
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
    # A sum that equals the limit but for rounding counts as within it, and the sum found is rounded up.
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
