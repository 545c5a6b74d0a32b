"""Prices of time and of shared machines, which make bounds on packed plans (compiled, ours).

A plan of given numbers of shared machines obeys three kinds of limits that tie modules: paths keep the SLO, the partial
machines of a type work no longer than its shared machines can, and all machines keep to stock and resources. All are
paid for instead (Lagrangian relaxation). An option's worth is its cost, its latency at its module's price of time, its
share of a machine's time at the price of its type, and what its machines take of each limit at the limit's price. The
least worth of each module, less what the SLO, the machines and the limits are paid, is a bound for any prices. Prices
of time are the flow of most gain of the relaxation of latency splitting; the others climb along subgradients.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from formulations.session.packed.options import BUSY, COST, FIRST, KIND
from formulations.session.packed.search import Options
from formulations.session.split.modes import Modes, new_modes
from formulations.session.split.relaxation import relax
from formulations.tolerances import UNIT_ROUNDING

CLIMBS = 12
"""Times that prices of machines are changed."""


class Priced(NamedTuple):
    """Prices and their bound.

    Attributes:
        bound: no plan costs less per hour, without the shared machines themselves; infinite means that there is none.
        paid: what is added to the worths for it, in money per hour.
        flow: price of time of each module, in money per hour and second, shape (modules,).
        price: money per hour for a shared machine's time by type, and for a unit of each limit on machines, shape
            (types + limits,).
    """

    bound: float
    paid: float
    flow: Floats
    price: Floats


@compiled
def priced(s: SessionArrays, o: Options, allowed: Floats, price: Floats, upper: float) -> Priced:
    """The best prices found for some numbers of shared machines.

    Args:
        s: the session.
        o: options of all modules; their worths are not read.
        allowed: shared machines of each type, and what they leave of each limit, shape (types + limits,).
        price: prices to begin with.
        upper: a bound from which on none higher is of interest, without the shared machines themselves.
    """
    best = Priced(-np.inf, 0.0, np.zeros(s.rate.size), price)
    now, step = price.copy(), 1.0
    for _ in range(CLIMBS):
        bound, paid, flow, taken = _at(s, o, allowed, now)
        if bound > best.bound:
            best = Priced(bound, paid, flow, now.copy())
        else:
            step *= 0.5
        slope = taken - allowed
        for kind in range(now.size):
            if now[kind] == 0.0:
                slope[kind] = max(slope[kind], 0.0)
        size = total_of(slope * slope)
        if bound >= upper or size == 0.0 or not np.isfinite(bound):
            break
        # Polyak's step towards the bound that would do.
        now = np.maximum(now + step * (upper - bound) / size * slope, 0.0)
    return best


@compiled
def worths(o: Options, flow: Floats, price: Floats) -> Floats:
    """The worth of each option at some prices, shape (options,)."""
    worth = o.table[:, COST].copy()
    for m in range(flow.size):
        for k in range(o.first[m], o.first[m + 1]):
            worth[k] += flow[m] * o.latency[k]
            if o.table[k, KIND] >= 0.0:
                worth[k] += price[int(o.table[k, KIND])] * o.table[k, BUSY]
            for limit in range(FIRST + 1, o.table.shape[1]):
                worth[k] += price[limit - o.table.shape[1]] * o.table[k, limit]
    return worth


@compiled
def _at(s: SessionArrays, o: Options, allowed: Floats, price: Floats) -> tuple[float, float, Floats, Floats]:
    """Bound, what is added to the worths, prices of time, and what the bound's choice takes of what is `allowed`."""
    modules = s.rate.size
    none, used = np.zeros(modules), np.zeros(price.size)
    # Options of types without a shared machine are in no plan.
    cost = worths(o, none, price)
    for k in range(cost.size):
        if o.table[k, KIND] >= 0.0 and allowed[int(o.table[k, KIND])] == 0:
            cost[k] = np.inf
    relaxed = relax(s, *frontiers(o.first, o.latency, cost))
    if not np.isfinite(relaxed.bound):
        return np.inf, 0.0, none, used
    paid = relaxed.bound - total_of(relaxed.base) - total_of(price * allowed)
    # Where time is expensive, large terms nearly cancel; what rounding may add to their sum is taken off.
    paid -= rounding(modules, abs(paid) + total_of(np.abs(relaxed.base)))
    bound = paid
    for m in range(modules):
        lo, hi = o.first[m], o.first[m + 1]
        worth = cost[lo:hi] + relaxed.flow[m] * o.latency[lo:hi]
        k = lo + np.argmin(worth)
        bound += worth[k - lo]
        if o.table[k, KIND] >= 0.0:
            used[int(o.table[k, KIND])] += o.table[k, BUSY]
        for limit in range(FIRST + 1, o.table.shape[1]):
            used[limit - o.table.shape[1]] += o.table[k, limit]
    return bound, paid, relaxed.flow, used


@compiled
def rounding(modules: int, size: float) -> float:
    """The most by which rounding may raise a bound that adds up worths of so many modules, in money per hour.

    Args:
        modules: number of modules.
        size: sum of the sizes of all terms. Worths that matter add up to no more than twice that.
    """
    return UNIT_ROUNDING * (4 * modules + 16) * 2.0 * size


@compiled
def frontiers(first: Ints, latency: Floats, cost: Floats) -> tuple[Modes, Ints, Ints]:
    """The modes of options that are cheaper than all faster ones, and the first and the last mode of each module."""
    modules = first.size - 1
    modes = new_modes(modules, max(1, (first[1:] - first[:-1]).max()))
    for m in range(modules):
        lo, size = first[m], 0
        for i in np.argsort(latency[lo : first[m + 1]], kind="mergesort"):
            if size == 0 or cost[lo + i] < modes.cost[m, size - 1]:
                # A cost that is infinite is none, and two at one latency are the cheaper one.
                if not np.isfinite(cost[lo + i]):
                    continue
                size -= 1 if size > 0 and modes.latency[m, size - 1] == latency[lo + i] else 0
                modes.latency[m, size], modes.cost[m, size] = latency[lo + i], cost[lo + i]
                size += 1
        modes.size[m] = size
    return modes, np.zeros(modules, np.int64), modes.size - 1
