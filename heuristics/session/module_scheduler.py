"""Algorithm 1 of Harpagon (§III-C): the multi-tuple configuration set of one module for a latency budget."""

from __future__ import annotations

from euclio.core.compiled import compiled
from euclio.session.arrays import SessionArrays
from euclio.session.dispatch import fits, module_latency, partial_latency, whole_and_rest, whole_latency
from euclio.session.policies.kernels import TIED
from heuristics.session.dummy_generator import close_with_dummies, replace_followers
from heuristics.session.schedule import Schedule


@compiled
def schedule_module(s: SessionArrays, m: int, rate: float, budget: float, dummies: bool, plan: Schedule) -> bool:
    """Algorithm 1 followed by the dummy generator: the plan of module m at `rate` within `budget`.

    Where the rest fits no configuration, Algorithm 1 as printed fails; here dummies may still close it
    (ours, in the system's favour).

    Args:
        s: the session.
        m: the module.
        rate: rate to serve in requests per second (the module's, or its residual).
        budget: latency budget in seconds.
        dummies: whether the dummy generator may be used.
        plan: the module's part is overwritten.

    Returns:
        Whether there is a plan.
    """
    rest, used = generate_configuration(s, m, rate, budget, plan)
    if rest > 0.0:
        if not dummies or not close_with_dummies(s, m, rest, used, budget, plan):
            return False
    elif dummies:
        replace_followers(s, m, plan)
        if s.policy > TIED and not fits(_latency(s, m, plan), budget):
            # More machines of a configuration never take longer under the other policies.
            generate_configuration(s, m, rate, budget, plan)
    _price(s, m, rate, plan)
    return True


@compiled
def generate_configuration(s: SessionArrays, m: int, rate: float, budget: float, plan: Schedule) -> tuple[float, int]:
    """Algorithm 1: go down the ranking, whole machines first, then a partial one or the next configuration.

    With a limit of k allocations the k-th has to carry all the rest.

    Returns:
        The rate that no configuration could take (0: success) and the number of allocations made.
    """
    lo, hi = s.first[m], s.first[m + 1]
    plan.machines[lo:hi] = 0
    plan.partial_at[m], plan.partial[m], plan.dummy[m] = -1, 0.0, 0.0
    rest, used = rate, 0
    for k in range(lo, hi):
        # No rate makes it fast enough.
        if s.duration[k] >= budget:
            continue
        whole, left = whole_and_rest(rest, s.throughput[k], s.rate[m])
        whole_fits = whole == 0 or fits(whole_latency(s, k, whole, 0.0, rest, rest), budget)
        left_fits = left == 0.0 or fits(partial_latency(s, k, whole, left, rest, rest), budget)
        carries_all = whole_fits and left_fits
        if carries_all and s.policy > TIED and whole > 0 and left > 0.0:
            # Next to a partial machine, whole ones may take longer under such a policy; under the others never.
            carries_all = fits(whole_latency(s, k, whole, left, rest, rest), budget)
        # The last allocation allowed has to carry everything; others need a whole machine that keeps the budget.
        if not carries_all and (used + 1 >= s.max_allocations or whole == 0 or not whole_fits):
            continue
        plan.machines[k] = whole
        used += 1
        rest = left
        if carries_all:
            if left > 0.0:
                plan.partial_at[m], plan.partial[m] = k, left
            return 0.0, used
    return rest, used


@compiled
def _price(s: SessionArrays, m: int, rate: float, plan: Schedule) -> None:
    """Cost and worst-case latency of module m as scheduled; `rate` is the rate that was scheduled."""
    cost = 0.0
    for k in range(s.first[m], s.first[m + 1]):
        cost += plan.machines[k] * s.price[k]
    if plan.partial_at[m] >= 0:
        cost += plan.partial[m] * s.unit_cost[plan.partial_at[m]]
    plan.cost[m] = cost
    if rate == s.rate[m]:
        plan.latency[m] = _latency(s, m, plan)


@compiled
def _latency(s: SessionArrays, m: int, plan: Schedule) -> float:
    """Worst-case latency of module m as scheduled, in seconds."""
    return module_latency(s, m, plan.machines, plan.partial_at[m], plan.partial[m], plan.dummy[m])
