"""Budgets that brute force over splits tries for a module; no paper states its grid (docs/model/plan-spaces.md)."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, SessionArrays
from euclio.problems.session.latency.dispatch import configuration_latency, module_latency
from heuristics.session.dummy_generator import ANY_RATE
from heuristics.session.module_scheduler import generate_configuration, schedule_module
from heuristics.session.schedule import new_schedule

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
