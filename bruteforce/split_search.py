"""The papers' brute force: every latency split of a grid, with Harpagon's scheduler and reassigner below (§IV-B).

`split_optimum` leaves out splits that cannot win, `enumerate_splits` tries every vector of budgets. Both rest on
Harpagon's own Algorithm 1, dummy generator and reassigner: they are the one place that imports the heuristics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bruteforce.split_grids import module_budgets_to_try
from euclio.compiled import clock, compiled
from euclio.session.arrays import TC, TC_SHARED, TIE, Floats, Ints, SessionArrays
from euclio.session.dispatch import path_times
from heuristics.latency_reassigner import reassign_latency
from heuristics.module_scheduler import schedule_module
from heuristics.planner import plan_budgets
from heuristics.schedule import Schedule, copy_schedule, new_schedule

VECTORS_BETWEEN_CLOCKS = 64
REASSIGN_MOST = 1 << 30


class Splits(NamedTuple):
    """Outcome of a search over splits.

    Attributes:
        plan: the cheapest plan.
        cost: its cost per hour; infinite: no split is feasible.
        visited: vectors of budgets that were scheduled.
        share: share of the whole grid that was gone through, 1: all of it.
    """

    plan: Schedule
    cost: float
    visited: int
    share: float


class _Options(NamedTuple):
    """The distinct plans that a grid gives each module, the modules' one after the other, cheapest bound first.

    Attributes:
        first: start of each module's options, shape (modules + 1,).
        budget: smallest budget that gives the plan, shape (options,), like the next ones.
        bound: what the plan costs at least after any reassignment.
        machines: whole machines of the module's configurations, shape (options, configurations of the session).
        partial_at, partial, dummy, latency, cost: as in `Schedule`.
    """

    first: Ints
    budget: Floats
    bound: Floats
    machines: Ints
    partial_at: Ints
    partial: Floats
    dummy: Floats
    latency: Floats
    cost: Floats


@compiled
def split_optimum(s: SessionArrays, grid: int, step: float, deadline: float) -> Splits:
    """The cheapest plan over all splits of the grid, by depth-first search over the modules' distinct plans.

    Budgets that give a module the same plan count once, as the smallest of them; vectors whose costs after any
    reassignment cannot beat the incumbent are left out.

    Args:
        s: the session.
        grid: CONFIGURATIONS, BREAKPOINTS or STEPS.
        step: step of the last of these in seconds.
        deadline: seconds on `clock` at which to stop; infinite: never.
    """
    modules = s.rate.size
    options = _options(s, grid, step)
    best, trial = new_schedule(s), new_schedule(s)
    best_cost, visited, nodes = np.inf, 0, 0
    rest_bound = np.zeros(modules + 1)
    latency = np.empty(modules)
    before, after = np.zeros(modules), np.zeros(modules)
    for m in range(modules - 1, -1, -1):
        if options.first[m] == options.first[m + 1]:
            return Splits(best, np.inf, 0, 1.0)
        rest_bound[m] = rest_bound[m + 1] + options.bound[options.first[m]]
        latency[m] = options.budget[options.first[m] : options.first[m + 1]].min()
    least = latency.copy()
    at = options.first[:-1] - 1
    bound = np.zeros(modules + 1)
    m = 0
    while m >= 0:
        nodes += 1
        if nodes % VECTORS_BETWEEN_CLOCKS == 0 and clock() >= deadline:
            return Splits(best, best_cost, visited, 0.0)
        at[m] += 1
        o = at[m]
        if o == options.first[m + 1] or bound[m] + options.bound[o] + rest_bound[m + 1] >= best_cost * (1.0 - 1e-12):
            at[m], latency[m] = options.first[m] - 1, least[m]
            m -= 1
            continue
        latency[m] = options.budget[o]
        if path_times(s, latency, before, after) > s.slo * (1.0 + TIE):
            continue
        if m + 1 < modules:
            bound[m + 1] = bound[m] + options.bound[o]
            m += 1
            continue
        for i in range(modules):
            _load(s, options, i, at[i], trial)
        visited += 1
        reassign_latency(s, s.dummies, REASSIGN_MOST, trial)
        if trial.cost.sum() < best_cost * (1.0 - 1e-12):
            best_cost = trial.cost.sum()
            copy_schedule(trial, best)
    return Splits(best, best_cost, visited, 1.0)


@compiled
def enumerate_splits(s: SessionArrays, grid: int, step: float, deadline: float) -> Splits:
    """The same optimum by plain enumeration: every vector of budgets is scheduled from the start.

    Under a deadline the search stops early and says which share of all vectors it went through.
    """
    modules = s.rate.size
    best, trial = new_schedule(s), new_schedule(s)
    best_cost, visited = np.inf, 0
    grids = [module_budgets_to_try(s, m, grid, step) for m in range(modules)]
    at = np.zeros(modules, np.int64)
    budgets = np.empty(modules)
    before, after = np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        if grids[m].size == 0:
            return Splits(best, np.inf, 0, 1.0)
        budgets[m] = grids[m][0]
    passed = 0
    while True:
        passed += 1
        if passed % VECTORS_BETWEEN_CLOCKS == 0 and clock() >= deadline:
            return Splits(best, best_cost, visited, _share(grids, at))
        if path_times(s, budgets, before, after) <= s.slo * (1.0 + TIE):
            visited += 1
            reassigned = plan_budgets(s, budgets, s.dummies, REASSIGN_MOST, trial)
            if reassigned >= 0 and trial.cost.sum() < best_cost * (1.0 - 1e-12):
                best_cost = trial.cost.sum()
                copy_schedule(trial, best)
        m = modules - 1
        while m >= 0 and at[m] + 1 == grids[m].size:
            at[m], budgets[m] = 0, grids[m][0]
            m -= 1
        if m < 0:
            return Splits(best, best_cost, visited, 1.0)
        at[m] += 1
        budgets[m] = grids[m][at[m]]


@compiled
def _share(grids: list[Floats], at: Ints) -> float:
    """Share of the vectors that come before `at` in the order of enumeration."""
    share, weight = 0.0, 1.0
    for m in range(at.size):
        weight /= grids[m].size
        share += weight * at[m]
    return share


@compiled
def _options(s: SessionArrays, grid: int, step: float) -> _Options:
    modules = s.rate.size
    shortest = np.empty(modules)
    for m in range(modules):
        shortest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, shortest, before, after)
    budgets = module_budgets_to_try(s, 0, grid, step)
    grid_first = np.zeros(modules + 1, np.int64)
    grid_first[1] = budgets.size
    for m in range(1, modules):
        budgets = np.concatenate((budgets, module_budgets_to_try(s, m, grid, step)))
        grid_first[m + 1] = budgets.size
    options = _empty_options(s, budgets.size)
    size = 0
    for m in range(modules):
        module_grid = budgets[grid_first[m] : grid_first[m + 1]]
        size = _add_options(s, m, module_grid, s.slo - before[m] - after[m], options, size)
        options.first[m + 1] = size
    return _by_bound(options)


@compiled
def _empty_options(s: SessionArrays, most: int) -> _Options:
    return _Options(
        np.zeros(s.rate.size + 1, np.int64),
        np.empty(most),
        np.empty(most),
        np.zeros((most, s.batch.size), np.int64),
        np.full(most, -1, np.int64),
        np.zeros(most),
        np.zeros(most),
        np.zeros(most),
        np.zeros(most),
    )


@compiled
def _add_options(s: SessionArrays, m: int, budgets: Floats, most_budget: float, options: _Options, begin: int) -> int:
    """Append module m's distinct plans from row `begin` on; returns the row after the last."""
    plan = new_schedule(s)
    size = begin
    for budget in budgets:
        if not schedule_module(s, m, s.rate[m], budget, s.dummies, plan):
            continue
        if size > begin and _same_plan(s, m, options, size - 1, plan):
            continue
        options.budget[size] = budget
        options.bound[size] = _least_after_reassignment(s, m, most_budget, plan)
        options.machines[size] = plan.machines
        options.partial_at[size], options.partial[size] = plan.partial_at[m], plan.partial[m]
        options.dummy[size], options.latency[size] = plan.dummy[m], plan.latency[m]
        options.cost[size] = plan.cost[m]
        size += 1
    return size


