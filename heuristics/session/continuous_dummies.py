"""Dummy generator of Piccolo (§III-D): dummy requests that fill a partial machine just up to what makes it fast enough.

A partial machine of configuration (b, d) that collects its batch from its own rate f takes d + b/f. Within a budget L
it needs f >= b/(L − d): a leftover u below that is filled up by b/(L − d) − u dummies, the least that do. Where they
would fill the machine, it is a whole one.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, fits, partial_latency, whole_latency
from euclio.problems.session.policies.kernels import TIED
from heuristics.session.schedule import Schedule

FULL = 1.0 - 1e-9
"""A partial machine with this share of a whole one's rate is made whole: rounding decides, and the cost is the same."""
HALVINGS = 60
"""Each halves the interval that the rate is known to lie in: enough for every digit of a float."""


@compiled
def least_rate(s: SessionArrays, k: int, machines: int, leftover: float, budget: float) -> float:
    """The least rate of a machine of configuration k, next to `machines` whole ones, that keeps the budget.

    Args:
        s: the session.
        k: the configuration.
        machines: whole machines of its allocation.
        leftover: rate in requests per second that the machine has to take at least.
        budget: latency budget in seconds, longer than the duration.

    Returns:
        The rate in requests per second; the throughput: only a whole machine may keep it.
    """
    t = float(s.throughput[k])
    if s.policy <= TIED:
        # Piccolo §III-D: b/(L − d) − u dummies bring the leftover u up to b/(L − d).
        rate = max(leftover, float(s.batch[k] / (budget - s.duration[k])))
    else:
        rate = _halved_rate(s, k, machines, leftover, budget)
    return t if rate >= FULL * t else rate


@compiled
def _halved_rate(s: SessionArrays, k: int, machines: int, leftover: float, budget: float) -> float:
    """The least rate by halving, where the policy has no formula for it; more rate is taken to be less latency."""
    low, high = leftover, float(s.throughput[k])
    if low > 0.0 and _keeps(s, k, machines, low, budget):
        return low
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _keeps(s, k, machines, middle, budget):
            high = middle
        else:
            low = middle
    return high


@compiled
def _keeps(s: SessionArrays, k: int, machines: int, rate: float, budget: float) -> bool:
    """Whether a partial machine at `rate` and the whole ones next to it keep the budget."""
    left = machines * s.throughput[k] + rate
    if machines > 0 and not fits(whole_latency(s, k, machines, rate, left, left), budget):
        return False
    return fits(partial_latency(s, k, machines, rate, left, left), budget)


@compiled
def fill_leftover(s: SessionArrays, m: int, budget: float, plan: Schedule) -> None:
    """For each configuration that another one follows: one more machine of it, filled up, instead of all after it.

    The leftover u must be below the machine's throughput (Theorem 2). Algorithm 1 went on because u alone keeps no
    budget there, so there are dummies to add. The cheapest replacement is made if it saves money (§III-D adds any
    dummies that are not negative; to add those that cost more would contradict its purpose). Machines that stay can
    only get faster.
    """
    lo, hi = s.first[m], s.first[m + 1]
    # Dummies that the plan has already are no workload.
    after_rate, after_cost = -plan.dummy[m], 0.0
    if plan.partial_at[m] >= 0:
        after_rate += plan.partial[m]
        after_cost = plan.partial[m] * s.unit_cost[plan.partial_at[m]]
    best_saving, best, best_rate, best_leftover = 0.0, -1, 0.0, 0.0
    last = True
    # From the last in rank on: the leftover of each is what was summed up before it.
    for k in range(hi - 1, lo - 1, -1):
        if plan.machines[k] == 0 and plan.partial_at[m] != k:
            continue
        if not last and after_rate < s.throughput[k]:
            rate = least_rate(s, k, plan.machines[k], after_rate, budget)
            saving = after_cost - rate * s.unit_cost[k]
            # Savings that differ by rounding only leave the later rank, which comes first here.
            if saving > best_saving * (1.0 + TIE) + TIE * after_cost:
                best_saving, best, best_rate, best_leftover = saving, k, rate, after_rate
        last = False
        after_rate += plan.machines[k] * s.throughput[k]
        after_cost += plan.machines[k] * s.price[k]
    if best >= 0:
        add_filled(s, m, best, best_rate, best_leftover, plan)


@compiled
def close_filled(s: SessionArrays, m: int, rest: float, used: int, budget: float, plan: Schedule) -> bool:
    """Algorithm 1 left `rest` unserved: close it with a machine filled up by dummies, at the least cost.

    Either one more machine of a configuration in use instead of everything after it, or a configuration ranked after
    them: a partial machine, or as many whole ones as keep the budget (ours; the paper is silent).
    """
    lo, hi = s.first[m], s.first[m + 1]
    best_cost, best, best_count, best_rate, best_leftover = np.inf, -1, 0, 0.0, 0.0
    after_rate, after_cost, last_used = rest, 0.0, lo - 1
    for k in range(hi - 1, lo - 1, -1):
        if plan.machines[k] == 0:
            continue
        last_used = max(last_used, k)
        if after_rate < s.throughput[k]:
            rate = least_rate(s, k, plan.machines[k], after_rate, budget)
            change = rate * s.unit_cost[k] - after_cost
            # Strictly cheaper: ties keep the later rank, which comes first here.
            if change < best_cost:
                best_cost, best, best_count, best_rate, best_leftover = change, k, 0, rate, after_rate
        after_rate += plan.machines[k] * s.throughput[k]
        after_cost += plan.machines[k] * s.price[k]
    # Another configuration is another allocation.
    if used < s.max_allocations:
        for k in range(last_used + 1, hi):
            if s.duration[k] >= budget:
                continue
            count, rate = _closing_machines(s, k, rest, budget)
            change = count * s.price[k] + rate * s.unit_cost[k]
            if change < best_cost and count + rate > 0.0:
                best_cost, best, best_count, best_rate, best_leftover = change, k, count, rate, rest
    if best < 0:
        return False
    if best_count == 0:
        add_filled(s, m, best, best_rate, best_leftover, plan)
        return True
    plan.machines[best] = best_count
    plan.dummy[m] = best_count * s.throughput[best] - rest
    return True


@compiled
def _closing_machines(s: SessionArrays, k: int, rest: float, budget: float) -> tuple[int, float]:
    """Whole machines of configuration k, or a partial one's rate, that take `rest` within the budget; (0, 0): none."""
    t = s.throughput[k]
    if rest < t:
        rate = least_rate(s, k, 0, rest, budget)
        if rate < t:
            return 0, rate
    # Whole machines collect from all of their rate under some policies: more of them may be fast enough.
    total = rest
    if 0 <= s.policy <= TIED:
        total = max(rest, s.batch[k] / (budget - s.duration[k]))
    # Lowered before rounding up, lest rounding buys a machine for nothing.
    count = int(np.ceil(total / t * (1.0 - TIE)))
    return (count, 0.0) if fits(configuration_latency(s, k, count * t), budget) else (0, 0.0)


@compiled
def add_filled(s: SessionArrays, m: int, k: int, rate: float, leftover: float, plan: Schedule) -> None:
    """Add a machine of configuration k at `rate` for a leftover, in place of everything ranked after k."""
    plan.machines[k + 1 : s.first[m + 1]] = 0
    plan.dummy[m] = rate - leftover
    if rate < s.throughput[k]:
        plan.partial_at[m], plan.partial[m] = k, rate
    else:
        plan.machines[k] += 1
        plan.partial_at[m], plan.partial[m] = -1, 0.0
