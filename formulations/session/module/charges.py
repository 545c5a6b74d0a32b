"""The payment of a module for machines that it starts or stops, and bounds on plans with it (compiled, ours).

With x machines of a hardware type of which x⁰ run, a module pays p·x + P·|x − x⁰| for the type: a convex line with one
bend. If P is more than p, a running machine is cheaper to keep than to remove, and dummies fill it. So plans may hold
more machines than they need, and only a plan's number of machines of each type counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import full_latency
from euclio.problems.session.policies.kernels import LEFT, TIED
from formulations.session.module.problem import (
    BELOW_DURATION,
    NO_LIMIT,
    PRICE,
    THROUGHPUT,
    WHOLE_NEED,
    ModuleProblem,
    Stock,
    fluid_bound,
)
from formulations.tolerances import SUMS


class Charges(NamedTuple):
    """Running machines of the modules of a session, and the charges and limits of changes to them.

    Attributes:
        running: running machines, shape (modules, types), with types as in `Stock.kind`; without types, changes do not
            count.
        price: money per hour for each machine added or removed, by module, shape (modules,).
        most: most machines added and removed together in each module, shape (modules,).
    """

    running: Ints
    price: Floats
    most: Ints


class Types(NamedTuple):
    """The hardware types of one module; none if changes do not count.

    Attributes:
        price: money per hour for a machine, shape (types,), like the next two.
        running: machines that run already.
        cap: the most machines that a plan may have.
        change: money per hour for each machine added or removed.
        most: most machines added and removed together.
        lost: the most that a partial machine that is charged by share saves against the machine that it counts as, in
            money per hour for its change; 0 if it is charged whole.
        part: the same for its price.
    """

    price: Floats
    running: Ints
    cap: Ints
    change: float
    most: int
    lost: float
    part: float


@compiled
def no_charges(s: SessionArrays) -> Charges:
    """Charges of a session in which changes do not count."""
    return Charges(
        np.zeros((s.rate.size, 0), np.int64), np.zeros(s.rate.size), np.full(s.rate.size, NO_LIMIT, np.int64)
    )


@compiled
def no_types() -> Types:
    """Types of a module in which changes do not count."""
    nothing = np.zeros(0, np.int64)
    return Types(np.zeros(0), nothing, nothing, 0.0, NO_LIMIT, 0.0, 0.0)


@compiled
def types_of(p: ModuleProblem, charges: Charges, m: int) -> Types:
    """The hardware types of module m, at the budget of its problem.

    If dummies fill whole machines, it is never worth having more machines of a type than run, and than reach the
    module's rate and all needs of its configurations on any configuration of the type. For those on its last
    configuration then do without the others. If dummies do not fill whole machines, the machines of a plan together
    have about the module's rate.
    """
    kinds, size = charges.running.shape[1], p.configuration.size
    if kinds == 0:
        # Slices of existing arrays: an allocation of memory takes as long as the search of a small module.
        return Types(charges.price[:0], charges.most[:0], charges.most[:0], 0.0, NO_LIMIT, 0.0, 0.0)
    price, cap, running, most = np.zeros(kinds), np.zeros(kinds, np.int64), charges.running[m], charges.most[m]
    enough = p.rate
    for j in range(size):
        if p.fills and np.isfinite(p.table[WHOLE_NEED, j]):
            enough = max(enough, p.table[WHOLE_NEED, j])
    for j in range(size):
        h = p.kind[j]
        price[h] = p.table[PRICE, j]
        cap[h] = max(cap[h], max(running[h], int(np.ceil(enough / p.table[THROUGHPUT, j])) + 2))
    for h in range(kinds):
        # By share the stock limits a sum of shares, which may belong to more machines.
        if p.whole:
            cap[h] = min(cap[h], int(p.stock[h]))
        if most < NO_LIMIT:
            cap[h] = min(cap[h], running[h] + most)
    return _types(price, running, cap, charges.price[m], most, p.whole)


@compiled
def _types(price: Floats, running: Ints, cap: Ints, change: float, most: int, whole: bool) -> Types:
    if whole:
        return Types(price, running, cap, change, most, 0.0, 0.0)
    return Types(price, running, cap, change, most, change, price.max())


@compiled
def change_cost(types: Types, held: Ints) -> float:
    """The cost per hour of the changes to numbers of machines by type; infinite means that they are too many."""
    changes = 0
    for h in range(types.price.size):
        changes += abs(held[h] - types.running[h])
    return types.change * changes if changes <= types.most else np.inf


@compiled
def cost_of(types: Types, held: Ints) -> float:
    """Cost per hour of numbers of machines by type with all changes; infinite means that these are too many."""
    cost = change_cost(types, held)
    for h in range(types.price.size):
        cost += types.price[h] * held[h]
    return cost


@compiled
def least_cost(types: Types, held: Ints, top: Floats, lacking: float) -> float:
    """A lower bound on the cost per hour of machines that include the given ones; infinite means that there are none.

    It is the larger of two bounds. The first buys machines in parts, at the best rate of their type: a linear program
    with two segments for each type, up to the running machines and beyond, which a greedy algorithm solves. It applies
    the limit on changes to the rate alone. The second one says that so few changes leave most running machines, each of
    which is paid. A partial machine that is charged by share counts as a machine, but costs less; the largest such
    difference is subtracted.

    Args:
        types: the hardware types.
        held: machines so far, shape (types,) or more.
        top: rate in requests per second of the best machine of a type that may be added; 0 means none may.
        lacking: requests per second that have to be added.
    """
    cost, changes, most_rate, still = 0.0, 0, 0.0, lacking
    staying, leaving, saved = 0.0, 0, 0.0
    for h in range(types.price.size):
        x, own, price = held[h], types.running[h], types.price[h]
        if top[h] > 0.0 and x < own:
            full = min(own, types.cap[h])
            # Running machines that cost nothing or less to keep are kept.
            kept = full if types.change >= price else x
            cost += price * kept + types.change * (own - kept)
            lacking -= top[h] * (kept - x)
            still -= top[h] * max(0, full - x)
            changes += own - full
            staying += price * full + types.change * (own - full)
            leaving += max(0, full - x)
            saved = max(saved, price - types.change)
        else:
            paid = price * x + types.change * abs(x - own)
            cost, staying = cost + paid, staying + paid
            changes += abs(x - own)
        if top[h] > 0.0 and types.cap[h] > max(x, own):
            most_rate = max(most_rate, top[h])
    # Beyond the running machines, every machine is a change.
    if changes > types.most or still > most_rate * (types.most - changes):
        return np.inf
    bought = cost if lacking <= 0.0 else _bought(types, held, top, lacking, cost)
    if leaving > types.most - changes:
        staying -= saved * (types.most - changes)
        return max(bought - types.lost, staying - types.part) * (1.0 - SUMS)
    return (bought - types.lost) * (1.0 - SUMS)


@compiled
def _bought(types: Types, held: Ints, top: Floats, lacking: float, cost: float) -> float:
    """The cost with the lacking rate bought at its best price, segment by segment; infinite if that is impossible."""
    last, last_at = -1.0, -1
    for _ in range(2 * types.price.size):
        # The next segment by unit cost, those of the same one by their number.
        best, at = np.inf, -1
        for i in range(2 * types.price.size):
            h = i // 2
            if top[h] <= 0.0:
                continue
            beyond = i % 2 == 1
            # The cost already has running machines that cost less to keep than to remove (`least_cost`).
            if not beyond and types.change >= types.price[h]:
                continue
            unit = (types.price[h] + (types.change if beyond else -types.change)) / top[h]
            if (unit > last or (unit == last and i > last_at)) and unit < best:
                best, at = unit, i
        if at < 0:
            return np.inf
        h, last, last_at = at // 2, best, at
        own = min(types.running[h], types.cap[h])
        room = types.cap[h] - max(held[h], types.running[h]) if at % 2 == 1 else own - held[h]
        if room <= 0:
            continue
        taken = min(float(room), lacking / top[h])
        cost += taken * best * top[h]
        lacking -= taken * top[h]
        if lacking <= 0.0 or taken < room:
            return cost
    return np.inf


@compiled_on_tables
def charged_bound(s: SessionArrays, m: int, budget: float, stock: Stock, charges: Charges) -> float:
    """Lower bound on module m's cost per hour within a latency budget in seconds; infinite if no plan is within it."""
    plain = fluid_bound(s, m, budget, stock)
    if charges.running.shape[1] == 0 or not np.isfinite(plain):
        return plain
    return max(plain, _bound_with_changes(s, m, budget, stock, charges))


