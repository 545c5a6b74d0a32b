"""Algorithm 1 of Harpagon (§III-C) and Piccolo (§III-B): the configuration set of one module for a latency budget."""

from __future__ import annotations

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import UNLIMITED, SessionArrays
from euclio.problems.session.latency.dispatch import (
    fits,
    module_latency,
    partial_latency,
    whole_and_rest,
    whole_latency,
)
from euclio.problems.session.policies.kernels import TIED
from heuristics.session.continuous_dummies import add_filled, close_filled, fill_leftover, least_rate
from heuristics.session.dummy_generator import ANY_RATE, NO_DUMMIES, close_with_dummies, replace_followers
from heuristics.session.schedule import Schedule


@compiled
def schedule_module(s: SessionArrays, m: int, rate: float, budget: float, dummies: int, plan: Schedule) -> bool:
    """Algorithm 1 followed by the dummy generator: the plan of module m at `rate` within `budget`.

    Where the rest fits no configuration, Algorithm 1 as printed fails; here dummies may still close it
    (ours, in the system's favour).

    Args:
        s: the session.
        m: the module.
        rate: rate to serve in requests per second (the module's, or its residual).
        budget: latency budget in seconds.
        dummies: the dummy generator (`dummy_generator.py`).
        plan: the module's part is overwritten.

    Returns:
        Whether there is a plan.
    """
    rest, used = generate_configuration(s, m, rate, budget, plan)
    if dummies == ANY_RATE:
        if not _fill(s, m, rate, rest, used, budget, plan):
            return False
    elif rest > 0.0:
        if dummies == NO_DUMMIES or not close_with_dummies(s, m, rest, used, budget, plan):
            return False
    elif dummies != NO_DUMMIES:
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
        The rate that no configuration could take (0 means success) and the number of allocations made.
    """
    lo, hi = s.first[m], s.first[m + 1]
    plan.machines[lo:hi] = 0
    plan.partial_at[m], plan.partial[m], plan.dummy[m] = -1, 0.0, 0.0
    rest, used = rate, 0
    for k in range(lo, hi):
        # No rate makes it fast enough.
        if s.duration[k] >= budget:
            continue
        # Lines 5 to 12 at once: whole machines, and a partial one of the same configuration if that keeps the budget.
        whole, left, whole_fits, carries_all = _taken(s, k, rest, s.rate[m], budget)
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
    # Line 17, where no configuration is left, fails; here the caller may still close the rest with dummies.
    return rest, used


@compiled
def _taken(s: SessionArrays, k: int, rest: float, rate: float, budget: float) -> tuple[int, float, bool, bool]:
    """What configuration k makes of the rate that is left.

    Returns:
        Whole machines, the rate that they leave, whether they keep the budget, whether with a partial one they carry
        everything.
    """
    whole, left = whole_and_rest(rest, s.throughput[k], rate)
    whole_fits = whole == 0 or fits(whole_latency(s, k, whole, 0.0, rest, rest), budget)
    left_fits = left == 0.0 or fits(partial_latency(s, k, whole, left, rest, rest), budget)
    carries_all = whole_fits and left_fits
    if carries_all and s.policy > TIED and whole > 0 and left > 0.0:
        # Next to a partial machine, whole ones may take longer under such a policy; under the others never.
        carries_all = fits(whole_latency(s, k, whole, left, rest, rest), budget)
    return whole, left, whole_fits, carries_all


@compiled
def _fill(s: SessionArrays, m: int, rate: float, rest: float, used: int, budget: float, plan: Schedule) -> bool:
    """Piccolo's dummy generator after Algorithm 1, which left `rest`; whether there is a plan."""
    closed = rest <= 0.0 or close_filled(s, m, rest, used, budget, plan)
    if s.max_allocations < UNLIMITED:
        closed = _fill_last_allowed(s, m, rate, budget, closed, plan)
    if not closed:
        return False
    fill_leftover(s, m, budget, plan)
    if s.policy > TIED and not fits(_latency(s, m, plan), budget):
        # More rate on a configuration never takes longer under the other policies.
        return generate_configuration(s, m, rate, budget, plan)[0] <= 0.0
    return True


@compiled
def _fill_last_allowed(s: SessionArrays, m: int, rate: float, budget: float, closed: bool, plan: Schedule) -> bool:
    """With a limit on allocations: fill up the first configuration that Algorithm 1 would use as its last one.

    No other may follow it, so that its own leftover, which alone keeps no budget, has to be filled (ours; the paper
    says nothing of Picc-1bpc's and Picc-2bpc's dummies).

    Args:
        s: the session.
        m: the module.
        rate: rate to serve in requests per second.
        budget: latency budget in seconds.
        closed: whether the schedule has a plan already; only a cheaper one takes its place.
        plan: the module's part of the schedule.

    Returns:
        Whether the schedule has a plan now.
    """
    lo, hi = s.first[m], s.first[m + 1]
    rest, used, cost = rate, 0, 0.0
    for k in range(lo, hi):
        if s.duration[k] >= budget:
            continue
        whole, left, whole_fits, carries_all = _taken(s, k, rest, s.rate[m], budget)
        # Algorithm 1 serves everything without dummies.
        if carries_all:
            return closed
        if whole == 0 or not whole_fits:
            continue
        used += 1
        cost += whole * s.price[k]
        if used == s.max_allocations:
            filled = least_rate(s, k, whole, left, budget)
            cost += filled * s.unit_cost[k]
            if closed and cost >= module_cost(s, m, plan) * (1.0 - TIE):
                return closed
            _prefix(s, m, rate, k, budget, plan)
            plan.machines[k] = whole
            add_filled(s, m, k, filled, left, plan)
            return True
        rest = left
    return closed


@compiled
def _prefix(s: SessionArrays, m: int, rate: float, end: int, budget: float, plan: Schedule) -> None:
    """The whole machines that Algorithm 1 takes of the configurations ranked before `end`, and nothing else."""
    plan.machines[s.first[m] : s.first[m + 1]] = 0
    rest = rate
    for k in range(s.first[m], end):
        if s.duration[k] < budget:
            whole, left, whole_fits, _ = _taken(s, k, rest, s.rate[m], budget)
            if whole > 0 and whole_fits:
                plan.machines[k], rest = whole, left


@compiled
def module_cost(s: SessionArrays, m: int, plan: Schedule) -> float:
    """Cost per hour of module m as scheduled."""
    cost = 0.0
    for k in range(s.first[m], s.first[m + 1]):
        cost += plan.machines[k] * s.price[k]
    if plan.partial_at[m] >= 0:
        cost += plan.partial[m] * s.unit_cost[plan.partial_at[m]]
    return cost


@compiled
def _price(s: SessionArrays, m: int, rate: float, plan: Schedule) -> None:
    """Cost and worst-case latency of module m as scheduled; `rate` is the rate that was scheduled."""
    plan.cost[m] = module_cost(s, m, plan)
    if rate == s.rate[m]:
        plan.latency[m] = _latency(s, m, plan)


@compiled
def _latency(s: SessionArrays, m: int, plan: Schedule) -> float:
    """Worst-case latency of module m as scheduled, in seconds."""
    return module_latency(s, m, plan.machines, plan.partial_at[m], plan.partial[m], plan.dummy[m])
