"""The two optimizations of the split (Harpagon §III-D): node merger and cost-direct."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from heuristics.session.latency_splitting import Units, single_units


@compiled
def merged_units(s: SessionArrays) -> Units:
    """Node merger: modules with the same parents and the same children move together.

    A merged unit's options are the latencies of its members' configurations: at each, every member takes its
    cheapest configuration that is no slower, so that at one latency the members' savings, and with them their
    latency-cost efficiencies, add up.
    """
    single = single_units(s)
    unit_of, units = _merge(s)
    if units == s.rate.size:
        return single
    total = 0
    for u in range(units):
        for m in range(s.rate.size):
            if unit_of[m] == u:
                total += s.first[m + 1] - s.first[m]
    first = np.zeros(units + 1, np.int64)
    latency, cost, throughput = np.empty(total), np.empty(total), np.empty(total)
    at = 0
    for u in range(units):
        first[u] = at
        for m in range(s.rate.size):
            if unit_of[m] == u:
                for k in range(s.first[m], s.first[m + 1]):
                    latency[at] = single.latency[k]
                    cost[at], throughput[at] = _cheapest_within(s, single, unit_of, u, latency[at])
                    at += 1
    first[units] = at
    return Units(unit_of, first, latency, cost, throughput)


@compiled
def _cheapest_within(s: SessionArrays, single: Units, unit_of: Ints, u: int, latency: float) -> tuple[float, float]:
    """Cost and throughput of unit u if each member takes its cheapest configuration within `latency`."""
    cost, throughput = 0.0, 0.0
    for m in range(s.rate.size):
        if unit_of[m] != u:
            continue
        best = -1
        for k in range(s.first[m], s.first[m + 1]):
            # Configurations stand in rank order, so that the first one that fits is the cheapest.
            if single.latency[k] <= latency * (1.0 + TIE):
                best = k
                break
        if best < 0:
            return np.inf, 0.0
        cost += single.cost[best]
        throughput += s.throughput[best]
    return cost, throughput


@compiled
def _merge(s: SessionArrays) -> tuple[Ints, int]:
    """Unit of each module, shape (modules,), and the number of units, where modules with equal neighbours are one."""
    modules = s.rate.size
    unit_of = np.full(modules, -1, np.int64)
    units = 0
    for m in range(modules):
        if unit_of[m] >= 0:
            continue
        for other in range(m, modules):
            if unit_of[other] < 0 and _same_neighbours(s, m, other):
                unit_of[other] = units
        units += 1
    return unit_of, units


@compiled
def _same_neighbours(s: SessionArrays, a: int, b: int) -> bool:
    """Whether two modules have the same parents and the same children, none of them after a delay, and equal ends."""
    if a == b:
        return True
    if s.end[a] != s.end[b] or _is_delayed(s, a) or _is_delayed(s, b):
        return False
    return _same_rows(s.parent_first, s.parent, a, b) and _same_rows(s.child_first, s.child, a, b)


@compiled
def _is_delayed(s: SessionArrays, m: int) -> bool:
    """Whether a delay is next to a module."""
    for child in range(s.rate.size):
        for i in range(s.parent_first[child], s.parent_first[child + 1]):
            if s.delay[i] > 0.0 and (child == m or s.parent[i] == m):
                return True
    return False


@compiled
def _same_rows(first: Ints, entry: Ints, a: int, b: int) -> bool:
    """Whether rows a and b of a ragged array hold equal sets of entries."""
    if first[a + 1] - first[a] != first[b + 1] - first[b]:
        return False
    for i in range(first[a], first[a + 1]):
        found = False
        for j in range(first[b], first[b + 1]):
            found = found or entry[i] == entry[j]
        if not found:
            return False
    return True


@compiled
def module_budgets(s: SessionArrays, units: Units, latency: Floats) -> Floats:
    """The latency budget of each module, which is that of its unit, in seconds, shape (modules,)."""
    budgets = np.empty(s.rate.size)
    for m in range(s.rate.size):
        budgets[m] = latency[units.unit_of[m]]
    return budgets
