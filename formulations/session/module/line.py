"""A line below the cost of a module's plans over an interval of latency budgets, rule `continuous` (compiled, ours).

If a partial machine is filled up with dummies, the cost falls continuously with the budget. The cost at the slow end of
an interval is then a bound that only improves as fast as the interval narrows. A line follows the fall. With time at a
price of s money per second after the start l of the interval (l, r],

    h = min over plans and budgets x in [l, r] of  cost(plan, x) + s·(x − l),      so  C(x) >= h − s·(x − l).

With whole counts and the last configuration j fixed, a plan costs a constant plus ρ_j·f(x). The rate f of the partial
machine is the largest of the rest of the module's rate and of the rates b_i/(x − d_i) − o_i that the needs leave to it
(`continuous_module`). Each of them is convex and falls with x, so their maximum does. The minimum over x is found by
halving [x_0, r] at the sign of the slope, with x_0 the first x at which f fits a machine. On the last piece [a, b],
cost + ρ_j·f(b) + s·(a − l) is a bound, and rounding of the slope's sign changes it by no more than the piece.

With the slope from the plan at l to that at r, h is that of the chord less a term of second order in the width. This
holds wherever one choice of counts is the best, or several that meet; a step within the interval has to be cut.

If the last allocation may have very many counts, those beyond a few are combined: n machines and a partial one of
configuration j have a rate that meets all needs, and cost at least ρ_j times that rate.

Counts are searched as in `continuous_module`. All bounds use the needs at r, which are the least ones, and a price of
time of 0. As the needs grow towards l, only cost limits the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats
from formulations.session.module.continuous import (
    ContinuousProblem,
    Stack,
    bound_from,
    empty_stack,
    first_counts,
    next_configuration,
    rest_of_rate,
    to_buy,
)
from formulations.session.module.remaining_rate import FEW

HALVINGS = 60
MOST_COUNTS = 32
"""Counts of the last allocation that are tried one by one; larger ones are combined, as if machines had parts."""


class Line(NamedTuple):
    """Lower bound `start` − `slope`·(x − `left`) on the cost at budgets x of the interval after `left` (seconds).

    Attributes:
        left: start of the interval, in seconds.
        start: money per hour there.
        slope: money per hour by which it falls per second.
    """

    left: float
    start: float
    slope: float


class LineStart(NamedTuple):
    """Outcome of the search for a line.

    Attributes:
        start: lower bound h on cost and price of time of all plans, in money per hour.
        nodes: nodes of the search.
        complete: whether the search was exhausted; if not, `start` bounds nothing.
    """

    start: float
    nodes: int
    complete: bool


class _Needs(NamedTuple):
    """The needs of a plan's machines for the partial machine's rate f: batch/(x − duration) <= own + f at budget x.

    The first rows are whole machines, the last row in use is the partial machine itself.

    Attributes:
        batch: batch size.
        duration: duration in seconds.
        own: rate that counts for the machine without the partial machine, in requests per second.
    """

    batch: Floats
    duration: Floats
    own: Floats


@compiled
def search_line(
    p: ContinuousProblem, left: float, slope: float, below: float, tolerance: float, nodes: int
) -> LineStart:
    """The least cost + slope·(x − left) over plans and budgets x from `left` to that of the problem.

    Args:
        p: the problem at the interval's slow end; no configuration may be free.
        left: start of the interval, in seconds.
        slope: price of time, in money per hour for each second after `left`.
        below: a value that some plan is known to reach, money per hour; the result is never larger.
        tolerance: plans that are cheaper than the least value found by less than this share are not searched; that
            share is subtracted from the result.
        nodes: most nodes.

    Returns:
        The least value, rounded down by the tolerance, and whether the search was exhausted.
    """
    stack = empty_stack(p)
    rows = stack.at.size + 1
    needs = _Needs(np.zeros(rows), np.zeros(rows), np.zeros(rows))
    d, visited = 0, 0
    best = below
    while d >= 0 and visited < nodes:
        visited += 1
        # A count of this level's configuration is due: open the level after it, or prune.
        if stack.machines[d] > 0:
            if _descend(p, stack, d, best * (1.0 - tolerance)):
                d += 1
            continue
        # Every bound here leaves out the price of time, which is 0 or more, so it errs low.
        j = next_configuration(p, stack, d, best * (1.0 - tolerance))
        if j < 0:
            d -= 1
            if d >= 0:
                stack.machines[d] -= 1
            continue
        best = _close(p, stack, needs, d, left, slope, best)
        # Whole machines of a configuration that is too slow for the budget are in no plan; a partial one may be.
        if d + 1 < p.most and j + 1 < p.configuration.size and np.isfinite(p.whole_latency[j]):
            stack.machines[d] = _most_affordable(p, stack, d, best)
    return LineStart(best * (1.0 - tolerance), visited, d < 0)


@compiled
def _most_affordable(p: ContinuousProblem, stack: Stack, d: int, below: float) -> int:
    """The most whole machines of level d's configuration with which the plan costs no more than `below`."""
    return max(0, int((below - stack.cost[d]) / p.price[stack.at[d]] * (1.0 + TIE)))