@compiled
def _by_bound(options: _Options) -> _Options:
    """The same options, each module's sorted by their bounds."""
    order = np.arange(options.first[-1])
    for m in range(options.first.size - 1):
        lo, hi = options.first[m], options.first[m + 1]
        order[lo:hi] = lo + np.argsort(options.bound[lo:hi])
    return _Options(
        options.first,
        options.budget[order],
        options.bound[order],
        options.machines[order],
        options.partial_at[order],
        options.partial[order],
        options.dummy[order],
        options.latency[order],
        options.cost[order],
    )


@compiled
def _same_plan(s: SessionArrays, m: int, options: _Options, o: int, plan: Schedule) -> bool:
    if options.partial_at[o] != plan.partial_at[m]:
        return False
    for k in range(s.first[m], s.first[m + 1]):
        if options.machines[o, k] != plan.machines[k]:
            return False
    return True


@compiled
def _load(s: SessionArrays, options: _Options, m: int, o: int, plan: Schedule) -> None:
    for k in range(s.first[m], s.first[m + 1]):
        plan.machines[k] = options.machines[o, k]
    plan.partial_at[m], plan.partial[m] = options.partial_at[o], options.partial[o]
    plan.dummy[m], plan.latency[m], plan.cost[m] = options.dummy[o], options.latency[o], options.cost[o]


@compiled
def _least_after_reassignment(s: SessionArrays, m: int, most_budget: float, plan: Schedule) -> float:
    """Lower bound on the plan's cost after any reassignment within `most_budget` seconds.

    The first allocation's whole machines stay, the residual pays at least its fluid bound; unless a better
    configuration could come before them, when the whole rate pays its fluid bound.
    """
    first = s.first[m]
    while plan.machines[first] == 0 and plan.partial_at[m] != first:
        first += 1
    kept_rate = plan.machines[first] * s.throughput[first]
    residual = s.rate[m] - kept_rate
    if residual <= TIE * s.rate[m]:
        return float(plan.cost[m])
    for k in range(s.first[m], first):
        if _need(s, k, most_budget) <= residual + s.throughput[k]:
            return float(min(plan.cost[m], _fluid(s, m, s.rate[m], most_budget)))
    kept_cost = plan.machines[first] * s.price[first]
    return float(min(plan.cost[m], kept_cost + _fluid(s, m, residual, most_budget)))


@compiled
def _need(s: SessionArrays, k: int, budget: float) -> float:
    """Rate that configuration k needs within the budget, at least."""
    if s.duration[k] >= budget:
        return np.inf
    if s.policy == TC or s.policy == TC_SHARED:
        return float(s.batch[k] / (budget * (1.0 + TIE) - s.duration[k]))
    return 0.0


@compiled
def _fluid(s: SessionArrays, m: int, rate: float, budget: float) -> float:
    """Least cost of a rate: all of it, or a configuration's need if that is more, at one unit cost."""
    best = np.inf
    for k in range(s.first[m], s.first[m + 1]):
        best = min(best, s.unit_cost[k] * max(rate, _need(s, k, budget)))
    return best
