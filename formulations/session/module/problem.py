"""One module at one latency budget, as the input of searches for its cheapest plan (compiled, ours).

A configuration *needs* a remaining rate of at least b/(L − d), or 0 if it alone decides the latency.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import full_latency
from euclio.problems.session.policies.kernels import LEFT, TIED
from formulations.session.module.remaining_rate import few_share
from formulations.tolerances import RATES, SUMS, UNIT_ROUNDING

BELOW_DURATION = 0.1 * TIE
"""A duration that leaves less than this share of a budget that was taken a `TIE` longer exceeds the budget. So if
dummies fill any number of machines, there are no more of these than can be counted."""
NO_LIMIT = 1 << 60
MOST_SUMS = 1e4
"""Sums of this many machine prices and more are not rounded up to the next reachable one."""

THROUGHPUT, PRICE, UNIT_COST, WHOLE_NEED, PARTIAL_NEED, MOST_THROUGHPUT, DURATION, BATCH, LOW = range(9)
"""Rows of a module's table: t, the nearest float; p; ρ = p/t, or the least from here on if machines are charged whole;
the remaining rate that whole machines need; the rate that a partial machine needs (its own, under `tc-shared` that of
its ratio, in form `EVEN` that of every machine next to it); the largest t from here on, at the end 0; d; b; the
difference of t from its float, at the end that of the rate."""


class Stock(NamedTuple):
    """Most machines of hardware types in each module, and least totals of its machines (`least.py`).

    Attributes:
        kind: number of the type of each configuration of the session, shape (configurations,); -1 means no limit.
        most: most machines, shape (modules, types with a limit); if machines are charged by share, most of the sum of
            shares.
        gives: amount that a machine of each configuration gives to each row, shape (rows, configurations).
        least: requirement of the rows in each module, shape (modules, rows).
    """

    kind: Ints
    most: Floats
    gives: Floats
    least: Floats


@compiled
def no_stock(s: SessionArrays) -> Stock:
    """The stock of a session without limits."""
    nothing, rows = np.zeros((s.rate.size, 0)), np.zeros((0, s.batch.size))
    return Stock(np.full(s.batch.size, -1, np.int64), nothing, rows, nothing)


class ModuleProblem(NamedTuple):
    """One module at one budget: the useful configurations, in rank order.

    It is passed by value, so one table holds all figures of a configuration (see `SessionArrays`).

    Attributes:
        configuration: index among the session's configurations, shape (configurations kept,).
        group: number of each configuration's throughput-cost ratio, shape (configurations kept,).
        table: a row per figure, from `THROUGHPUT` to `LOW`, shape (rows, configurations kept + 1).
        kind: number of the hardware type of each configuration, shape (configurations kept,); -1 means no limit.
        stock: most machines of each type with a limit, or most of the sum of their shares, shape (types,).
        gives: amount that a machine gives to each row, by configuration of the session, shape (rows, configurations).
        least: requirement of each row, shape (rows,).
        rate: the module's rate, the nearest float.
        few: rates below this are computed anew, as sums of floats lack digits there.
        dummies: whether dummies may fill the last machine.
        most: most allocations.
        shared: whether configurations of one ratio share their remaining rate (`tc-shared`).
        even: whether the machines of the last allocation share its rate (form `EVEN`).
        whole: whether a partial machine is charged whole.
        rising: whether a configuration never costs less per request than those before it. Prices on stock and partial
            machines that are charged whole may make later ones cheaper.
        fills: whether dummies fill any number of machines, which are charged whole anyway.
        free: whether they may also fill a partial machine up to any rate.
    """

    configuration: Ints
    group: Ints
    table: Floats
    kind: Ints
    stock: Floats
    gives: Floats
    least: Floats
    rate: float
    few: float
    dummies: bool
    most: int
    shared: bool
    even: bool
    whole: bool
    rising: bool
    fills: bool
    free: bool


class ProblemRoom(NamedTuple):
    """The memory for consecutive problems, since an allocation takes longer than filling it.

    Attributes:
        needs: the remaining rate that whole and partial machines need, shape (2, most configurations of a module).
        kept: the configurations kept, the last one first, shape (most configurations,).
        numbers: at its start `configuration`, `group` and `kind` of the problem, one behind the other,
            shape (3 · most configurations,).
        table: at its start `table` of the problem, row by row, shape (rows · (most configurations + 1),).
    """

    needs: Floats
    kept: Ints
    numbers: Ints
    table: Floats


class ModulePlanFound(NamedTuple):
    """The cheapest plan found.

    Attributes:
        cost: money per hour; infinite means none below the cutoff.
        machines: whole machines per configuration kept, shape (configurations kept,).
        partial_at: the one of them that has the partial machine; -1 means none.
        nodes: nodes of the search.
        complete: whether the search was exhausted, so that no plan is cheaper than both `cost` and the cutoff.
    """

    cost: float
    machines: Ints
    partial_at: int
    nodes: int
    complete: bool


@compiled
def most_configurations(s: SessionArrays) -> int:
    """The largest number of configurations of a module."""
    most = 0
    for m in range(s.rate.size):
        most = max(most, s.first[m + 1] - s.first[m])
    return most


@compiled
def new_problem_room(s: SessionArrays) -> ProblemRoom:
    """Room for a problem of any module."""
    most = most_configurations(s)
    return ProblemRoom(
        np.empty((2, most)), np.empty(most, np.int64), np.empty(3 * most, np.int64), np.empty((LOW + 1) * (most + 1))
    )


@compiled
def module_problem(s: SessionArrays, m: int, budget: float, stock: Stock) -> ModuleProblem:
    """The input of the search for module m's cheapest plan at one latency budget, without useless configurations.

    Args:
        s: the session.
        m: the module.
        budget: largest worst-case latency in seconds.
        stock: most machines of hardware types.

    Returns:
        The configurations that some plan within the budget may use, with the needs of each of them.
    """
    room = new_problem_room(s)
    size = fill_problem(s, m, budget, stock, room)
    table = room.table[: (LOW + 1) * (size + 1)].reshape((LOW + 1, size + 1))
    index, group, kind = room.numbers[:size], room.numbers[size : 2 * size], room.numbers[2 * size : 3 * size]
    few = few_share(table[UNIT_COST, :size]) * s.rate[m]
    most, gives, least = stock.most[m], stock.gives, stock.least[m]
    return ModuleProblem(index, group, table, kind, most, gives, least, *problem_rules(s, m, few, stock))


@compiled_on_tables
def problem_rules(
    s: SessionArrays, m: int, few: float, stock: Stock
) -> tuple[float, float, bool, int, bool, bool, bool, bool, bool, bool]:
    """The single numbers of a problem of module m, from `rate` to `free`; rates below `few` are computed anew.

    They are separate from the arrays, since a caller that searches in place makes those itself.
    """
    fills = s.whole and s.dummies
    return (
        s.rate[m],
        few,
        s.dummies,
        s.max_allocations,
        s.policy == TIED,
        s.policy > TIED,
        s.whole,
        _is_rising(s, stock),
        fills,
        fills and not s.countable,
    )


@compiled_on_tables
def _is_rising(s: SessionArrays, stock: Stock) -> bool:
    """Whether a configuration never costs less per request than those before it."""
    return not s.whole and stock.most.shape[1] == 0


@compiled_in_place
def fill_problem(s: SessionArrays, m: int, budget: float, stock: Stock, room: ProblemRoom) -> int:
    """Write the arrays of a module's problem (`module_problem`), and return the number of configurations kept.

    Args:
        s: the session.
        m: the module.
        budget: largest worst-case latency in seconds.
        stock: most machines of hardware types.
        room: room for the arrays; overwritten.
    """
    lo, hi = s.first[m], s.first[m + 1]
    count = hi - lo
    # The budget is taken a `TIE` longer, so that needs err low: no plan within the budget is lost to rounding here.
    rate, limit = s.rate[m], budget * (1.0 + TIE)
    whole, partial, kept = room.needs[0], room.needs[1], room.kept
    whole[:count], partial[:count] = np.inf, np.inf
    even, fills = s.policy > TIED, s.whole and s.dummies
    limited = stock.most.shape[1] > 0
    rising = _is_rising(s, stock)
    for k in range(lo, hi):
        # The time left to collect is far less than the extension of the budget: the budget itself is below the
        # duration.
        if s.duration[k] >= limit * (1.0 - BELOW_DURATION if fills else 1.0):
            continue
        need = s.batch[k] / (limit - s.duration[k])
        partial[k - lo] = need
        # Batches are collected from the rate that is left: a whole machine needs as much of it as a partial one.
        if s.policy == LEFT or s.policy == TIED:
            whole[k - lo] = need
        else:
            # The configuration alone decides: it needs no rate, or none is enough.
            full = full_latency(s, k)
            whole[k - lo] = 0.0 if full <= limit else np.inf
            if even:
                # d + (F − d)·t/r within the limit, for a machine's share r; F is within it exactly if t is enough.
                partial[k - lo] = even_batch(s, k) / (limit - s.duration[k])
    size, most = 0, 0.0
    # From the last configuration to the first, as dummies fill a machine of this configuration or of a later one.
    for i in range(count - 1, -1, -1):
        t = s.throughput[lo + i]
        # No more than the whole rate is ever left, so this is the least deficit. It errs low, as the need does: that is
        # smaller by more than a `TIE`, and a difference of numbers that large loses far less.
        deficit = whole[i] - rate
        as_whole = deficit <= 0.0 or (s.dummies and deficit < max(most, t)) or (fills and np.isfinite(whole[i]))
        as_partial = partial[i] <= rate and (partial[i] < t or s.policy == TIED)
        # If dummies fill machines at no cost, only form `FIXED` has plans with others that could be the cheapest.
        if fills:
            as_partial = partial[i] < t and not as_whole and s.policy < LEFT
        if not as_whole:
            whole[i] = np.inf
        # Without a machine of it in stock it is in no plan.
        if limited and not is_in_stock(stock, m, lo + i):
            continue
        if as_whole or as_partial:
            kept[size] = i
            size += 1
            most = max(most, t)
    index, group, kind = room.numbers[:size], room.numbers[size : 2 * size], room.numbers[2 * size : 3 * size]
    table = room.table[: (LOW + 1) * (size + 1)].reshape((LOW + 1, size + 1))
    group[:], table[:, size] = 0, 0.0
    table[LOW, size] = s.low[s.batch.size + m]
    for i in range(size - 1, -1, -1):
        own = kept[size - 1 - i]
        k = lo + own
        index[i], kind[i] = k, stock.kind[k]
        table[THROUGHPUT, i], table[PRICE, i], table[UNIT_COST, i] = s.throughput[k], s.price[k], s.unit_cost[k]
        table[WHOLE_NEED, i], table[PARTIAL_NEED, i], table[LOW, i] = whole[own], partial[own], s.low[k]
        table[DURATION, i], table[BATCH, i] = s.duration[k], s.batch[k]
        table[MOST_THROUGHPUT, i] = max(table[MOST_THROUGHPUT, i + 1], s.throughput[k])
        # Searches buy the rest at this or more. Prices on stock may make a later configuration cheaper.
        if not rising and i + 1 < size:
            table[UNIT_COST, i] = min(table[UNIT_COST, i], table[UNIT_COST, i + 1])
    # `same_ratio` compares with the configuration before, kept or not, so those left out are counted too.
    if s.policy == TIED:
        number = 0
        for i in range(1, size):
            for k in range(index[i - 1] + 1, index[i] + 1):
                number += 0 if s.same_ratio[k] else 1
            group[i] = number
    return size


@compiled_on_tables
def even_batch(s: SessionArrays, k: int) -> float:
    """Requests q of form `EVEN`, in which a machine with the share R/n of the rate takes d + q·n/R; a lower bound.

    It is (F − d)·t, less the possible rounding error of F: at a very high concurrency their difference has few digits.
    """
    return float(max(full_latency(s, k) * (1.0 - 4.0 * UNIT_ROUNDING) - s.duration[k], 0.0) * s.throughput[k])


@compiled_on_tables
def is_in_stock(stock: Stock, m: int, k: int) -> bool:
    """Whether module m may have any machine, or part, of configuration k of the session."""
    return bool(stock.kind[k] < 0 or stock.most[m, stock.kind[k]] > 0.0)


@compiled_on_tables
def fluid_bound(s: SessionArrays, m: int, budget: float, stock: Stock) -> float:
    """Lower bound on module m's cost per hour within a latency budget in seconds; infinite if no plan is within it.

    One of the configurations of a plan has the least unit cost, and together they take at least the rate that this one
    needs.
    """
    rate, limit = s.rate[m], budget * (1.0 + TIE)
    most, limited = 0.0, stock.most.shape[1] > 0
    for k in range(s.first[m], s.first[m + 1]):
        most = max(most, s.throughput[k])
    best, reach = np.inf, _most_rate(s, m, limit, stock) if limited else np.inf
    # The possible rounding loss of the sum is added to it.
    if reach < rate * (1.0 - SUMS):
        return best
    for k in range(s.first[m], s.first[m + 1]):
        # Every plan takes the whole rate, so one that costs that much per request is no cheaper than `best`.
        if s.unit_cost[k] * rate >= best:
            continue
        if s.duration[k] >= limit or (limited and not is_in_stock(stock, m, k)):
            continue
        # If the configuration alone decides the latency, it needs no rate, which only lowers the bound.
        need = 0.0
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (limit - s.duration[k])
        if need * (1.0 - SUMS) > reach:
            continue
        # A need above the rate takes dummies. They fill less than one machine, of any configuration that the plan has,
        # or any number of machines if these are charged whole.
        if need <= rate * (1.0 + TIE) or (s.dummies and (s.whole or need - rate < most)):
            cost = s.unit_cost[k] * max(rate, need)
            best = min(best, max(cost, s.price[k]) if s.whole else cost)
    # Each row is bought at the least price per unit of it.
    for row in range(stock.least.shape[1]):
        if stock.least[m, row] > 0.0:
            each = np.inf
            for k in range(s.first[m], s.first[m + 1]):
                if s.duration[k] < limit and stock.gives[row, k] > 0.0 and is_in_stock(stock, m, k):
                    each = min(each, s.price[k] / stock.gives[row, k])
            best = max(best, each * stock.least[m, row])
    return best


@compiled_on_tables
def _most_rate(s: SessionArrays, m: int, limit: float, stock: Stock) -> float:
    """The most requests per second that machines of module m in stock take, with durations below `limit` seconds.

    It is infinite if a type without a limit is among them.
    """
    for k in range(s.first[m], s.first[m + 1]):
        if stock.kind[k] < 0 and s.duration[k] < limit:
            return np.inf
    total = 0.0
    # Type by type, since a table of all of them would need memory.
    for kind in range(stock.most.shape[1]):
        if stock.most[m, kind] <= 0.0:
            continue
        most = 0.0
        for k in range(s.first[m], s.first[m + 1]):
            if stock.kind[k] == kind and s.duration[k] < limit:
                most = max(most, s.throughput[k] * stock.most[m, kind])
        total += most
    return total


@compiled_on_tables
def largest_sum_below(p: ModuleProblem, limit: float) -> float:
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
    # A sum that equals the limit up to rounding counts as within it, and the result is rounded up.
    room = limit * (1.0 + TIE)
    # If many machines are bought, their sums lie too close to each other to be worth the loop.
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


@compiled_on_tables
def machines_left(p: ModuleProblem, at: Ints, count: Ints, d: int, j: int) -> float:
    """Most machines of configuration j that the stock leaves next to those of the levels before d.

    Args:
        p: the module.
        at: configuration of each level.
        count: machines of each level.
        d: the level.
        j: the configuration.
    """
    kind = p.kind[j]
    if kind < 0:
        return float(NO_LIMIT)
    left = p.stock[kind]
    for i in range(d):
        if p.kind[at[i]] == kind:
            left -= count[i]
    return float(left)


@compiled_on_tables
def row_lacks(p: ModuleProblem, at: Ints, count: Ints, d: int, row: int) -> float:
    """The requirement of a row beyond the machines of the levels before d; 0 if only rounding may have made it."""
    left = p.least[row] * (1.0 - RATES)
    for i in range(d):
        left -= count[i] * p.gives[row, p.configuration[at[i]]]
    return float(left)


@compiled_on_tables
def rows_are_met(p: ModuleProblem, at: Ints, count: Ints, d: int, j: int, machines: float) -> bool:
    """Whether the levels before d and `machines` of configuration j meet the requirement of each row."""
    for row in range(p.least.size):
        if row_lacks(p, at, count, d, row) > machines * p.gives[row, p.configuration[j]]:
            return False
    return True


@compiled_on_tables
def look_up_detours(p: ModuleProblem, detours: Floats) -> None:
    """Write the additional costs of plans by rows, from each configuration on.

    Machines of configuration j and later ones cost Σ p·n = Σ ρ_j·t·n + Σ (p − ρ_j·t)·n, and no term of the second sum
    is negative. So the second sum is at least the missing amount of the row times the least (p − ρ_j·t)/a.

    Args:
        p: the module at one budget.
        detours: room, shape (rows, 3, configurations kept + 1 or more): for each row the least (p − ρ_j·t)/a, the
            largest a, and the least price per hour of a machine with an a.
    """
    size = p.configuration.size
    for row in range(p.least.size):
        detours[row, 1, size], detours[row, 2, size] = 0.0, np.inf
        for j in range(size, -1, -1):
            best = np.inf
            for i in range(j, size):
                own = p.gives[row, p.configuration[i]]
                if own > 0.0:
                    beyond = max(0.0, p.table[PRICE, i] - p.table[UNIT_COST, j] * p.table[THROUGHPUT, i])
                    best = min(best, beyond / own)
            detours[row, 0, j] = best
            if j < size:
                own = p.gives[row, p.configuration[j]]
                detours[row, 1, j] = max(own, detours[row, 1, j + 1])
                detours[row, 2, j] = min(p.table[PRICE, j] if own > 0.0 else np.inf, detours[row, 2, j + 1])


@compiled_on_tables
def rows_cost(p: ModuleProblem, detours: Floats, at: Ints, count: Ints, d: int, j: int, rate: float) -> float:
    """The least cost per hour of machines of configuration j and later ones that take a rate and meet the rows.

    A row that is not met yet takes a machine, and enough of the best ones to meet it.
    """
    plain = p.table[UNIT_COST, j] * max(rate, 0.0)
    most = plain
    for row in range(p.least.size):
        lacks = row_lacks(p, at, count, d, row)
        if lacks > 0.0:
            most = max(most, plain + lacks * detours[row, 0, j])
            if p.whole:
                most = max(most, np.ceil(lacks / detours[row, 1, j]) * detours[row, 2, j])
    return float(most)


@compiled_on_tables
def record_machines(machines: Ints, at: Ints, count: Ints, depth: int, j: int, whole: int) -> None:
    """Write the whole machines of a closed plan: those of the levels before `depth`, and `whole` of configuration j."""
    machines[:] = 0
    for d in range(depth):
        machines[at[d]] = count[d]
    machines[j] = whole
