"""The papers' brute force: every latency split of a grid, with the system's scheduler and reassigner below (§IV-B).

`split_optimum` leaves out splits that cannot win, `enumerate_splits` tries every vector of budgets. Both rest on the
systems' own Algorithm 1, dummy generators and reassigner: they are the one place that imports the heuristics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bruteforce.session.residuals import (
    Residuals,
    ends_of,
    first_allocation,
    listed_to_the_end,
    reassigned_cost,
    residuals_after,
)
from euclio.core.compiled import compiled, is_past, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, module_latency, path_times
from formulations.session.split.modes import Modes, new_modes
from formulations.session.split.relaxation import relax
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.latency_reassigner import reassign_latency
from heuristics.session.module_scheduler import generate_configuration, schedule_module
from heuristics.session.planner import Scheduling, plan_budgets, stretched
from heuristics.session.schedule import Schedule, copy_schedule, new_schedule

VECTORS_BETWEEN_CLOCKS = 64
REASSIGN_MOST = 1 << 30


class Splits(NamedTuple):
    """The cheapest plan that a search over latency splits found.

    Attributes:
        plan: the plan.
        cost: cost of the plan per hour; infinite if no split is feasible.
        visited: vectors of budgets that were scheduled.
        share: searched share of the whole grid; 1 means all of it.
    """

    plan: Schedule
    cost: float
    visited: int
    share: float


class _Options(NamedTuple):
    """The distinct plans that a grid gives each module, the modules' one after the other, by rising budget.

    Attributes:
        first: start of each module's options, shape (modules + 1,).
        budget: smallest latency budget that gives the plan, in seconds, shape (options,).
        bound: least cost of the plan per hour after any reassignment, shape (options,).
        residual: residual of the plan (`residuals.py`), shape (options,).
        end_first: start of the plan's ends, shape (options + 1,).
        end_latency: worst-case latencies in seconds that the plan may end with after reassignment, shape (ends,).
        end_cost: least cost per hour with that latency, shape (ends,).
        machines: whole machines of the module's configurations, shape (options, configurations of the session).
        partial_at: configuration of the partial machine, shape (options,); -1 means none.
        partial: rate of the partial machine in requests per second, shape (options,).
        dummy: dummy rate in requests per second, shape (options,).
        latency: worst-case latency in seconds, shape (options,).
        cost: money per hour, shape (options,).
    """

    first: Ints
    budget: Floats
    bound: Floats
    residual: Ints
    end_first: Ints
    end_latency: Floats
    end_cost: Floats
    machines: Ints
    partial_at: Ints
    partial: Floats
    dummy: Floats
    latency: Floats
    cost: Floats


@compiled
def split_optimum(
    s: SessionArrays, dummies: int, grid: int, step: float, floor: float, deadline: float, most: int
) -> Splits:
    """The cheapest plan over all splits of the grid, by depth-first search over the modules' distinct plans.

    Budgets that give a module the same plan count once, as the smallest of them. The search prunes vectors whose cost
    after any reassignment cannot beat the incumbent. Its bound is the linear relaxation over the plans' possible ends.

    Args:
        s: the session.
        dummies: the dummy generator (`heuristics/session/dummy_generator.py`).
        grid: CONFIGURATIONS, BREAKPOINTS or STEPS.
        step: step of the grid STEPS in seconds.
        floor: a proven lower bound on the cost per hour of every plan; a split that reaches it ends the search.
        deadline: seconds on `clock` at which to stop; infinite means never.
        most: nodes after which to stop.

    Returns:
        The plan. It is the cheapest of all splits if the searched share is 1.
    """
    modules = s.rate.size
    options, residuals = _options(s, dummies, grid, step)
    looked_up = listed_to_the_end(s, dummies)
    best, trial = new_schedule(s), new_schedule(s)
    best_cost, visited, nodes = np.inf, 0, 0
    least = np.empty(modules)
    before, after = np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        if options.first[m] == options.first[m + 1]:
            return Splits(best, np.inf, 0, 1.0)
        least[m] = options.budget[options.first[m]]
    steps = _all_ends(s, options)
    base, excess, order = _priced(s, options, steps)
    every = np.zeros(modules, np.int64)
    cheapest = _cheapest_up_to(options)
    latency = least.copy()
    at = options.first[:-1] - 1
    bound, excesses = np.zeros(modules + 1), np.zeros(modules + 1)
    m = 0
    while m >= 0:
        nodes += 1
        if nodes > most or (nodes % VECTORS_BETWEEN_CLOCKS == 0 and is_past(deadline)):
            return Splits(best, best_cost, visited, 0.0)
        # A saving below rounding is no improvement: ties keep the first split.
        below = best_cost * (1.0 - 1e-12)
        at[m] += 1
        # Options come by how much they lift the relaxation's bound: later ones are beaten as well.
        if at[m] == options.first[m + 1] or base + excesses[m] + excess[order[at[m]]] >= below:
            at[m], latency[m] = options.first[m] - 1, least[m]
            # The module is free again in the relaxations of those before it.
            _set_ends(options, m, options.first[m], options.first[m + 1], steps)
            m -= 1
            continue
        o = order[at[m]]
        latency[m] = options.budget[o]
        # Even with later modules at their least budgets, the SLO is missed.
        if path_times(s, latency, before, after) > s.slo * (1.0 + TIE):
            continue
        # Rounding of these sums can only lose a split whose saving is close to the tie tolerance of 1e-12.
        with_rest = bound[m] + options.bound[o]
        # Every later module at its cheapest within the room left to it alone.
        for i in range(m + 1, modules):
            with_rest += _within(options, cheapest, i, s.slo * (1.0 + TIE) - before[i] - after[i])
        if with_rest >= below:
            continue
        if m + 1 < modules:
            _set_ends(options, m, o, o + 1, steps)
            # The relaxation solved anew with the options so far is sharper than the sum of their lifts.
            if m > 0 and relax(s, steps, every, steps.size - 1).bound >= below:
                continue
            bound[m + 1], excesses[m + 1] = bound[m] + options.bound[o], excesses[m] + excess[o]
            m += 1
            continue
        visited += 1
        # A cost that is looked up takes a hundredth of the time. NaN, where it is not known, is not above.
        if looked_up and _looked_up(s, options, residuals, order, at) >= below:
            continue
        for i in range(modules):
            _load(s, options, i, order[at[i]], trial)
        reassign_latency(s, dummies, REASSIGN_MOST, False, trial)
        if total_of(trial.cost) < below:
            best_cost = total_of(trial.cost)
            copy_schedule(trial, best)
            # A proven lower bound is reached: nothing cheaper is left to find.
            if best_cost <= floor * (1.0 + 1e-9):
                break
    return Splits(best, best_cost, visited, 1.0)


@compiled
def enumerate_splits(s: SessionArrays, dummies: int, stretch: bool, grid: int, step: float, deadline: float) -> Splits:
    """The cheapest plan over all splits of a grid by plain enumeration: every vector of budgets is scheduled anew.

    Args:
        s: the session.
        dummies: the dummy generator (`heuristics/session/dummy_generator.py`).
        stretch: whether every vector is stretched to fill the SLO before it is scheduled, as Piccolo's are.
        grid: CONFIGURATIONS, BREAKPOINTS or STEPS.
        step: step of the grid STEPS in seconds.
        deadline: seconds on `clock` at which to stop; infinite means never.

    Returns:
        The plan, and the searched share of all vectors.
    """
    modules = s.rate.size
    best, trial = new_schedule(s), new_schedule(s)
    best_cost, visited = np.inf, 0
    grids = [module_budgets_to_try(s, m, dummies, grid, step) for m in range(modules)]
    at = np.zeros(modules, np.int64)
    budgets = np.empty(modules)
    before, after = np.zeros(modules), np.zeros(modules)
    for m in range(modules):
        if grids[m].size == 0:
            return Splits(best, np.inf, 0, 1.0)
        budgets[m] = grids[m][0]
    below, passed = Scheduling(dummies, REASSIGN_MOST, False), 0
    while True:
        passed += 1
        if passed % VECTORS_BETWEEN_CLOCKS == 0 and is_past(deadline):
            return Splits(best, best_cost, visited, _share(grids, at))
        if path_times(s, budgets, before, after) <= s.slo * (1.0 + TIE):
            visited += 1
            reassigned = plan_budgets(s, stretched(s, budgets) if stretch else budgets, below, trial)
            # Ties within rounding keep the first split.
            if reassigned >= 0 and total_of(trial.cost) < best_cost * (1.0 - 1e-12):
                best_cost = total_of(trial.cost)
                copy_schedule(trial, best)
        m = modules - 1
        # An odometer: modules at their last budget start over, and the one before them goes on.
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
def _options(s: SessionArrays, dummies: int, grid: int, step: float) -> tuple[_Options, Residuals]:
    """The distinct plans of each module on a grid, with all plans that reassignment may make of them."""
    modules = s.rate.size
    shortest = np.empty(modules)
    for m in range(modules):
        shortest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, shortest, before, after)
    budgets = module_budgets_to_try(s, 0, dummies, grid, step)
    grid_first = np.zeros(modules + 1, np.int64)
    grid_first[1] = budgets.size
    for m in range(1, modules):
        budgets = np.concatenate((budgets, module_budgets_to_try(s, m, dummies, grid, step)))
        grid_first[m + 1] = budgets.size
    options = _empty_options(s, budgets.size)
    plan = new_schedule(s)
    size = 0
    plans = np.zeros((budgets.size, 3), np.int64)
    for m in range(modules):
        for budget in budgets[grid_first[m] : grid_first[m + 1]]:
            if not schedule_module(s, m, s.rate[m], budget, dummies, plan):
                continue
            # A larger budget with the same plan only takes time from the others.
            if size > options.first[m] and _same_plan(s, m, options, size - 1, plan):
                continue
            start = first_allocation(s, m, plan)
            plans[size, 0], plans[size, 1], plans[size, 2] = m, start, plan.machines[start]
            options.budget[size] = budget
            options.machines[size] = plan.machines
            options.partial_at[size], options.partial[size] = plan.partial_at[m], plan.partial[m]
            options.dummy[size], options.latency[size] = plan.dummy[m], plan.latency[m]
            options.cost[size] = plan.cost[m]
            size += 1
        options.first[m + 1] = size
    found, own = residuals_after(s, dummies, s.slo - before - after, plans[:size])
    options.residual[:size] = own
    return _with_ends(s, dummies, options, found), found


@compiled
def _empty_options(s: SessionArrays, most: int) -> _Options:
    """Room for so many options of all modules together; none yet."""
    return _Options(
        np.zeros(s.rate.size + 1, np.int64),
        np.empty(most),
        np.empty(most),
        np.zeros(most, np.int64),
        np.zeros(most + 1, np.int64),
        np.empty(0),
        np.empty(0),
        np.zeros((most, s.batch.size), np.int64),
        np.full(most, -1, np.int64),
        np.zeros(most),
        np.zeros(most),
        np.zeros(most),
        np.zeros(most),
    )


@compiled
def _with_ends(s: SessionArrays, dummies: int, options: _Options, residuals: Residuals) -> _Options:
    """The options with their ends."""
    ends = np.empty((0, 2))
    for o in range(options.first[-1]):
        own = ends_of(s, residuals, dummies, options.residual[o], options.latency[o], options.cost[o])
        ends = np.concatenate((ends, own))
        options.end_first[o + 1] = ends.shape[0]
        options.bound[o] = own[:, 1].min()
    return _Options(
        options.first,
        options.budget,
        options.bound,
        options.residual,
        options.end_first,
        ends[:, 0].copy(),
        ends[:, 1].copy(),
        options.machines,
        options.partial_at,
        options.partial,
        options.dummy,
        options.latency,
        options.cost,
    )


@compiled
def _all_ends(s: SessionArrays, options: _Options) -> Modes:
    """The ends of all options as modes: for every module the staircase of its latencies and costs."""
    steps = new_modes(s.rate.size, max(1, options.end_latency.size))
    for m in range(s.rate.size):
        _set_ends(options, m, options.first[m], options.first[m + 1], steps)
    return steps


@compiled
def _set_ends(options: _Options, m: int, first: int, last: int, steps: Modes) -> None:
    """Let module m's modes be the ends of its options `first` to `last` (exclusive)."""
    lo, hi = options.end_first[first], options.end_first[last]
    n = 0
    for e in lo + np.argsort(options.end_latency[lo:hi], kind="mergesort"):
        # In order of rising latency only cheaper ends are useful.
        if n == 0 or options.end_cost[e] < steps.cost[m, n - 1]:
            steps.latency[m, n], steps.cost[m, n] = options.end_latency[e], options.end_cost[e]
            n += 1
    steps.size[m] = n


