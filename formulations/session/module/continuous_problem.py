"""One module at one latency budget under dummy rule `continuous`: what the search of its cheapest plan reads (ours)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import TIE, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import full_latency
from euclio.problems.session.policies.kernels import LEFT, TIED
from formulations.session.module.problem import even_batch
from formulations.tolerances import NARROWEST


class ContinuousProblem(NamedTuple):
    """One module within a budget: the configurations that are of any use, in rank order.

    Attributes:
        configuration: index among the session's configurations; this and all arrays up to `group` but `low` have the
            shape (configurations kept,).
        batch: batch size b; in form `EVEN` q, with which a machine of the last allocation takes d + q·n/R.
        duration: duration d in seconds.
        throughput: throughput t in requests per second, the nearest float.
        low: what t, and last the rate, has beyond its float, shape (configurations kept + 1,).
        price: price p per hour.
        unit_cost: ρ = p/t, money per hour for one request per second.
        need: b/(L − d), the rate at which a batch is collected within the budget L; in form `EVEN` q/(L − d), the least
            share R/n of a machine of the last allocation.
        whole_latency: latency of a whole machine where no rate decides it, else 0, in seconds; infinite: too long.
        group: number of the throughput-cost ratio.
        least_close: least cost of a last allocation from here on, shape (configurations kept + 1,).
        hidden: no plan with a configuration left out as too narrow costs less; infinite: none was left out.
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
    """What the search of module m's cheapest plan under rule `continuous` reads; useless configurations are left out.

    Args:
        s: the session.
        m: the module.
        budget: largest worst-case latency in seconds; it is taken a `TIE` longer, so that needs err low.

    Returns:
        The configurations that some plan within the budget may use, and what each of them needs.
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
