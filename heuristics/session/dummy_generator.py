"""Dummy generator of Harpagon (§III-C): dummy requests that fill a machine of a better configuration up to full."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, fits
from euclio.problems.session.rules import DummyRule
from heuristics.session.schedule import Schedule

NO_DUMMIES, WHOLE_MACHINES, ANY_RATE = 0, 1, 2
"""Dummy generators: none, Harpagon's, Piccolo's (`continuous_dummies`)."""


def generator_of(rule: DummyRule) -> int:
    """The dummy generator that makes the plans of a dummy rule."""
    if not rule.adds:
        return NO_DUMMIES
    return WHOLE_MACHINES if rule.countable else ANY_RATE


@compiled
def replace_followers(s: SessionArrays, m: int, plan: Schedule) -> None:
    """For each configuration that another one follows: one more whole machine instead of everything after it.

    The leftover u must be below the machine's throughput t (Theorem 2); dummies are t − u. The cheapest
    replacement is made if it saves money. Latencies of the machines that stay can only fall.
    """
    lo, hi = s.first[m], s.first[m + 1]
    after_rate, after_cost = 0.0, 0.0
    if plan.partial_at[m] >= 0:
        after_rate = plan.partial[m]
        after_cost = after_rate * s.unit_cost[plan.partial_at[m]]
    best_saving, best, best_dummy = 0.0, -1, 0.0
    last = True
    # From the last in rank on: the leftover u of each is what was summed up before it.
    for k in range(hi - 1, lo - 1, -1):
        if plan.machines[k] == 0 and plan.partial_at[m] != k:
            continue
        # Theorem 2: one machine replaces only what is less than it takes.
        if not last and plan.machines[k] > 0 and after_rate < s.throughput[k]:
            saving = after_cost - s.price[k]
            # Savings that differ by rounding only leave the later rank, which comes first here.
            if saving > best_saving * (1.0 + TIE) + TIE * after_cost:
                best_saving, best, best_dummy = saving, k, s.throughput[k] - after_rate
        last = False
        after_rate += plan.machines[k] * s.throughput[k]
        after_cost += plan.machines[k] * s.price[k]
    if best >= 0:
        _fill_up(s, m, best, 1, best_dummy, plan)


@compiled
def close_with_dummies(s: SessionArrays, m: int, rest: float, used: int, budget: float, plan: Schedule) -> bool:
    """Algorithm 1 left `rest` unserved: close it with whole machines filled up by dummies, at the least cost.

    Either one more machine of a configuration in use instead of everything after it, or as many machines
    of a configuration ranked after them as the rest needs (ours; the paper is silent).

    Args:
        s: the session.
        m: the module.
        rest: rate that is unserved, in requests per second.
        used: allocations made so far.
        budget: latency budget in seconds.
        plan: the module's part is changed where there is a way.

    Returns:
        Whether there is one.
    """
    lo, hi = s.first[m], s.first[m + 1]
    best_cost, best, best_count, best_dummy = np.inf, -1, 0, 0.0
    after_rate, after_cost, last_used = rest, 0.0, lo - 1
    for k in range(hi - 1, lo - 1, -1):
        if plan.machines[k] == 0:
            continue
        last_used = max(last_used, k)
        if after_rate < s.throughput[k]:
            change = s.price[k] - after_cost
            # Strictly cheaper: ties keep the later rank, which comes first here.
            if change < best_cost:
                best_cost, best, best_count, best_dummy = change, k, 1, s.throughput[k] - after_rate
        after_rate += plan.machines[k] * s.throughput[k]
        after_cost += plan.machines[k] * s.price[k]
    # Another configuration is another allocation.
    if used < s.max_allocations:
        for k in range(last_used + 1, hi):
            # Lowered before rounding up, lest rounding buys a machine for nothing.
            count = np.ceil(rest / s.throughput[k] * (1.0 - TIE))
            carried = count * s.throughput[k]
            change = count * s.price[k]
            if change < best_cost and fits(configuration_latency(s, k, carried), budget):
                best_cost, best, best_count, best_dummy = change, k, int(count), carried - rest
    if best < 0:
        return False
    _fill_up(s, m, best, best_count, best_dummy, plan)
    return True


@compiled
def _fill_up(s: SessionArrays, m: int, k: int, count: int, dummy: float, plan: Schedule) -> None:
    """Add `count` machines of configuration k in place of everything ranked after it."""
    plan.machines[k] += count
    plan.machines[k + 1 : s.first[m + 1]] = 0
    plan.partial_at[m], plan.partial[m], plan.dummy[m] = -1, 0.0, dummy
