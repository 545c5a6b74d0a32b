"""Steps of a module's cost curve that one search finds: ever faster plans that cost ever more (compiled, ours).

A search for the cheapest plan within one latency budget rules out nearly the same plans as the search for the next
faster one. So it keeps the next few steps on its way, and below a plan's allocations it searches only for plans cheaper
than the steps that are as fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.problem import BATCH, DURATION, ModuleProblem, record_machines

MOST_STEPS = 32
"""The most steps that one search keeps."""
SIZE, MOST, PATIENCE, PARTIAL = range(4)
"""Numbers: how many steps there are; the most that are kept; nodes that a search may take for more than one. From the
last one on, the configuration of each step's partial machine; -1 means none."""
LATENCY, COST = range(2)
SCOPE = MOST_STEPS
"""Rows of points, and behind them the column with the scope of the search for steps: the latency in seconds that faster
plans count as, and the cost per hour."""


class Steps(NamedTuple):
    """Plans of falling latency and rising cost, the cheapest one first.

    It has as few arrays as possible, since each one that is passed to a search takes time.

    Attributes:
        numbers: whole numbers from `SIZE` to `PARTIAL`, shape (`PARTIAL` + `MOST_STEPS`,).
        points: latency in seconds and cost per hour of each step, and of the `SCOPE`, shape (2, `MOST_STEPS` + 1).
        machines: whole machines of each step, shape (`MOST_STEPS`, configurations kept or more).
    """

    numbers: Ints
    points: Floats
    machines: Ints


@compiled
def new_steps(configurations: int) -> Steps:
    """Room for the steps of modules with this number of configurations kept; one step is kept at most."""
    steps = Steps(
        np.empty(PARTIAL + MOST_STEPS, np.int64),
        np.empty((2, MOST_STEPS + 1)),
        np.empty((MOST_STEPS, configurations), np.int64),
    )
    steps.numbers[SIZE], steps.numbers[MOST], steps.points[COST, SCOPE] = 0, 1, np.inf
    steps.points[LATENCY, SCOPE] = 0.0
    # Without a plan, its machines are 0.
    steps.machines[0] = 0
    return steps


@compiled_on_tables
def keep_one(steps: Steps) -> None:
    """Keep the cheapest plan alone from now on."""
    steps.numbers[SIZE], steps.numbers[MOST] = min(steps.numbers[SIZE], 1), 1


@compiled_on_tables
def least_limit(steps: Steps, cutoff: float) -> float:
    """Cost per hour from which on no plan is of interest that is as slow as the slowest step, or slower."""
    return float(min(cutoff, steps.points[COST, 0]) if steps.numbers[SIZE] > 0 else cutoff)


@compiled_on_tables
def most_limit(steps: Steps, cutoff: float) -> float:
    """Cost per hour from which on no plan of any latency is of interest."""
    size = steps.numbers[SIZE]
    return float(min(cutoff, steps.points[COST, size - 1]) if size == steps.numbers[MOST] else cutoff)


@compiled_in_place
def limit_at(steps: Steps, cutoff: float, latency: float) -> float:
    """Cost per hour from which on no plan is of interest that is no faster than a latency in seconds.

    If no more steps are kept, the fastest one stands for all faster plans.
    """
    # Latencies within a `TIE` of each other are one: rounding is covered by the longer SLO.
    within = max(latency, steps.points[LATENCY, SCOPE]) * (1.0 + TIE)
    # From the fastest step on, as most allocations are faster than all of them.
    k = steps.numbers[SIZE]
    while k > 0 and steps.points[LATENCY, k - 1] <= within:
        k -= 1
    if k < steps.numbers[SIZE]:
        return float(min(cutoff, steps.points[COST, k]))
    return most_limit(steps, cutoff)


@compiled_in_place
def latency_from(p: ModuleProblem, at: Ints, rest: Floats, levels: int, dummy: float) -> float:
    """The worst-case latency in seconds of the whole machines of some allocations.

    Args:
        p: the module.
        at: configuration of each allocation.
        rest: rate in requests per second that is left for each of them, its own included.
        levels: number of allocations.
        dummy: rate of dummies; if it is not known yet, the largest possible one, for a lower bound.
    """
    longest = 0.0
    for i in range(levels):
        longest = max(longest, p.table[DURATION, at[i]] + p.table[BATCH, at[i]] / (rest[i] + dummy))
    return longest


@compiled_in_place
def keep_step(
    steps: Steps, latency: float, cost: float, at: Ints, count: Ints, last: int, whole: int, partial: bool
) -> None:
    """Keep a plan that is cheaper than the steps that are as fast; steps that it makes useless are dropped.

    Args:
        steps: the steps so far; changed.
        latency: worst-case latency of the plan in seconds.
        cost: its cost per hour.
        at: configuration of each allocation.
        count: whole machines of each of them but the last one.
        last: number of the last allocation.
        whole: its whole machines.
        partial: whether it has a partial machine.
    """
    latency = max(latency, steps.points[LATENCY, SCOPE])
    size, most = steps.numbers[SIZE], steps.numbers[MOST]
    first = 0
    while first < size and steps.points[COST, first] < cost:
        first += 1
    # Behind it there are more expensive ones: those that are no faster, up to a `TIE`, have become useless.
    behind = first
    while behind < size and (steps.points[LATENCY, behind] * (1.0 + TIE) >= latency or most == 1):
        behind += 1
    if behind == first:
        # One more: the fastest one has to go if all places are taken.
        for k in range(min(size, most - 1) - 1, first - 1, -1):
            _move(steps, k, k + 1)
    else:
        for k in range(behind, size):
            _move(steps, k, k - behind + first + 1)
    steps.numbers[SIZE] = min(most, size + 1 - (behind - first))
    steps.points[LATENCY, first], steps.points[COST, first] = latency, cost
    steps.numbers[PARTIAL + first] = at[last] if partial else -1
    record_machines(steps.machines[first], at, count, last, at[last], whole)


@compiled_on_tables
def _move(steps: Steps, source: int, target: int) -> None:
    """Copy a step over another one."""
    steps.points[LATENCY, target], steps.points[COST, target] = (
        steps.points[LATENCY, source],
        steps.points[COST, source],
    )
    steps.numbers[PARTIAL + target] = steps.numbers[PARTIAL + source]
    for j in range(steps.machines.shape[1]):
        steps.machines[target, j] = steps.machines[source, j]
