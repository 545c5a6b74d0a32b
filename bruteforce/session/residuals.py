"""What Harpagon's reassigner can make of a module's plan, listed once by latency budget: a search looks it up.

The reassigner keeps the whole machines of the first allocation and schedules the rest, the residual, again (§III-C).
What it finds depends on the residual and the budget alone, and changes at few budgets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import UNLIMITED, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, fits, module_latency, path_times
from euclio.problems.session.policies.kernels import LEFT, TIED
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.latency_reassigner import reschedule_residual
from heuristics.session.module_scheduler import generate_configuration
from heuristics.session.schedule import Schedule, new_schedule

NEAR = 64.0 * TIE
"""A budget so near to one at which the plan changes is not looked up: rounding decides there."""
NO_PLAN, UNKNOWN = -1, -2


class Residuals(NamedTuple):
    """The residuals that plans of the modules can have, and the plans that the reassigner finds for them.

    Attributes:
        module: module of each residual, shape (residuals,).
        first: configuration of the first allocation, shape (residuals,).
        kept: whole machines of it, which stay, shape (residuals,).
        most: largest budget that the module can get, in seconds, shape (residuals,).
        row: start of the residual's rows, by falling budget, shape (residuals + 1,).
        down_to: budget in seconds above which a row holds, up to that of the row before, shape (rows,).
        latency: worst-case latency of the module's new plan in seconds, shape (rows,); of an open row the budget from
            which on it holds.
        cost: cost of that plan per hour, shape (rows,); infinite if there is none, NaN in an open row, where
            Algorithm 1 leaves a rest.
        then: residual of that plan, shape (rows,).
    """

    module: Ints
    first: Ints
    kept: Ints
    most: Floats
    row: Ints
    down_to: Floats
    latency: Floats
    cost: Floats
    then: Ints


@compiled
def residuals_after(s: SessionArrays, dummies: int, most: Floats, plans: Ints) -> tuple[Residuals, Ints]:
    """The residuals of some plans, those of the plans that the reassigner makes of them, and so on.

    Args:
        s: the session.
        dummies: the dummy generator.
        most: largest budget of each module in seconds, shape (modules,).
        plans: rows (module, configuration of the first allocation, whole machines of it), shape (plans, 3).

    Returns:
        The residuals, and each plan's among them, shape (plans,).
    """
    listed, size = np.empty_like(plans), 0
    own = np.empty(plans.shape[0], np.int64)
    for i in range(plans.shape[0]):
        own[i] = _place(listed[:size], plans[i, 0], plans[i, 1], plans[i, 2])
        if own[i] == size:
            listed[size] = plans[i]
            size += 1
    row, rows = [0], np.empty((0, 4))
    at = 0
    while at < size:
        found, reached = _rows_of(s, dummies, most, listed[at, 0], listed[at, 1], listed[at, 2])
        for i in range(found.shape[0]):
            found[i, 3] = at
            if not np.isfinite(found[i, 2]):
                continue
            place = _place(listed[:size], listed[at, 0], reached[i, 0], reached[i, 1])
            if place == size:
                if size == listed.shape[0]:
                    listed = np.concatenate((listed, np.empty_like(listed)))
                listed[size, 0], listed[size, 1], listed[size, 2] = listed[at, 0], reached[i, 0], reached[i, 1]
                size += 1
            found[i, 3] = place
        rows = np.concatenate((rows, found))
        row.append(rows.shape[0])
        at += 1
    module = listed[:size, 0].copy()
    then = rows[:, 3].astype(np.int64)
    columns = rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy()
    first, kept = listed[:size, 1].copy(), listed[:size, 2].copy()
    return Residuals(module, first, kept, most[module], np.array(row), *columns, then), own


@compiled
def _place(listed: Ints, m: int, k: int, machines: int) -> int:
    """Where the residual after `machines` whole ones of configuration k stands in a list; its length if it is new."""
    for at in range(listed.shape[0]):
        if listed[at, 0] == m and listed[at, 1] == k and listed[at, 2] == machines:
            return at
    return int(listed.shape[0])


@compiled
def _rows_of(s: SessionArrays, dummies: int, most: Floats, m: int, k: int, kept: int) -> tuple[Floats, Ints]:
    """Reschedule the residual after `kept` machines of configuration k at every budget that gives another plan.

    Returns:
        Rows (least budget in seconds, latency in seconds, cost per hour, 0), and the first allocation of each row's
        plan, rows (configuration, whole machines).
    """
    rows, reached = np.zeros((16, 4)), np.zeros((16, 2), np.int64)
    size = 0
    candidate, unfilled, plan = new_schedule(s), new_schedule(s), new_schedule(s)
    # The reassigner reads no more of a plan than its first allocation.
    plan.machines[k] = kept
    plan.partial_at[m] = k if kept == 0 else -1
    residual, budget = s.rate[m] - kept * s.throughput[k], most[m]
    while residual > TIE * s.rate[m] and budget > 0.0:
        if size == rows.shape[0]:
            rows = np.concatenate((rows, np.zeros_like(rows)))
            reached = np.concatenate((reached, np.zeros_like(reached)))
        rest, _ = generate_configuration(s, m, residual, budget, unfilled)
        size += 1
        if rest > 0.0 and not listed_to_the_end(s, dummies):
            rows[size - 1, 1], rows[size - 1, 2] = budget, np.nan
            break
        rows[size - 1, 1:3] = np.inf
        if reschedule_residual(s, m, budget, dummies, plan, candidate):
            rows[size - 1, 1], rows[size - 1, 2] = candidate.latency[m], candidate.cost[m]
            reached[size - 1, 0] = first_allocation(s, m, candidate)
            reached[size - 1, 1] = candidate.machines[reached[size - 1, 0]]
        served = residual - s.rate[m]
        least = module_latency(s, m, unfilled.machines, unfilled.partial_at[m], unfilled.partial[m], served)
        if rest > 0.0:
            least = max(least, _closing_latency(s, m, rest, budget))
        rows[size - 1, 0] = min(least, budget)
        # Just below what this plan takes, by more than `fits` forgives: the next budget with another plan.
        budget = rows[size - 1, 0] * (1.0 - 4.0 * TIE)
    return rows[:size], reached[:size]


@compiled
def listed_to_the_end(s: SessionArrays, dummies: int) -> bool:
    """Whether the rows have no open one: of a policy of form `LEFT` or `FIXED`, without dummies at any rate."""
    return s.policy <= LEFT and dummies != ANY_RATE


@compiled
def _closing_latency(s: SessionArrays, m: int, rest: float, budget: float) -> float:
    """The longest latency within a budget of machines that might close the rest that Algorithm 1 leaves, or 0.

    Below it the dummy generator has one way less (`close_with_dummies`).
    """
    longest = 0.0
    for k in range(s.first[m], s.first[m + 1]):
        carried = np.ceil(rest / s.throughput[k] * (1.0 - TIE)) * s.throughput[k]
        latency = configuration_latency(s, k, carried)
        if fits(latency, budget):
            longest = max(longest, latency)
    return longest


@compiled
def first_allocation(s: SessionArrays, m: int, plan: Schedule) -> int:
    """The configuration of module m's first allocation in rank order."""
    first = s.first[m]
    while plan.machines[first] == 0 and plan.partial_at[m] != first:
        first += 1
    return int(first)


