"""Latency splitting where machines are charged whole (ours): Algorithm 2 of Harpagon on steps of whole machines.

A module's options are its cheapest machines at ever smaller budgets. Splitting begins with everybody's fastest option
and goes on to cheaper ones, by money saved per second of latency (Harpagon §III-D). Then modules are made faster one at
a time, if what the others save with the time so gained is more: a machine added in one place drops others elsewhere.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.problems.session.arrays import TIE, Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import module_latency, path_times
from heuristics.session.latency_splitting import COST, LATENCY_COST, Units, best_move
from heuristics.session.whole_covers import cover_module

MOST_OPTIONS = 20_000
"""Options of all modules together, about; of one module, `MOST_STEPS`."""
MOST_STEPS = 300
NEAREST = 1e-3
"""Budgets end this close to the least duration, as a share of the longest one beyond it."""
MOST_ROUNDS = 30
"""How often a module is made faster at most."""


@compiled
def split_whole(s: SessionArrays, fills: bool, weight: float) -> tuple[Floats, float, int]:
    """Budgets of all modules, and what their machines cost.

    Args:
        s: the session, each module with a configuration.
        fills: whether dummies fill machines for nothing.
        weight: as for `cover_module`.

    Returns:
        The budgets in seconds, shape (modules,), the weighted cost per hour (infinite: no plan was found), and how
        often a module was made faster.
    """
    units, budget = whole_options(s, fills, weight)
    modules = s.rate.size
    chosen = units.first[1:] - 1
    for m in range(modules):
        if units.first[m] == units.first[m + 1]:
            return np.zeros(modules), np.inf, 0
        for option in range(units.first[m], units.first[m + 1]):
            if units.latency[option] < units.latency[chosen[m]]:
                chosen[m] = option
    scratch = np.zeros(modules)
    if path_times(s, units.latency[chosen], scratch, np.zeros(modules)) > s.slo * (1.0 + TIE):
        return np.zeros(modules), np.inf, 0
    _descend(s, units, LATENCY_COST, chosen, -1)
    rounds = 0
    while rounds < MOST_ROUNDS and _exchange(s, units, chosen):
        rounds += 1
    return budget[chosen], total_of(units.cost[chosen]), rounds


@compiled
def whole_options(s: SessionArrays, fills: bool, weight: float) -> tuple[Units, Floats]:
    """The options of every module, at descending budgets, and these budgets."""
    modules = s.rate.size
    steps = max(20, min(MOST_STEPS, MOST_OPTIONS // modules))
    shrink = NEAREST ** (1.0 / steps)
    fastest = np.empty(modules)
    for m in range(modules):
        fastest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, fastest, before, after)
    first = np.zeros(modules + 1, np.int64)
    latency, cost, budget = np.empty(modules * steps), np.empty(modules * steps), np.empty(modules * steps)
    size = 0
    for m in range(modules):
        machines = np.zeros(s.first[m + 1] - s.first[m], np.int64)
        everywhere = np.zeros(s.first[-1], np.int64)
        longest = s.slo - before[m] - after[m]
        limit, end = longest, fastest[m] + NEAREST * (longest - fastest[m])
        for _ in range(steps):
            if limit <= end:
                break
            price, partial_at, partial = cover_module(s, m, limit, fills, weight, machines)
            # Shorter budgets have no more plans than this one.
            if not np.isfinite(price):
                break
            everywhere[s.first[m] : s.first[m + 1]] = machines
            dummy = max(0.0, total_of(machines * s.throughput[s.first[m] : s.first[m + 1]]) - s.rate[m])
            reached = module_latency(s, m, everywhere, partial_at, partial, dummy)
            # What is slower and no cheaper is no option.
            while size > first[m] and cost[size - 1] >= price * (1.0 - TIE):
                size -= 1
            latency[size], cost[size], budget[size] = reached, price, limit
            size += 1
            # The next plan has to be faster than this one, and budgets go towards the least duration step by step.
            limit = min(reached * (1.0 - 1e-9), fastest[m] + (limit - fastest[m]) * shrink)
        first[m + 1] = size
    return Units(np.arange(modules), first, latency[:size], cost[:size], np.zeros(size)), budget[:size]


@compiled
def _descend(s: SessionArrays, units: Units, criterion: int, chosen: Ints, fixed: int) -> None:
    """Move modules to cheaper options while one fits the SLO, the best by a criterion first; `fixed` stays."""
    modules = s.rate.size
    before, after = np.zeros(modules), np.zeros(modules)
    while True:
        latency = units.latency[chosen]
        path_times(s, latency, before, after)
        room = s.slo * (1.0 + TIE) - before - after
        if fixed >= 0:
            # No option takes less than no time, so that the module stays.
            room[fixed] = -1.0
        unit, option = best_move(units, criterion, latency, units.cost[chosen], room)
        if unit < 0:
            return
        chosen[unit] = option


@compiled
def _exchange(s: SessionArrays, units: Units, chosen: Ints) -> bool:
    """Make the one module faster by whose time the others save most; whether that saves anything."""
    least = total_of(units.cost[chosen]) * (1.0 - 1e-9)
    best = chosen.copy()
    found = False
    for m in range(s.rate.size):
        for option in range(units.first[m], units.first[m + 1]):
            if units.latency[option] >= units.latency[chosen[m]] * (1.0 - TIE):
                continue
            for criterion in (LATENCY_COST, COST):
                trial = chosen.copy()
                trial[m] = option
                _descend(s, units, criterion, trial, m)
                total = total_of(units.cost[trial])
                # Strictly cheaper: ties go to the first module, then the longest budget.
                if total < least:
                    least, found = total * (1.0 - TIE), True
                    best[:] = trial
    chosen[:] = best
    return found