@compiled
def _descend(p: ContinuousProblem, stack: Stack, d: int, below: float) -> bool:
    """Open the level after d for the count that level d has; False if its bound is above `below`: the count falls."""
    j, n, child = stack.at[d], stack.machines[d], d + 1
    stack.cost[child] = stack.cost[d] + n * p.price[j]
    stack.bought[child] = stack.bought[d] + n * p.throughput[j]
    rate = to_buy(p, stack, child)
    # Counts may be past the rate that is left to buy here, and then fewer machines only cost less: the bound decides.
    if rate > 0.0 and stack.cost[child] + p.unit_cost[j + 1] * rate > below:
        # Fewer machines leave more to buy from those that cost more per request.
        stack.machines[d] = 0
        return False
    if bound_from(p, stack, child, j + 1) > below:
        stack.machines[d] -= 1
        return False
    stack.at[child], stack.machines[child] = j, 0
    return True


@compiled
def _close(p: ContinuousProblem, stack: Stack, needs: _Needs, d: int, left: float, slope: float, below: float) -> float:
    """The least cost and price of time of the plans that end with level d's configuration, in money per hour.

    Args:
        p: the problem at the interval's slow end.
        stack: the levels before d, and the configuration of level d.
        needs: room for the needs of one plan.
        d: the level that the plans end with.
        left: start of the interval, in seconds.
        slope: price of time, in money per hour for each second after `left`.
        below: the least value so far, which is returned if none is less.
    """
    j = stack.at[d]
    price, rate = p.price[j], to_buy(p, stack, d)
    n, enough = first_counts(p, stack, d, rate)
    best, tried = below, 0
    while n == 0 or np.isfinite(p.whole_latency[j]):
        # More machines cost still more.
        if stack.cost[d] + n * price > best:
            break
        if tried == MOST_COUNTS:
            best = min(best, _close_fluid(p, stack, needs, d, n, left, slope))
            break
        tried += 1
        best = min(best, _close_at(p, stack, needs, d, n, left, slope, best))
        n = max(n + 1, enough)
    return best


@compiled
def _close_fluid(p: ContinuousProblem, stack: Stack, needs: _Needs, d: int, n: int, left: float, slope: float) -> float:
    """Lower bound on cost and price of time with at least n whole machines of level d's configuration.

    Machines, a partial one included, count in parts: any rate from that of n machines on can be had at the unit cost,
    if it meets all needs. Latencies are shortened and rates raised by a few `TIE`, so that the bound errs low.
    Infinite means that no budget of the interval is long enough.
    """
    j = stack.at[d]
    begin = left
    for i in range(d + 1):
        k = stack.at[i]
        begin = max(begin, p.whole_latency[k] * (1.0 - 2.0 * TIE))
        needs.batch[i], needs.duration[i] = p.batch[k], p.duration[k]
        needs.own[i] = stack.bought[d] - stack.origin[i] + TIE * p.rate
    size = d + 1 if p.by_rate else 0
    rate = max(n * p.throughput[j], p.rate - stack.bought[d]) * (1.0 - TIE)
    if begin > p.budget:
        return np.inf
    cost = float(stack.cost[d])
    return cost + _least_partial(needs, size, rate, p.unit_cost[j], begin, p.budget, left, slope)