@compiled
def reassigned_cost(s: SessionArrays, residuals: Residuals, at: Ints, latency: Floats, cost: Floats) -> float:
    """What a plan costs per hour after `reassign_latency`, by the rows alone.

    Args:
        s: the session, whose residuals are listed to the end.
        residuals: the residuals.
        at: residual of each module's plan, shape (modules,); overwritten, like the next two.
        latency: worst-case latency of each module's plan in seconds, shape (modules,).
        cost: its cost per hour, shape (modules,).

    Returns:
        The cost, bit for bit; NaN where a budget is too near to another plan.
    """
    modules = s.rate.size
    before, after = np.zeros(modules), np.zeros(modules)
    while True:
        path_times(s, latency, before, after)
        best_gain, best_module, best_row = 0.0, -1, -1
        for m in range(modules):
            budget = s.slo - before[m] - after[m]
            if budget <= latency[m] * (1.0 + TIE):
                continue
            row = _row_within(residuals, at[m], budget)
            if row == UNKNOWN:
                return float(np.nan)
            gain = cost[m] - residuals.cost[row] if row != NO_PLAN else 0.0
            # The choice and the comparisons are those of `reassign_latency`.
            if gain > best_gain and gain > 1e-9 * cost[m]:
                best_gain, best_module, best_row = gain, m, row
        if best_module < 0:
            return total_of(cost)
        at[best_module] = residuals.then[best_row]
        latency[best_module], cost[best_module] = residuals.latency[best_row], residuals.cost[best_row]