@compiled
def _priced(s: SessionArrays, options: _Options, steps: Modes) -> tuple[float, Floats, Ints]:
    """Price the options by the linear relaxation over their ends.

    Returns:
        A lower bound on every vector, the increase of it by each option, and the options by rising increase.
    """
    modules = s.rate.size
    relaxed = relax(s, steps, np.zeros(modules, np.int64), steps.size - 1)
    excess, order = np.empty(options.budget.size), np.arange(options.budget.size)
    for m in range(modules):
        lo, hi = options.first[m], options.first[m + 1]
        for o in range(lo, hi):
            ends = slice(options.end_first[o], options.end_first[o + 1])
            worth = options.end_cost[ends] + relaxed.flow[m] * options.end_latency[ends]
            excess[o] = worth.min() - relaxed.base[m]
        order[lo:hi] = lo + np.argsort(excess[lo:hi], kind="mergesort")
    return relaxed.bound, excess, order


@compiled
def _cheapest_up_to(options: _Options) -> Floats:
    """Least bound of each option and the module's options with smaller budgets."""
    cheapest = options.bound.copy()
    for m in range(options.first.size - 1):
        for o in range(options.first[m] + 1, options.first[m + 1]):
            cheapest[o] = min(cheapest[o], cheapest[o - 1])
    return cheapest


