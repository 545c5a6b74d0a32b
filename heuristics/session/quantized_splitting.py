"""Quantized latency splitting: Nexus' dynamic program over budgets in fixed steps (Harpagon §IV-C, Harp-q)."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import TIE, Floats, Ints, SessionArrays
from euclio.problems.session.latency.series_parallel import SERIES
from heuristics.session.module_scheduler import schedule_module
from heuristics.session.schedule import new_schedule


@compiled
def split_quantized(s: SessionArrays, steps: Ints, quantum: float, dummies: int) -> tuple[Floats, float]:
    """The cheapest budgets that are multiples of the quantum, by dynamic programming over the reduced DAG.

    Each module's cost at a budget is Algorithm 1's (with the dummy generator if allowed).

    Args:
        s: the session; its DAG is series-parallel.
        steps: the merges of `Reduction.steps`.
        quantum: step of the budgets in seconds.
        dummies: the dummy generator (`dummy_generator.py`).

    Returns:
        Budget per module in seconds and the total cost; infinite: infeasible.
    """
    modules = s.rate.size
    # Raised before rounding down, so that an SLO of whole quanta keeps its last one.
    quanta = int(s.slo / quantum * (1.0 + TIE))
    cost = np.full((modules + steps.shape[0], quanta + 1), np.inf)
    plan = new_schedule(s)
    for m in range(modules):
        for q in range(1, quanta + 1):
            if schedule_module(s, m, s.rate[m], q * quantum, dummies, plan):
                # Algorithm 1 is greedy and may cost more with more time: the smaller budget stays allowed.
                cost[m, q] = min(plan.cost[m], cost[m, q - 1])
            else:
                cost[m, q] = cost[m, q - 1]
    budget = np.zeros(modules + steps.shape[0], np.int64)
    for i in range(steps.shape[0]):
        _merge(steps[i, 0], cost[steps[i, 1]], cost[steps[i, 2]], cost[modules + i])
    root = modules + steps.shape[0] - 1
    budget[root] = quanta
    for i in range(steps.shape[0] - 1, -1, -1):
        a, b, q = steps[i, 1], steps[i, 2], budget[modules + i]
        if steps[i, 0] == SERIES:
            budget[a] = _best_cut(cost[a], cost[b], q)
            budget[b] = q - budget[a]
        else:
            budget[a], budget[b] = q, q
    return budget[:modules] * quantum, cost[root, quanta] if quanta > 0 else np.inf


@compiled
def _merge(kind: int, a: Floats, b: Floats, merged: Floats) -> None:
    """Fill in the least cost per hour of two components in series or in parallel at every number of quanta."""
    for q in range(merged.size):
        if kind == SERIES:
            cut = _best_cut(a, b, q)
            merged[q] = a[cut] + b[q - cut]
        else:
            merged[q] = a[q] + b[q]


@compiled
def _best_cut(a: Floats, b: Floats, quanta: int) -> int:
    """How many of the quanta go to the first of two components in series."""
    # The first of equally cheap cuts: ties give the first component the fewest quanta.
    return int((a[: quanta + 1] + b[quanta::-1]).argmin())
