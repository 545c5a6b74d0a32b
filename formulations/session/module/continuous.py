"""Cheapest plan of one module within a latency budget L under dummy rule `continuous` (compiled, ours).

Fix whole counts n, the last allocation's configuration j and a partial rate f. The total rate T + δ is then Σ n·t + f,
so f >= T − Σ n·t. Under `tc` a configuration i that whole machines use requires Σ_(k>=i) n·t + f >= b_i/(L − d_i), its
*need* (under `tc-shared` the sum begins at its ratio). A partial machine has to take b_j/(L − d_j) itself (not under
`tc-shared`). Form `EVEN` only requires that each of the n_j + 1 machines of the last allocation has its share:
n_j·t_j + f >= (n_j + 1)·q_j/(L − d_j). The least such f is best. Dummies beyond one machine are allowed, so only cost
bounds the counts.

`by_share` closes with whole machines once a need exceeds the rate that is left, and bounds sums of prices. Here every
need can be met exactly, so the bounds are other ones and the two searches share no step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import full_latency
from euclio.problems.session.policies.kernels import LEFT, TIED
from formulations.session.module.problem import even_batch
from formulations.session.module.remaining_rate import FEW, rate_left
from formulations.tolerances import NARROWEST

# One module at one latency budget under dummy rule `continuous`: the input of the search for its cheapest plan (ours).


class ContinuousProblem(NamedTuple):
    """One module within a budget: the useful configurations, in rank order.

    Attributes:
        configuration: index among the session's configurations; this and all arrays up to `group` but `low` have the
            shape (configurations kept,).
        batch: batch size b; in form `EVEN` q, with which a machine of the last allocation takes d + q·n/R.
        duration: duration d in seconds.
        throughput: throughput t in requests per second, the nearest float.
        low: the difference of t, and last of the rate, from its float, shape (configurations kept + 1,).
        price: price p per hour.
        unit_cost: ρ = p/t, money per hour for one request per second.
        need: b/(L − d), the rate at which a batch is collected within the budget L; in form `EVEN` q/(L − d), the least
            share R/n of a machine of the last allocation.
        whole_latency: latency of a whole machine if no rate decides it, else 0, in seconds; infinite means too long.
        group: number of the throughput-cost ratio.
        least_close: least cost of a last allocation from here on, shape (configurations kept + 1,).
        hidden: lower bound on plans with a configuration left out as too narrow; infinite means that none was left out.
        rate: the module's rate, the nearest float.
        budget: L in seconds.
        most: most allocations.
        by_rate: whether whole machines collect from the rate left (`tc`, `tc-shared`).
        shared: whether configurations of one ratio share it (`tc-shared`).
        even: whether the machines of the last allocation share its rate (form `EVEN`).
    """

    configuration: Ints
    batch: Floats
    duration: Floats
    throughput: Floats
    low: Floats
    price: Floats
    unit_cost: Floats
    need: Floats
    whole_latency: Floats
    group: Ints
    least_close: Floats
    hidden: float
    rate: float
    budget: float
    most: int
    by_rate: bool
    shared: bool
    even: bool


@compiled
def continuous_problem(s: SessionArrays, m: int, budget: float) -> ContinuousProblem:
    """The input of the search for module m's cheapest plan under rule `continuous`, without useless configurations.

    Args:
        s: the session.
        m: the module.
        budget: largest worst-case latency in seconds; it is taken a `TIE` longer, so that needs err low.

    Returns:
        The configurations that some plan within the budget may use, and the needs of each of them.
    """
    lo, hi = s.first[m], s.first[m + 1]
    limit = budget * (1.0 + TIE)
    by_rate = s.policy == LEFT or s.policy == TIED
    even = s.policy > TIED
    keep = np.zeros(hi - lo, np.bool_)
    whole, batch = np.zeros(hi - lo), s.batch[lo:hi].copy()
    groups = np.zeros(hi - lo, np.int64)
    hidden = np.inf
    for k in range(lo, hi):
        i = k - lo
        groups[i] = 0 if i == 0 else groups[i - 1] + (0 if s.same_ratio[k] else 1)
        if s.duration[k] >= limit * (1.0 - NARROWEST):
            # Its batch would have to be collected in almost no time, by a billion machines: it is left out, but noted.
            # Plans with it take at least its need in all, at the least unit cost or more.
            if by_rate and s.duration[k] < limit:
                hidden = min(hidden, s.unit_cost[lo] * s.batch[k] / (limit - s.duration[k]))
            continue
        if not by_rate:
            whole[i] = full_latency(s, k)
            if even:
                batch[i] = even_batch(s, k)
        if whole[i] > limit:
            whole[i] = np.inf
        partial = s.duration[k] + s.batch[k] / s.throughput[k] <= limit
        # In form `EVEN` no machine is faster than a full one.
        keep[i] = by_rate or whole[i] <= limit or (partial and not even)
    kept = np.flatnonzero(keep)
    index = kept + lo
    need = batch[kept] / (limit - s.duration[index])
    least_close = np.full(kept.size + 1, np.inf)
    # A plan ends with a partial machine, which takes its need by itself (not under `tc-shared`), or with a whole one.
    for i in range(kept.size - 1, -1, -1):
        k = index[i]
        alone = 0.0 if s.policy == TIED else need[i]
        least_close[i] = min(least_close[i + 1], s.unit_cost[k] * min(alone, s.throughput[k]))
    return ContinuousProblem(
        index,
        batch[kept],
        s.duration[index],
        s.throughput[index],
        np.append(s.low[index], s.low[s.batch.size + m]),
        s.price[index],
        s.unit_cost[index],
        need,
        whole[kept],
        groups[kept],
        least_close,
        hidden,
        s.rate[m],
        limit,
        s.max_allocations,
        by_rate,
        s.policy == TIED,
        even,
    )


FREE_MOST = 1e3
"""Machines that cost nothing are bought up to this multiple of the required rates."""


class ContinuousFound(NamedTuple):
    """The cheapest plan of one module that a search found.

    Attributes:
        cost: money per hour; infinite means that there is no plan.
        latency: worst-case latency in seconds.
        machines: whole machines per configuration kept, shape (configurations kept,).
        partial_at: the one of them that has the partial machine; -1 means none.
        nodes: nodes of the search.
        complete: whether the search was exhausted.
    """

    cost: float
    latency: float
    machines: Ints
    partial_at: int
    nodes: int
    complete: bool


class Stack(NamedTuple):
    """Allocations of a plan in rank order, one level each; all arrays have the shape (levels,).

    Attributes:
        at: configuration of the level, as a number among those kept.
        machines: whole machines of it that are tried next; 0 means that the next configuration is to be chosen.
        cost: cost per hour of the levels before.
        bought: rate that the levels before take, in requests per second.
        origin: part of that rate which the need of this level's configuration does not count (`tc-shared`: it counts
            only the rate that its ratio has bought).
    """

    at: Ints
    machines: Ints
    cost: Floats
    bought: Floats
    origin: Floats


class _Ending(NamedTuple):
    """The last allocation: cost and latency of the plan, whole machines, partial rate (0 means none)."""

    cost: float
    latency: float
    whole: int
    partial: float


@compiled
def search_continuous(p: ContinuousProblem, tolerance: float, nodes: int) -> ContinuousFound:
    """The cheapest plan of a module within its budget under rule `continuous`, by depth-first search over whole counts.

    Args:
        p: the module at one budget.
        tolerance: plans that are cheaper than the best one found by less than this share are not searched.
        nodes: most nodes.

    Returns:
        The plan, and whether the search was exhausted.
    """
    stack = empty_stack(p)
    machines = np.zeros(p.configuration.size, np.int64)
    best, last = _Ending(np.inf, np.inf, 0, 0.0), -1
    below = np.inf
    d, visited = 0, 0
    while d >= 0 and visited < nodes:
        visited += 1
        # A count of this level's configuration is due: open the level after it, or prune.
        if stack.machines[d] > 0:
            if _descend(p, stack, d, below):
                d += 1
            continue
        j = next_configuration(p, stack, d, below)
        if j < 0:
            d -= 1
            if d >= 0:
                stack.machines[d] -= 1
            continue
        end = _close(p, stack, d, below)
        if end.cost <= below and np.isfinite(end.cost):
            machines[:] = 0
            for i in range(d):
                machines[stack.at[i]] = stack.machines[i]
            machines[j] = end.whole
            best, last = end, j
            below = end.cost * (1.0 - tolerance)
        # Whole machines of a configuration that is too slow for the budget are in no plan; a partial one may be.
        if d + 1 < p.most and j + 1 < p.configuration.size and np.isfinite(p.whole_latency[j]):
            stack.machines[d] = max(0, _most_open(p, stack, d))
    partial_at = last if best.partial > 0.0 else -1
    return ContinuousFound(best.cost, best.latency, machines, partial_at, visited, d < 0)


@compiled
def empty_stack(p: ContinuousProblem) -> Stack:
    """Room for all levels of a search; the first one has no configuration yet."""
    levels = min(p.configuration.size, p.most) + 1
    stack = Stack(
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
        np.zeros(levels),
        np.zeros(levels),
        np.zeros(levels),
    )
    stack.at[0] = -1
    return stack


@compiled
def next_configuration(p: ContinuousProblem, stack: Stack, d: int, below: float) -> int:
    """Move level d to its next configuration whose bound is not above `below`; -1 means that there is none.

    The roundings of these bounds are far below the tolerance that `below` leaves.
    """
    for j in range(stack.at[d] + 1, p.configuration.size):
        # The rest of the module's rate costs ρ_j at least, and more with every later configuration.
        if stack.cost[d] + p.unit_cost[j] * (p.rate - stack.bought[d]) > below:
            return -1
        if bound_from(p, stack, d, j) > below:
            continue
        tied = p.shared and d > 0 and p.group[j] == p.group[stack.at[d - 1]]
        stack.origin[d] = stack.origin[d - 1] if tied else stack.bought[d]
        stack.at[d] = j
        return j
    return -1


@compiled
def _descend(p: ContinuousProblem, stack: Stack, d: int, below: float) -> bool:
    """Open the level after d for the count that level d has; False means that its bound is above `below`.

    The rate that is left to buy costs no less there than here, and the largest count that is tried leaves almost none.
    So if its fluid cost alone is too much, smaller counts only cost more, and none of them is tried.
    """
    j, n, child = stack.at[d], stack.machines[d], d + 1
    stack.cost[child] = stack.cost[d] + n * p.price[j]
    stack.bought[child] = stack.bought[d] + n * p.throughput[j]
    if stack.cost[child] + p.unit_cost[j + 1] * max(0.0, to_buy(p, stack, child)) > below:
        stack.machines[d] = 0
        return False
    if bound_from(p, stack, child, j + 1) > below:
        stack.machines[d] -= 1
        return False
    stack.at[child], stack.machines[child] = j, 0
    return True


@compiled
def bound_from(p: ContinuousProblem, stack: Stack, depth: int, j: int) -> float:
    """Lower bound on the cost per hour of plans that go on at level `depth` with configuration j or a later one."""
    if j >= p.configuration.size:
        return np.inf
    rest = max(0.0, to_buy(p, stack, depth))
    return float(stack.cost[depth] + max(p.unit_cost[j] * rest, p.least_close[j]))


@compiled
def to_buy(p: ContinuousProblem, stack: Stack, depth: int) -> float:
    """Requests per second that the allocations from level `depth` on have to take because of those before."""
    return float(max(p.rate - stack.bought[depth], _lacking_rate(p, stack, depth)))


@compiled
def _lacking_rate(p: ContinuousProblem, stack: Stack, depth: int) -> float:
    """Requests per second that the levels from `depth` on have to take for those before; 0 or less means none."""
    rate = -np.inf
    if p.by_rate:
        for i in range(depth):
            rate = max(rate, p.need[stack.at[i]] - (stack.bought[depth] - stack.origin[i]))
    return float(rate)


@compiled
def rest_of_rate(p: ContinuousProblem, stack: Stack, d: int, n: int) -> float:
    """The rest of the module's rate after n machines of level d's configuration, to all digits if it is small."""
    j = stack.at[d]
    rest = p.rate - stack.bought[d] - n * p.throughput[j]
    return rate_left(p.rate, p.throughput, p.low, stack.at, stack.machines, d, j, n) if rest < FEW * p.rate else rest


@compiled
def _most_open(p: ContinuousProblem, stack: Stack, d: int) -> int:
    """The most whole machines of level d's configuration that leave something to buy."""
    j = stack.at[d]
    rate, lacking = to_buy(p, stack, d), _lacking_rate(p, stack, d)
    if p.by_rate:
        lacking = max(lacking, p.need[j] - (stack.bought[d] - stack.origin[d]))
    whole = int(max(rate, lacking) / p.throughput[j]) + 1
    # Rounding may have ignored a sliver that is left, so the last counts are tried.
    while whole > 0 and lacking <= whole * p.throughput[j] and rest_of_rate(p, stack, d, whole) <= 0.0:
        whole -= 1
    return whole


