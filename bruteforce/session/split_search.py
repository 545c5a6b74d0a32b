"""The papers' brute force: every latency split of a grid, with the system's scheduler and reassigner below (§IV-B).

`split_optimum` leaves out splits that cannot win, `enumerate_splits` tries every vector of budgets. Both rest on the
systems' own Algorithm 1, dummy generators and reassigner: they are the one place that imports the heuristics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bruteforce.session.split_grids import module_budgets_to_try
from euclio.core.compiled import compiled, is_past, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import UNLIMITED, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import module_latency, path_times
from euclio.problems.session.policies.kernels import LEFT, TIED
from formulations.session.split.modes import Modes, new_modes
from formulations.session.split.relaxation import relax
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.latency_reassigner import reassign_latency, reschedule_residual
from heuristics.session.module_scheduler import generate_configuration, schedule_module
from heuristics.session.planner import Scheduling, plan_budgets, stretched
from heuristics.session.schedule import Schedule, copy_schedule, new_schedule

# The plans that the reassigner can make of a module's plan by giving its residual more latency (compiled).


@compiled
def plan_ends(s: SessionArrays, m: int, dummies: int, most_budget: float, plan: Schedule) -> Floats:
    """Every pair of worst-case latency and cost that module m's plan can end with, or a pair that costs no more.

    The residual is rescheduled at every budget at which Algorithm 1 gives another plan, from the largest down. If a
    plan's first allocation changes, its next residual is another one, and the whole rate's fluid bound stands in. If
    Algorithm 1 leaves a rest, the residual's fluid bound stands in for all smaller budgets.

    Dummies at any rate give another plan for every budget. While Algorithm 1's plan stays, more budget only means fewer
    dummies: the cost at the largest budget stands in for all, at a latency that no plan undercuts. A limit on
    allocations breaks this rule, and the whole rate's fluid bound stands in for everything.

    Args:
        s: the session.
        m: the module.
        dummies: the dummy generator.
        most_budget: largest budget that the module can ever get, in seconds.
        plan: a schedule that holds the module's plan.

    Returns:
        Rows (latency in seconds, cost per hour), shape (ends, 2).
    """
    ends = np.empty((64, 2))
    ends[0, 0], ends[0, 1] = plan.latency[m], plan.cost[m]
    size = 1
    first = _first_allocation(s, m, plan)
    kept = plan.machines[first]
    residual = s.rate[m] - kept * s.throughput[first]
    candidate, unfilled = new_schedule(s), new_schedule(s)
    # Least latency of the whole machines that stay; without any, the fastest configuration's duration.
    shortest = s.duration[first] if kept > 0 else s.duration[s.first[m] : s.first[m + 1]].min()
    if dummies == ANY_RATE and s.max_allocations < UNLIMITED:
        ends[1, 0], ends[1, 1] = 0.0, _fluid(s, m, s.rate[m], most_budget)
        return ends[:2]
    budget = most_budget
    while residual > TIE * s.rate[m] and budget > 0.0:
        rest, _ = generate_configuration(s, m, residual, budget, unfilled)
        possible = reschedule_residual(s, m, budget, dummies, plan, candidate)
        # The reassigner takes only what saves money.
        if possible and candidate.cost[m] < plan.cost[m]:
            if size == ends.shape[0]:
                ends = np.concatenate((ends, np.empty_like(ends)))
            ends[size, 0], ends[size, 1] = candidate.latency[m], candidate.cost[m]
            if dummies == ANY_RATE:
                ends[size, 0] = shortest
            # The next residual is another one: it is bounded instead of following every branch.
            if _first_allocation(s, m, candidate) != first or candidate.machines[first] != kept:
                ends[size, 0], ends[size, 1] = 0.0, _fluid(s, m, s.rate[m], most_budget)
            size += 1
        # Algorithm 1 fails here: one fluid bound covers all smaller budgets.
        if rest > 0.0:
            cost = _fluid(s, m, residual, budget)
            if dummies == ANY_RATE:
                # Filled up, the first configuration takes the residual next to the machines that stay.
                cost = min(cost, s.unit_cost[first] * residual)
            cost += kept * s.price[first]
            if cost < plan.cost[m]:
                ends = np.concatenate((ends[:size], np.array([[s.duration[first], cost]])))
                size += 1
            break
        served = residual - s.rate[m]
        latency = module_latency(s, m, unfilled.machines, unfilled.partial_at[m], unfilled.partial[m], served)
        # Just below what this plan takes, by more than `fits` forgives: the next budget with another plan.
        budget = min(latency, budget) * (1.0 - 4.0 * TIE)
    return ends[:size]


@compiled
def _fluid(s: SessionArrays, m: int, rate: float, budget: float) -> float:
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


@compiled
def _first_allocation(s: SessionArrays, m: int, plan: Schedule) -> int:
    """The configuration of module m's first allocation in rank order."""
    first = s.first[m]
    while plan.machines[first] == 0 and plan.partial_at[m] != first:
        first += 1
    return int(first)


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
    options = _options(s, dummies, grid, step)
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
        for i in range(modules):
            _load(s, options, i, order[at[i]], trial)
        visited += 1
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
def _options(s: SessionArrays, dummies: int, grid: int, step: float) -> _Options:
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
    for m in range(modules):
        for budget in budgets[grid_first[m] : grid_first[m + 1]]:
            if not schedule_module(s, m, s.rate[m], budget, dummies, plan):
                continue
            # A larger budget with the same plan only takes time from the others.
            if size > options.first[m] and _same_plan(s, m, options, size - 1, plan):
                continue
            ends = plan_ends(s, m, dummies, s.slo - before[m] - after[m], plan)
            options = _with_ends(options, size, ends)
            options.budget[size] = budget
            options.machines[size] = plan.machines
            options.partial_at[size], options.partial[size] = plan.partial_at[m], plan.partial[m]
            options.dummy[size], options.latency[size] = plan.dummy[m], plan.latency[m]
            options.cost[size] = plan.cost[m]
            size += 1
        options.first[m + 1] = size
    return options


@compiled
def _empty_options(s: SessionArrays, most: int) -> _Options:
    """Room for so many options of all modules together; none yet."""
    return _Options(
        np.zeros(s.rate.size + 1, np.int64),
        np.empty(most),
        np.empty(most),
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
def _with_ends(options: _Options, o: int, ends: Floats) -> _Options:
    """The options with the ends of option o appended, rows (latency, cost)."""
    options.end_first[o + 1] = options.end_first[o] + ends.shape[0]
    options.bound[o] = ends[:, 1].min()
    return _Options(
        options.first,
        options.budget,
        options.bound,
        options.end_first,
        np.concatenate((options.end_latency, ends[:, 0])),
        np.concatenate((options.end_cost, ends[:, 1])),
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
def _load(s: SessionArrays, options: _Options, m: int, o: int, plan: Schedule) -> None:
    """Write option o of module m into a schedule."""
    for k in range(s.first[m], s.first[m + 1]):
        plan.machines[k] = options.machines[o, k]
    plan.partial_at[m], plan.partial[m] = options.partial_at[o], options.partial[o]
    plan.dummy[m], plan.latency[m], plan.cost[m] = options.dummy[o], options.latency[o], options.cost[o]
