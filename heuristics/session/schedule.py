"""The schedule that the heuristics build: whole machines per configuration, partial machine, dummies (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.session.arrays import Floats, Ints, SessionArrays


class Schedule(NamedTuple):
    """A plan as arrays that compiled functions fill in place.

    Attributes:
        machines: whole machines, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1: none, shape (modules,), like the next ones.
        partial: its rate in requests per second.
        dummy: dummy rate in requests per second.
        latency: worst-case latency in seconds.
        cost: money per hour.
    """

    machines: Ints
    partial_at: Ints
    partial: Floats
    dummy: Floats
    latency: Floats
    cost: Floats


@compiled
def new_schedule(s: SessionArrays) -> Schedule:
    """An empty schedule for a session."""
    modules = s.rate.size
    return Schedule(
        np.zeros(s.batch.size, np.int64),
        np.full(modules, -1, np.int64),
        np.zeros(modules),
        np.zeros(modules),
        np.zeros(modules),
        np.zeros(modules),
    )


@compiled
def copy_schedule(source: Schedule, target: Schedule) -> None:
    """Copy every module's plan."""
    target.machines[:] = source.machines
    target.partial_at[:] = source.partial_at
    target.partial[:] = source.partial
    target.dummy[:] = source.dummy
    target.latency[:] = source.latency
    target.cost[:] = source.cost


@compiled
def copy_module(s: SessionArrays, m: int, source: Schedule, target: Schedule) -> None:
    """Copy one module's plan."""
    for k in range(s.first[m], s.first[m + 1]):
        target.machines[k] = source.machines[k]
    target.partial_at[m] = source.partial_at[m]
    target.partial[m] = source.partial[m]
    target.dummy[m] = source.dummy[m]
    target.latency[m] = source.latency[m]
    target.cost[m] = source.cost[m]