@compiled
def _bound_with_changes(s: SessionArrays, m: int, budget: float, stock: Stock, charges: Charges) -> float:
    """The bound by changes of running machines.

    The first configuration in a plan and those behind it take at least the rate that the first one needs.
    """
    count = charges.running.shape[1]
    limit, top, price = budget * (1.0 + TIE), np.zeros(count), np.zeros(count)
    cap = np.empty(count, np.int64)
    for h in range(count):
        cap[h] = int(min(float(stock.most[m, h]), float(NO_LIMIT))) if s.whole else NO_LIMIT
    for k in range(s.first[m], s.first[m + 1]):
        price[stock.kind[k]] = s.price[k]
    types = _types(price, charges.running[m], cap, charges.price[m], charges.most[m], s.whole)
    nothing, best = np.zeros(count, np.int64), np.inf
    # From the last in rank on: then `top` is of it and all behind it, which together take the rate that it needs.
    for k in range(s.first[m + 1] - 1, s.first[m] - 1, -1):
        if s.duration[k] >= limit * (1.0 - BELOW_DURATION):
            continue
        need, h = 0.0, stock.kind[k]
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (limit - s.duration[k])
        elif min(full_latency(s, k), s.duration[k] + s.batch[k] / s.throughput[k]) > limit:
            continue
        top[h] = max(top[h], s.throughput[k])
        best = min(best, least_cost(types, nothing, top, max(s.rate[m], need) * (1.0 - SUMS)))
    return best
