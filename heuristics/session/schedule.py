"""The schedule that the heuristics build: whole machines per configuration, partial machine, dummies (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, Ints, SessionArrays


class Schedule(NamedTuple):
    """A plan as arrays that compiled functions fill in place.

    Attributes:
        machines: whole machines, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1: none, shape (modules,).
        partial: rate of the partial machine in requests per second, shape (modules,).
        dummy: dummy rate of the module in requests per second, shape (modules,).
        latency: worst-case latency of the module in seconds, shape (modules,).
        cost: cost of the module per hour, shape (modules,).
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
    """Copy the plans of all modules from one schedule into another."""
    target.machines[:] = source.machines
    target.partial_at[:] = source.partial_at
    target.partial[:] = source.partial
    target.dummy[:] = source.dummy
    target.latency[:] = source.latency
    target.cost[:] = source.cost


@compiled
def copy_module(s: SessionArrays, m: int, source: Schedule, target: Schedule) -> None:
    """Copy the plan of module m from one schedule into another."""
    for k in range(s.first[m], s.first[m + 1]):
        target.machines[k] = source.machines[k]
    target.partial_at[m] = source.partial_at[m]
    target.partial[m] = source.partial[m]
    target.dummy[m] = source.dummy[m]
    target.latency[m] = source.latency[m]
    target.cost[m] = source.cost[m]
