"""The rate that whole machines leave, with twice the digits of a float if little is left (compiled, ours).

A rate may be a throughput as a float prints it. Then the rest is a sliver of 1e-16 of it, or nothing, or a sliver is
missing, and these are different plans. Sums of floats cannot distinguish them; sums of pairs of floats can (Dekker
1971). Slivers below `NO_RATE` count as nothing, which the exact check of the plan has to confirm.
"""

from __future__ import annotations

from euclio.core.compiled import compiled, compiled_on_tables
from euclio.problems.session.arrays import Floats, Ints
from formulations.tolerances import NO_RATE

FEWER, FEW, WIDE_PRICES = 1e-6, 1e-3, 1e3
"""Rates below the first share of the module's rate are computed anew, since sums of floats lack digits there. The
second share replaces it if unit costs lie so far apart that a small rate may make up most of the cost."""
HALVES = 134217729.0
"""2^27 + 1 splits a float into two halves whose products are exact."""


@compiled_on_tables
def rate_left(
    rate: float, throughput: Floats, low: Floats, at: Ints, count: Ints, levels: int, j: int, machines: int
) -> float:
    """The rest of the module's rate, below zero if it is exceeded, in requests per second.

    Args:
        rate: the module's rate, the nearest float.
        throughput: throughput of each configuration, the nearest float.
        low: the difference of each throughput, and last of the rate, from that float.
        at: configuration of each allocation.
        count: whole machines of each allocation.
        levels: number of allocations.
        j: configuration of one more allocation.
        machines: its whole machines.
    """
    left, left_low = rate, low[-1]
    for i in range(levels):
        left, left_low = _less(left, left_low, float(count[i]), throughput[at[i]], low[at[i]])
    left, left_low = _less(left, left_low, float(machines), throughput[j], low[j])
    return left if abs(left) > NO_RATE * rate else 0.0


@compiled_on_tables
def rest_of(rate: float, throughput: Floats, low: Floats, machines: Ints) -> float:
    """The rest of the module's rate after whole machines, in requests per second; below zero if they exceed it.

    Args:
        rate: the module's rate, the nearest float.
        throughput: throughput of each configuration kept, the nearest float, shape (configurations kept,) or more.
        low: the difference of each throughput, and last of the rate, from that float.
        machines: whole machines of each configuration kept, shape (configurations kept,).
    """
    left, left_low = rate, low[-1]
    for j in range(machines.size):
        if machines[j] > 0:
            left, left_low = _less(left, left_low, float(machines[j]), throughput[j], low[j])
    return left if abs(left) > NO_RATE * rate else 0.0


@compiled
def _less(high: float, low: float, n: float, t: float, t_low: float) -> tuple[float, float]:
    """A pair of floats less n times another pair, as a pair: first the float nearest to it, then the remainder.

    That is Dekker's product and sum (1971) without their last terms, so about 1e-31 of the summed numbers is lost.
    """
    product = n * t
    # `error` is the exact rounding error of the product; `rest` and `back` recover that of the difference.
    split_n, split_t = HALVES * n, HALVES * t
    n_high, t_high = split_n - (split_n - n), split_t - (split_t - t)
    n_low, t_rest = n - n_high, t - t_high
    error = ((n_high * t_high - product) + n_high * t_rest + n_low * t_high) + n_low * t_rest
    rest = high - product
    back = rest - high
    low += (high - (rest - back)) - (product + back) - (error + n * t_low)
    return rest + low, low - ((rest + low) - rest)


@compiled_on_tables
def few_share(unit_cost: Floats) -> float:
    """Share of the module's rate below which rates are computed anew.

    A float sum is off by some 1e-16 of the rate. Bought at the most expensive unit cost, that must stay small against
    the cost of the whole rate at the least one.

    Args:
        unit_cost: unit costs of the configurations kept, rising.
    """
    if unit_cost.size > 0 and unit_cost[-1] > WIDE_PRICES * unit_cost[0]:
        return FEW
    return FEWER


@compiled_on_tables
def settled_rest(
    rate: float, throughput: Floats, low: Floats, at: Ints, count: Ints, d: int, j: int, nearest: int
) -> tuple[int, float, float]:
    """Whole machines of configuration j that the rate left fills, if a multiple of its throughput is close to it.

    Args:
        rate: the module's rate, the nearest float.
        throughput: throughput of each configuration, the nearest float.
        low: the difference of each throughput, and last of the rate, from that float.
        at: configuration of each allocation before.
        count: whole machines of each allocation before.
        d: number of allocations before.
        j: the configuration to fill.
        nearest: the number of machines whose rate is close to the rate left.

    Returns:
        The machines, the rate that they leave, and the distance of that from one more machine, in requests per second.
    """
    t, left = throughput[j], rate_left(rate, throughput, low, at, count, d, j, nearest)
    # The last of them would not be full: one machine less, which leaves nearly a whole machine's rate.
    if left < 0.0:
        return nearest - 1, t + left, -left
    return nearest, left, t - left