@compiled
def _within(options: _Options, cheapest: Floats, m: int, room: float) -> float:
    """Least bound of module m's options whose budget is within `room`."""
    lo, hi = options.first[m], options.first[m + 1]
    return float(cheapest[lo + max(0, np.searchsorted(options.budget[lo:hi], room, side="right") - 1)])


@compiled
def _same_plan(s: SessionArrays, m: int, options: _Options, o: int, plan: Schedule) -> bool:
    """Whether option o is the plan that a schedule holds for module m: equal machines on equal configurations."""
    if options.partial_at[o] != plan.partial_at[m] or options.partial[o] != plan.partial[m]:
        return False
    for k in range(s.first[m], s.first[m + 1]):
        if options.machines[o, k] != plan.machines[k]:
            return False
    return True


@compiled
def _looked_up(s: SessionArrays, options: _Options, residuals: Residuals, order: Ints, at: Ints) -> float:
    """Cost per hour of a vector of options after reassignment, by the residuals' rows; NaN where they leave it open."""
    chosen = order[at]
    return reassigned_cost(s, residuals, options.residual[chosen], options.latency[chosen], options.cost[chosen])


@compiled
def _load(s: SessionArrays, options: _Options, m: int, o: int, plan: Schedule) -> None:
    """Write option o of module m into a schedule."""
    for k in range(s.first[m], s.first[m + 1]):
        plan.machines[k] = options.machines[o, k]
    plan.partial_at[m], plan.partial[m] = options.partial_at[o], options.partial[o]
    plan.dummy[m], plan.latency[m], plan.cost[m] = options.dummy[o], options.latency[o], options.cost[o]