@compiled
def _close(p: ContinuousProblem, stack: Stack, d: int, below: float) -> _Ending:
    """The cheapest end of a plan with level d's configuration, of all counts that may cost no more than `below`."""
    j = stack.at[d]
    t, price = p.throughput[j], p.price[j]
    rate = to_buy(p, stack, d)
    n, enough = first_counts(p, stack, d, rate)
    asked = p.rate + rate + (p.need[j] if p.by_rate else 0.0)
    best, previous = _Ending(np.inf, np.inf, 0, 0.0), np.inf
    while n == 0 or np.isfinite(p.whole_latency[j]):
        cost = stack.cost[d] + n * price
        rest = max(0.0, rate - n * t)
        if n > 0 and p.by_rate:
            rest = max(rest, p.need[j] - (stack.bought[d] + n * t - stack.origin[d]))
        # A machine costs as much as its rate at ρ_j. So from one machine on the bound is level until they meet the
        # need, and rises then. Once it is too high and does not fall any more, all larger counts are too expensive.
        lower = cost + p.unit_cost[j] * rest
        if lower <= below:
            end = _close_at(p, stack, d, n)
            if end.cost < best.cost and end.cost <= below:
                best, below = end, end.cost
        elif n > 0 and (lower >= previous or cost > below):
            break
        if price == 0.0 and np.isfinite(best.cost):
            break  # more free machines save nothing
        # Free machines have no bound that rises. They end far beyond all required rates, where more are useless.
        # If no rate decides latencies, whole machines beyond those that take the rate only add cost.
        if (price == 0.0 and n * t > FREE_MOST * asked) or (not p.by_rate and (n - 1) * t >= rate):
            break
        if n > 0:
            previous = lower
        n = max(n + 1, enough)
    return best


