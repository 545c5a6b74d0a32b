"""The rate that whole machines leave, with twice the digits of a float where little is left (compiled, ours).

A rate may be a throughput as a float prints it: then what is left over is a sliver of 1e-16 of it, or nothing, or a
sliver is lacking, and these are different plans. Sums of floats cannot tell them apart; sums of pairs of floats can
(Dekker 1971). Slivers below `NOTHING` are taken for nothing, which the exact check of the plan has to confirm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from euclio.compiled import compiled
from euclio.session.arrays import Ints

if TYPE_CHECKING:
    from formulations.continuous_problem import ContinuousProblem
    from formulations.module_search import ModuleProblem

NOTHING = 1e-28
"""A rate below this share of the module's rate is none: sums of pairs of floats err by less."""
FEW = 1e-3
"""Rates below this share of the module's rate are computed anew: by sums of floats they would lack digits, which shift
latencies, and costs where prices lie far apart."""
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
    for i in range(levels + 1):
        k = at[i] if i < levels else j
        n = float(count[i] if i < levels else machines)
        product = n * p.throughput[k]
        split_n, split_t = HALVES * n, HALVES * p.throughput[k]
        n_high, t_high = split_n - (split_n - n), split_t - (split_t - p.throughput[k])
        n_low, t_low = n - n_high, p.throughput[k] - t_high
        error = ((n_high * t_high - product) + n_high * t_low + n_low * t_high) + n_low * t_low
        rest = high - product
        back = rest - high
        low += (high - (rest - back)) - (product + back) - (error + n * p.throughput_low[k])
        high = rest + low
        low -= high - rest
    return high if abs(high) > NOTHING * p.rate else 0.0


@compiled
def rest_of(p: ModuleProblem, machines: Ints) -> float:
    """What is left of the module's rate by whole machines of each configuration kept; below zero: it is exceeded."""
    last = machines.size - 1
    return rate_left(p, np.arange(last), machines, last, last, machines[last])


@compiled
def fill_and_rest(p: ModuleProblem, at: Ints, count: Ints, d: int, j: int, rest: float) -> tuple[int, float, float]:
    """Whole machines of configuration j that the rate left fills.

    Args:
        p: the problem.
        at: configuration of each allocation before.
        count: its whole machines.
        d: how many allocations there are.
        j: the configuration to fill.
        rest: the rate left, as summed up in floating point.

    Returns:
        The machines, the rate that they leave, and what that lacks to one more machine.
    """
    t = p.throughput[j]
    whole = int(rest / t)
    left = rest - whole * t
    if left >= FEW * p.rate and t - left >= FEW * p.rate:
        return whole, left, t - left
    if t - left < left:
        whole += 1
    left = rate_left(p, at, count, d, j, whole)
    if left < 0.0:
        return whole - 1, t + left, -left
    return whole, left, t - left