# Budgets to try for a module; no paper states its grid (docs/model/plan-spaces.md).

CONFIGURATIONS, BREAKPOINTS, STEPS = 0, 1, 2
"""Grids: {d + b/T} of the configurations (what Algorithm 2 can reach), Algorithm 1's breakpoints, fixed steps."""


@compiled
def module_budgets_to_try(s: SessionArrays, m: int, dummies: int, grid: int, step: float) -> Floats:
    """Budgets of module m in seconds, ascending, none above the SLO.

    Args:
        s: the session.
        m: the module.
        dummies: the dummy generator.
        grid: CONFIGURATIONS, BREAKPOINTS or STEPS.
        step: step of the grid STEPS in seconds.
    """
    if grid == CONFIGURATIONS:
        budgets = np.empty(s.first[m + 1] - s.first[m])
        for k in range(s.first[m], s.first[m + 1]):
            budgets[k - s.first[m]] = configuration_latency(s, k, s.rate[m])
    elif grid == BREAKPOINTS:
        budgets = _breakpoints(s, m, dummies)
    else:
        budgets = step * np.arange(1, int(s.slo / step * (1.0 + TIE)) + 1)
    return np.unique(budgets[budgets <= s.slo * (1.0 + TIE)])


@compiled
def _breakpoints(s: SessionArrays, m: int, dummies: int) -> Floats:
    """Worst-case latencies of Algorithm 1's plans before and after filling, from the SLO down."""
    found = np.empty(64)
    size = 0
    plan = new_schedule(s)
    budget = s.slo
    while True:
        rest, _ = generate_configuration(s, m, s.rate[m], budget, plan)
        unfilled = np.inf
        if rest == 0.0:
            unfilled = module_latency(s, m, plan.machines, plan.partial_at[m], plan.partial[m], 0.0)
        # The grid ends where Algorithm 1 finds no plan.
        if not schedule_module(s, m, s.rate[m], budget, dummies, plan):
            return found[:size]
        if size + 2 > found.size:
            found = np.concatenate((found, np.empty_like(found)))
        lowest = plan.latency[m]
        found[size] = plan.latency[m]
        size += 1
        if np.isfinite(unfilled):
            found[size] = unfilled
            size += 1
            lowest = unfilled
        # Below, dummies at any rate give another plan for every budget, without end.
        elif dummies == ANY_RATE:
            return found[:size]
        # Just below what the plan takes, by more than `fits` forgives, so that the next plan is another one.
        budget = min(lowest, budget) * (1.0 - 4.0 * TIE)