@compiled
def least_whole(p: ContinuousProblem, stack: Stack, d: int) -> int:
    """The least number of whole machines at level d, if any, whose need one partial machine more can meet.

    Close to the configuration's duration smaller counts may be millions, all in vain. The result is one less than the
    count for a need that is a few `TIE` lower, so that rounding passes over no count.
    """
    j = stack.at[d]
    if not p.by_rate:
        return 1
    needed = (p.need[j] - (stack.bought[d] - stack.origin[d])) / p.throughput[j]
    return max(1, int(np.ceil(needed * (1.0 - 8.0 * TIE))) - 2)


@compiled
def first_counts(p: ContinuousProblem, stack: Stack, d: int, rate: float) -> tuple[int, int]:
    """The first two counts of whole machines to end a plan with at level d, of all that may leave room for a rest.

    Args:
        p: the problem.
        stack: the levels.
        d: the level.
        rate: requests per second that it and the levels after it have to take.

    Returns:
        The first count, 0 or more, and the least count after 0.
    """
    enough = least_whole(p, stack, d)
    n = max(0, int(np.ceil(rate / p.throughput[stack.at[d]] * (1.0 - TIE))) - 1)
    return (n if n == 0 else max(n, enough)), enough


@compiled
def _close_at(p: ContinuousProblem, stack: Stack, d: int, n: int) -> _Ending:
    """The cheapest end of a plan with n whole machines of level d's configuration, with a partial one if it takes one.

    The rate f of the partial machine is the least that meets all needs; infinite cost means that no f below t does.
    """
    j = stack.at[d]
    t = p.throughput[j]
    bought, cost = stack.bought[d] + n * t, stack.cost[d] + n * p.price[j]
    rest, own = rest_of_rate(p, stack, d, n), bought - stack.origin[d]
    lacking = _lacking_rate(p, stack, d) - n * t
    if n > 0 and p.by_rate:
        lacking = max(lacking, p.need[j] - own)
    # A rate that is missing only by rounding counts as enough; the exact check decides.
    least = max(rest, 0.0, lacking if lacking >= TIE * p.rate else 0.0)
    # Whole machines alone take the rate and meet all needs.
    if n > 0 and least == 0.0:
        at = _latency(p, stack, d, n, 0.0)
        if at <= p.budget:
            return _Ending(cost, at, n, 0.0)
    f = max(least, _own_need(p, j, n, own))
    # A partial machine may come arbitrarily close to a whole one; at a tie the exact check decides.
    if f > t * (1.0 + TIE) or f <= 0.0:
        return _Ending(np.inf, np.inf, n, 0.0)
    # The rest fills a whole machine to its last digit: the next count has that plan.
    if f == rest and t - f < FEW * p.rate and rest_of_rate(p, stack, d, n + 1) >= 0.0:
        return _Ending(np.inf, np.inf, n, 0.0)
    own += f
    collecting = p.batch[j] / (own if p.shared else f)
    if p.even:
        collecting = p.batch[j] * (n + 1) / (n * t + f)
    at = max(_latency(p, stack, d, n, f), p.duration[j] + collecting)
    return _Ending(cost + p.unit_cost[j] * f, min(at, p.budget), n, f)


@compiled
def _own_need(p: ContinuousProblem, j: int, n: int, own: float) -> float:
    """The least rate of a partial machine of configuration j next to n whole ones.

    Args:
        p: the problem.
        j: the configuration.
        n: whole machines of its allocation.
        own: under `tc-shared`, the rate that counts for its need besides its own.
    """
    if p.shared:
        return float(p.need[j] - own)
    if p.even:
        return float(p.need[j] - n * (p.throughput[j] - p.need[j]))
    return float(p.need[j])


@compiled
def _latency(p: ContinuousProblem, stack: Stack, d: int, n: int, f: float) -> float:
    """Longest latency in seconds of a whole machine when the plan ends with n machines and a rate f at level d."""
    j, at = stack.at[d], 0.0
    total = stack.bought[d] + n * p.throughput[j] + f
    for i in range(d if n == 0 else d + 1):
        k = stack.at[i]
        at = max(at, p.whole_latency[k])
        if p.by_rate:
            at = max(at, p.duration[k] + p.batch[k] / (total - stack.origin[i]))
    return float(at)
