"""Module frontiers for a range of latency objectives: all modes that any of them may need (compiled, ours).

The cheapest plan of a module within a budget, then within just less than that plan takes, and so on. The first budget
is what the other modules leave at the largest objective if each takes its shortest duration, the last one what they
leave at the least objective if each takes its slowest mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.session.exact.plan_store import PlanStore, new_store, store_plan, with_rows
from formulations.session.module.by_share import search_module
from formulations.session.module.charges import no_types
from formulations.session.module.problem import fluid_bound, module_problem, no_stock
from formulations.tolerances import FRONTIER, JUST_BELOW

MOST_MODES = 3000
"""Modes of a module after which its frontier is given up: next to a duration every machine more is one."""
MOST_NODES = 1 << 18
"""Nodes of the search for one mode after which the frontier is given up: some hundredths of a second."""


class Frontiers(NamedTuple):
    """The modes of all modules; those of one module by falling latency and rising cost.

    Attributes:
        module: module of each mode, shape (modes,), like the next ones.
        latency: its worst-case latency in seconds.
        cost: its cost per hour; no plan that is slower than the module's next mode costs less.
        store: the plans of the modes, in rows of the same numbers.
        complete: whether no mode is missing.
    """

    module: Ints
    latency: Floats
    cost: Floats
    store: PlanStore
    complete: bool


@compiled
def frontiers(s: SessionArrays, least_slo: float, deadline: float) -> Frontiers:
    """The modes of all modules for every objective from `least_slo` to that of the session.

    Args:
        s: the session, with the largest objective; every module has a configuration, and finitely many plans of a cost.
        least_slo: the least objective in seconds.
        deadline: seconds on `clock` at which to stop; infinite: never.
    """
    modules = s.rate.size
    found = Frontiers(
        np.zeros(16, np.int64),
        np.zeros(16),
        np.zeros(16),
        new_store(s, 16),
        True,
    )
    fastest = np.full(modules, np.inf)
    for m in range(modules):
        for k in range(s.first[m], s.first[m + 1]):
            fastest[m] = min(fastest[m], s.duration[k])
    before, after, slowest = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    path_times(s, fastest, before, after)
    for m in range(modules):
        room = s.slo - before[m] - after[m]
        size = found.store.size[0]
        found = _descended(s, found, m, room, room, 0.0, deadline)
        # Without a mode of one module there is no plan at all.
        if found.store.size[0] == size:
            return found
        slowest[m] = found.latency[size]
    path_times(s, slowest, before, after)
    # The first mode of each module stands in the row of its number.
    for m in range(modules):
        target = least_slo - before[m] - after[m]
        if found.complete and found.latency[m] > target:
            found = _descended(s, found, m, found.latency[m] * JUST_BELOW, target, found.cost[m], deadline)
    return found


@compiled
def _descended(
    s: SessionArrays, found: Frontiers, m: int, budget: float, target: float, least: float, deadline: float
) -> Frontiers:
    """Add modes of module m within a budget until one takes no longer than `target` seconds, or there are no more."""
    stock, counted = no_stock(s), np.zeros(s.batch.size, np.int64)
    for _ in range(MOST_MODES):
        if is_past(deadline):
            break
        p = module_problem(s, m, budget, stock)
        floor = max(least, fluid_bound(s, m, budget, stock))
        plan = search_module(p, no_types(), np.inf, floor, FRONTIER, MOST_NODES)
        if not plan.complete:
            break
        if not np.isfinite(plan.cost):
            return found
        row = found.store.size[0]
        wider = _with_room(found)
        store = with_rows(found.store, 1)
        store_plan(s, m, p, plan.machines, plan.partial_at, store, counted)
        found = Frontiers(wider.module, wider.latency, wider.cost, store, True)
        latency = min(budget, found.store.latency[row])
        found.module[row], found.latency[row], found.cost[row] = m, latency, plan.cost
        if latency <= target:
            return found
        budget, least = latency * JUST_BELOW, plan.cost
    return Frontiers(found.module, found.latency, found.cost, found.store, False)


@compiled
def _with_room(found: Frontiers) -> Frontiers:
    """The same modes in arrays that have room for one more."""
    if found.store.size[0] < found.module.size:
        return found
    return Frontiers(
        np.concatenate((found.module, np.zeros_like(found.module))),
        np.concatenate((found.latency, np.zeros_like(found.latency))),
        np.concatenate((found.cost, np.zeros_like(found.cost))),
        found.store,
        found.complete,
    )