@compiled
def _close_at(
    p: ContinuousProblem, stack: Stack, needs: _Needs, d: int, n: int, left: float, slope: float, below: float
) -> float:
    """The least cost and price of time with n whole machines of level d's configuration, with or without a partial one.

    As in all of this search, latencies are shortened and rates raised by a few `TIE`, so that the value errs low.
    """
    j = stack.at[d]
    t = p.throughput[j]
    bought, cost = stack.bought[d] + n * t, stack.cost[d] + n * p.price[j]
    rest = rest_of_rate(p, stack, d, n)
    size, begin = 0, left
    for i in range(d if n == 0 else d + 1):
        k = stack.at[i]
        begin = max(begin, p.whole_latency[k] * (1.0 - 2.0 * TIE))
        if p.by_rate:
            needs.batch[size], needs.duration[size] = p.batch[k], p.duration[k]
            # A rate that is missing only by rounding is enough.
            needs.own[size] = bought - stack.origin[i] + TIE * p.rate
            size += 1
    least = np.inf
    # Whole machines alone: the earliest budget at which all of them meet their needs.
    if n > 0 and rest <= 0.0:
        at = begin
        for k in range(size):
            at = max(at, (needs.duration[k] + needs.batch[k] / needs.own[k]) * (1.0 - 2.0 * TIE))
        if at <= p.budget:
            least = cost + slope * (at - left)
    most = t * (1.0 + 2.0 * TIE)
    # One partial machine cannot take the rest, or that alone costs too much.
    if rest > most or cost + p.unit_cost[j] * rest > below:
        return least
    if t - rest < FEW * p.rate and rest_of_rate(p, stack, d, n + 1) >= 0.0:
        return least  # the rest fills a whole machine
    needs.batch[size], needs.duration[size] = p.batch[j], p.duration[j]
    needs.own[size] = bought - stack.origin[d] if p.shared else 0.0
    if p.even and n > 0:
        # n·t + f >= (n + 1)·q/(x − d), with the rate of the whole machines; a rate missing only by rounding is enough.
        needs.batch[size], needs.own[size] = p.batch[j] * (n + 1), n * t + TIE * p.rate
    size += 1
    for k in range(size):
        begin = max(begin, (needs.duration[k] + needs.batch[k] / (most + needs.own[k])) * (1.0 - 2.0 * TIE))
    if begin > p.budget:
        return least
    return float(min(least, cost + _least_partial(needs, size, rest, p.unit_cost[j], begin, p.budget, left, slope)))


@compiled
def _least_partial(
    needs: _Needs, size: int, rest: float, unit_cost: float, begin: float, end: float, left: float, slope: float
) -> float:
    """Lower bound on the cost of the partial machine and the price of time over budgets from `begin` to `end` seconds.

    Both add up to a convex function of the budget, so halving at the sign of its slope closes in on the minimum. The
    result takes the rate at the end of the last piece and the time at its start: no point of the piece is below.
    """
    for _ in range(HALVINGS):
        middle = 0.5 * (begin + end)
        if not begin < middle < end:
            break
        rate, fall = _rate_and_fall(needs, size, rest, middle)
        if unit_cost * fall > slope:
            begin = middle
        else:
            end = middle
    rate, _ = _rate_and_fall(needs, size, rest, end)
    return float(unit_cost * rate + slope * (begin - left))


@compiled
def _rate_and_fall(needs: _Needs, size: int, rest: float, budget: float) -> tuple[float, float]:
    """The rate of the partial machine at a budget in seconds, and its fall per second; infinite if none is enough."""
    rate, fall = max(rest, 0.0), 0.0
    limit = budget * (1.0 + TIE)
    for k in range(size):
        wait = limit - needs.duration[k]
        if wait <= 0.0:
            return np.inf, np.inf
        needed = needs.batch[k] / wait
        if needed - needs.own[k] > rate:
            rate, fall = needed - needs.own[k], needed / wait
    return rate, fall
