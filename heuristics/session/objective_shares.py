"""Shares of several objectives: the readings of systems whose papers know one (ours; docs/model/readings.md).

An objective of L seconds leaves L less the delays on a path to the modules on it. Clipper gives each of n modules an
n-th part of that, so that a module's budget is the least over the paths on which it lies. Piccolo stretches budgets in
proportion, and people split an objective by least durations. There each objective has the largest factor at which all
paths to it are kept. A module takes the least factor of the objectives that it leads to. With one objective and no
delays, both are as in the papers.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, SessionArrays


@compiled
def has_one_objective(s: SessionArrays) -> bool:
    """Whether all modules without children, and no others, have one objective, and no edge has a delay."""
    for m in range(s.rate.size):
        if s.end[m] != 0.0 and s.end[m] > -np.inf:
            return False
    for i in range(s.delay.size):
        if s.delay[i] > 0.0:
            return False
    return True


@compiled
def even_shares(s: SessionArrays) -> Floats:
    """Budget per module in seconds: the least, over the paths through it, of what delays leave per module."""
    modules = s.rate.size
    # Row m, column k: most seconds of delays, or of delays and the end, on paths with k further modules.
    before, after = np.full((modules, modules), -np.inf), np.full((modules, modules), -np.inf)
    for m in s.order:
        before[m, 0] = 0.0
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            for k in range(modules - 1):
                before[m, k + 1] = max(before[m, k + 1], before[s.parent[i], k] + s.delay[i])
    for m in s.order[::-1]:
        after[m, 0] = max(after[m, 0], s.end[m])
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            p = s.parent[i]
            for k in range(modules - 1):
                after[p, k + 1] = max(after[p, k + 1], after[m, k] + s.delay[i])
    budgets = np.full(modules, np.inf)
    for m in range(modules):
        for a in range(modules):
            # No path has so many modules before this one.
            if before[m, a] == -np.inf:
                break
            for b in range(modules - a):
                if after[m, b] > -np.inf:
                    budgets[m] = min(budgets[m], (s.slo - before[m, a] - after[m, b]) / (a + b + 1))
    return budgets


@compiled
def stretch_factors(s: SessionArrays, parts: Floats) -> Floats:
    """For each module the least factor of the objectives that it leads to.

    Args:
        s: the session.
        parts: seconds of each module that are multiplied, above 0, shape (modules,).

    Returns:
        The factors, shape (modules,); below 0 where delays alone exceed an objective.
    """
    modules = s.rate.size
    factors = np.full(modules, np.inf)
    leads = np.zeros(modules, np.bool_)
    for last in range(modules):
        if s.end[last] == -np.inf:
            continue
        own = _factor_of(s, parts, last)
        leads[:] = False
        leads[last] = True
        for m in s.order[::-1]:
            for i in range(s.parent_first[m], s.parent_first[m + 1]):
                leads[s.parent[i]] = leads[s.parent[i]] or leads[m]
        for m in range(modules):
            if leads[m]:
                factors[m] = min(factors[m], own)
    return factors


@compiled
def _factor_of(s: SessionArrays, parts: Floats, last: int) -> float:
    """The largest factor at which all paths that end with a module are kept: the least of all ratios of paths.

    At a factor the longest path is found, and then its own factor taken: it falls until no path asks for less.
    """
    limit = s.slo - s.end[last]
    factor = float(limit / parts[last])
    length, taken, delays = np.zeros(parts.size), np.zeros(parts.size), np.zeros(parts.size)
    # Each round ends with another path, or is the last.
    while True:
        for m in s.order:
            length[m], taken[m], delays[m] = factor * parts[m], parts[m], 0.0
            for i in range(s.parent_first[m], s.parent_first[m + 1]):
                p = s.parent[i]
                whole = length[p] + s.delay[i] + factor * parts[m]
                if whole > length[m]:
                    length[m], taken[m], delays[m] = whole, taken[p] + parts[m], delays[p] + s.delay[i]
        # A path of more seconds than the objective has a factor below this one.
        shorter = float((limit - delays[last]) / taken[last])
        if shorter >= factor:
            return factor
        factor = shorter
