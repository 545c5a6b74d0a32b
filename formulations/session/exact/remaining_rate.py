"""The rate that whole machines leave, with twice the digits of a float where little is left (compiled, ours).

A rate may be a throughput as a float prints it: then what is left over is a sliver of 1e-16 of it, or nothing, or a
sliver is lacking, and these are different plans. Sums of floats cannot tell them apart; sums of pairs of floats can
(Dekker 1971). Slivers below `NOTHING` are taken for nothing, which the exact check of the plan has to confirm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.compiled import compiled
from euclio.session.arrays import Ints

if TYPE_CHECKING:
    from formulations.session.continuous.problem import ContinuousProblem
    from formulations.session.exact.module_search import ModuleProblem

NOTHING = 1e-28
"""A rate below this share of the module's rate is none: sums of pairs of floats err by less."""
FEWER, FEW, WIDE_PRICES = 1e-6, 1e-3, 1e3
"""Rates below the first share of the module's rate are computed anew, since sums of floats lack digits there; below the
second one where unit costs lie so far apart that a small rate may make up most of the cost."""
HALVES = 134217729.0
"""2^27 + 1 splits a float into two halves whose products are exact."""


@compiled
def rate_left(p: ModuleProblem | ContinuousProblem, at: Ints, count: Ints, levels: int, j: int, machines: int) -> float:
    """What is left of the module's rate, below zero if it is exceeded, in requests per second.

    Args:
        p: the problem.
        at: configuration of each allocation.
        count: whole machines of each allocation.
        levels: how many allocations there are.
        j: configuration of one more allocation.
        machines: its whole machines.
    """
    high, low = p.rate, p.rate_low
    for i in range(levels):
        high, low = _less(high, low, float(count[i]), p.throughput[at[i]], p.throughput_low[at[i]])
    high, low = _less(high, low, float(machines), p.throughput[j], p.throughput_low[j])
    return high if abs(high) > NOTHING * p.rate else 0.0


@compiled
def rest_of(p: ModuleProblem, machines: Ints) -> float:
    """What is left of the module's rate by whole machines of each configuration kept; below zero: it is exceeded."""
    high, low = p.rate, p.rate_low
    for j in range(machines.size):
        if machines[j] > 0:
            high, low = _less(high, low, float(machines[j]), p.throughput[j], p.throughput_low[j])
    return high if abs(high) > NOTHING * p.rate else 0.0


@compiled
def _less(high: float, low: float, n: float, t: float, t_low: float) -> tuple[float, float]:
    """A pair of floats less n times another one."""
    product = n * t
    split_n, split_t = HALVES * n, HALVES * t
    n_high, t_high = split_n - (split_n - n), split_t - (split_t - t)
    n_low, t_rest = n - n_high, t - t_high
    error = ((n_high * t_high - product) + n_high * t_rest + n_low * t_high) + n_low * t_rest
    rest = high - product
    back = rest - high
    low += (high - (rest - back)) - (product + back) - (error + n * t_low)
    return rest + low, low - ((rest + low) - rest)


@compiled
def few_share(p: ModuleProblem) -> float:
    """Share of the module's rate below which rates are computed anew."""
    if p.unit_cost.size > 0 and p.unit_cost[-1] > WIDE_PRICES * p.unit_cost[0]:
        return FEW
    return FEWER


@compiled
def settled_rest(p: ModuleProblem, at: Ints, count: Ints, d: int, j: int, nearest: int) -> tuple[int, float, float]:
    """Whole machines of configuration j that the rate left fills, where a multiple of its throughput is close to it.

    Args:
        p: the problem.
        at: configuration of each allocation before.
        count: its whole machines.
        d: how many allocations there are.
        j: the configuration to fill.
        nearest: the number of machines whose rate is close.

    Returns:
        The machines, the rate that they leave, and what that lacks to one more machine.
    """
    t, left = p.throughput[j], rate_left(p, at, count, d, j, nearest)
    if left < 0.0:
        return nearest - 1, t + left, -left
    return nearest, left, t - left
