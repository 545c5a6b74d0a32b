"""Plans of single modules that the exact method has found, and their places as modes (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import module_latency
from formulations.session.module.problem import LOW, THROUGHPUT, ModuleProblem, most_configurations
from formulations.session.module.remaining_rate import rest_of
from formulations.session.split.modes import Modes, mode_within, replace_modes


class PlanStore(NamedTuple):
    """Plans of single modules, one row each.

    Attributes:
        machines: whole machines per configuration of the module, shape (plans, most configurations).
        partial_at: configuration of the session with the partial machine, shape (plans,); -1 means none.
        latency: worst-case latency in seconds, shape (plans,).
        size: number of plans, shape (1,).
    """

    machines: Ints
    partial_at: Ints
    latency: Floats
    size: Ints


@compiled
def new_store(s: SessionArrays, capacity: int) -> PlanStore:
    """A store without plans, with room for `capacity` of them."""
    return PlanStore(
        np.zeros((capacity, most_configurations(s)), np.int64),
        np.full(capacity, -1, np.int64),
        np.zeros(capacity),
        np.zeros(1, np.int64),
    )


@compiled
def with_rows(store: PlanStore, more: int) -> PlanStore:
    """The store in arrays that have room for `more` further plans; the given one if it has the room."""
    rows = store.latency.size
    if store.size[0] + more <= rows:
        return store
    while rows < store.size[0] + more:
        rows *= 2
    old = store.latency.size
    wider = PlanStore(
        np.zeros((rows, store.machines.shape[1]), np.int64), np.full(rows, -1, np.int64), np.zeros(rows), store.size
    )
    wider.machines[:old], wider.partial_at[:old], wider.latency[:old] = store.machines, store.partial_at, store.latency
    return wider


@compiled_in_place
def store_plan(
    s: SessionArrays, m: int, p: ModuleProblem, machines: Ints, partial_at: int, store: PlanStore, counted: Ints
) -> None:
    """Append a plan of one module to the store, which must have the room (`with_rows`).

    Args:
        s: the session.
        m: the module.
        p: the module at the budget for which the plan was found.
        machines: whole machines per configuration kept, shape (configurations kept,).
        partial_at: the one of them that has the partial machine; -1 means none.
        store: the plans so far.
        counted: room for machines per configuration of the session, shape (configurations,); overwritten.
    """
    row = store.size[0]
    counted[s.first[m] : s.first[m + 1]] = 0
    for j in range(p.configuration.size):
        counted[p.configuration[j]] = machines[j]
        store.machines[row, p.configuration[j] - s.first[m]] = machines[j]
    store.partial_at[row] = p.configuration[partial_at] if partial_at >= 0 else -1
    rest = rest_of(p.rate, p.table[THROUGHPUT], p.table[LOW], machines)
    partial = rest if partial_at >= 0 else 0.0
    # Dummies fill it arbitrarily close to full: nothing is faster, and plans come close to that.
    if p.free and partial_at >= 0:
        partial = p.table[THROUGHPUT, partial_at]
    dummy = max(0.0, -rest) if partial_at < 0 else 0.0
    store.latency[row] = module_latency(s, m, counted, store.partial_at[row], partial, dummy)
    store.size[0] += 1


@compiled_on_tables
def add_known(known: Modes, m: int, latency: float, cost: float, row: int, part: Modes) -> None:
    """Add a plan to the known ones of module m; those that are neither faster nor cheaper than another one are removed.

    Args:
        known: known plans as modes by rising latency and falling cost, in arrays that have the room.
        m: the module.
        latency: worst-case latency of the plan in seconds.
        cost: its cost per hour.
        row: its row in the plan store.
        part: room for one mode, in row 0; overwritten.
    """
    before = mode_within(known, m, latency)
    # A plan that is no slower costs no more, so the new one is useless.
    if before >= 0 and known.cost[m, before] <= cost:
        return
    first = before + 1
    if before >= 0 and known.latency[m, before] == latency:
        first = before
    # Slower plans that cost as much or more have become useless.
    last = first
    while last < known.size[m] and known.cost[m, last] >= cost:
        last += 1
    part.size[0], part.latency[0, 0], part.cost[0, 0], part.plan[0, 0] = 1, latency, cost, row
    replace_modes(known, m, first, last, part)