@compiled
def _row_within(residuals: Residuals, at: int, budget: float) -> int:
    """The row of a residual that a budget in seconds gets; `NO_PLAN` or `UNKNOWN`."""
    if budget > residuals.most[at] * (1.0 - NEAR):
        return UNKNOWN
    for row in range(residuals.row[at], residuals.row[at + 1]):
        least = residuals.down_to[row]
        if budget <= least * (1.0 - NEAR):
            continue
        if budget < least * (1.0 + NEAR) or np.isnan(residuals.cost[row]):
            return UNKNOWN
        latency = residuals.latency[row]
        # The row's plan was made within a larger budget: it may take longer than this one, with its dummies.
        if latency > budget * (1.0 - NEAR):
            return NO_PLAN if latency > budget * (1.0 + NEAR) else UNKNOWN
        return row
    return NO_PLAN


@compiled
def ends_of(s: SessionArrays, residuals: Residuals, dummies: int, at: int, latency: float, cost: float) -> Floats:
    """Every pair of worst-case latency and cost that a module's plan can end with, or a pair that costs no more.

    Where Algorithm 1 leaves a rest, the residual's fluid bound stands in for all smaller budgets.

    Dummies at any rate give another plan for every budget. While Algorithm 1's plan stays, more budget only means fewer
    dummies: the cost at the largest budget stands in for all, at a latency that no plan undercuts. If the first
    allocation changes there, or if allocations are limited, the whole rate's fluid bound stands in.

    Args:
        s: the session.
        residuals: the residuals.
        dummies: the dummy generator.
        at: residual of the plan.
        latency: worst-case latency of the plan in seconds.
        cost: cost of the plan per hour.

    Returns:
        Rows (latency in seconds, cost per hour), shape (ends, 2).
    """
    m = residuals.module[at]
    any_end = (0.0, fluid(s, m, s.rate[m], residuals.most[at]))
    ends, followed, done = [(latency, cost)], [at], 0
    if dummies == ANY_RATE and s.max_allocations < UNLIMITED:
        ends.append(any_end)
        done = 1
    while done < len(followed):
        own = followed[done]
        done += 1
        k, kept = residuals.first[own], residuals.kept[own]
        # Least latency of the whole machines that stay; without any, the fastest configuration's duration.
        shortest = s.duration[k] if kept > 0 else s.duration[s.first[m] : s.first[m + 1]].min()
        for row in range(residuals.row[own], residuals.row[own + 1]):
            then, possible = residuals.then[row], residuals.cost[row]
            if np.isnan(possible):
                rate = s.rate[m] - kept * s.throughput[k]
                possible = fluid(s, m, rate, residuals.latency[row])
                if dummies == ANY_RATE:
                    # Filled up, the first configuration takes the residual next to the machines that stay.
                    possible = min(possible, s.unit_cost[k] * rate)
                possible += kept * s.price[k]
                if possible < cost:
                    ends.append((shortest, possible))
            # The reassigner takes only what saves money.
            elif possible < cost and dummies == ANY_RATE:
                ends.append((shortest, possible) if then == own else any_end)
            elif possible < cost:
                ends.append((residuals.latency[row], possible))
                if then not in followed:
                    followed.append(then)
    return np.array(ends)


@compiled
def fluid(s: SessionArrays, m: int, rate: float, budget: float) -> float:
    """Least cost of a rate within a budget: all of it, or a configuration's need if that is more, at one unit cost."""
    best = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        # No rate makes it fast enough.
        if s.duration[k] >= budget:
            continue
        need = 0.0
        if s.policy == LEFT or s.policy == TIED:
            need = s.batch[k] / (budget * (1.0 + TIE) - s.duration[k])
        best = min(best, s.unit_cost[k] * max(rate, need))
    return best
