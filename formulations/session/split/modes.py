"""Modes of modules: the cost of choosing one latency per module, known exactly or bounded from below (ours).

A module's cost as a function of its latency budget is a step function that never rises. A *mode* is one step: a
least latency, and the cost. A mode is *resolved* if a plan has exactly this latency and cost and no plan with a budget
up to the next mode is cheaper. An unresolved mode stands for an interval of budgets, with a lower bound on the cost of
all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, compiled_on_tables
from euclio.problems.session.arrays import Floats, Ints


class Modes(NamedTuple):
    """The modes of all modules, each module's in a row of its own, by rising latency and falling cost.

    Attributes:
        size: modes of each module, shape (modules,).
        latency: least latency of a mode in seconds, shape (modules, capacity).
        cost: cost per hour, or a lower bound if the mode is unresolved, shape (modules, capacity).
        plan: row of the mode's plan in the plan store, shape (modules, capacity); -1 means an unresolved mode.
    """

    size: Ints
    latency: Floats
    cost: Floats
    plan: Ints


@compiled
def new_modes(modules: int, capacity: int) -> Modes:
    """Modes of so many modules: none yet, with room for `capacity` per module."""
    return Modes(
        np.zeros(modules, np.int64),
        np.empty((modules, capacity)),
        np.empty((modules, capacity)),
        np.full((modules, capacity), -1, np.int64),
    )


@compiled
def with_room(modes: Modes, more: int) -> Modes:
    """The modes in arrays with room for at least `more` further ones per module; the given arrays if they have it."""
    if modes.size.max() + more < modes.latency.shape[1]:
        return modes
    wider = new_modes(modes.size.size, 2 * modes.latency.shape[1] + more)
    wider.size[:] = modes.size
    old = modes.latency.shape[1]
    wider.latency[:, :old] = modes.latency
    wider.cost[:, :old] = modes.cost
    wider.plan[:, :old] = modes.plan
    return wider


@compiled_on_tables
def replace_modes(modes: Modes, m: int, first: int, last: int, new: Modes) -> None:
    """Put other modes in place of some modes of one module; the arrays are changed in place and must have the room.

    Args:
        modes: the modes of all modules.
        m: the module.
        first: the first mode to replace.
        last: the mode after the last one to replace.
        new: modes to put there, in row 0.
    """
    added = new.size[0]
    shift = added - (last - first)
    count = modes.size[m]
    if shift > 0:
        # Back to front, so that no mode is overwritten before it has moved.
        for i in range(count - 1, last - 1, -1):
            _move(modes, m, i, i + shift)
    elif shift < 0:
        for i in range(last, count):
            _move(modes, m, i, i + shift)
    for i in range(added):
        modes.latency[m, first + i] = new.latency[0, i]
        modes.cost[m, first + i] = new.cost[0, i]
        modes.plan[m, first + i] = new.plan[0, i]
    modes.size[m] = count + shift


@compiled_on_tables
def _move(modes: Modes, m: int, source: int, target: int) -> None:
    """Copy one mode of module m over another one of its modes."""
    modes.latency[m, target] = modes.latency[m, source]
    modes.cost[m, target] = modes.cost[m, source]
    modes.plan[m, target] = modes.plan[m, source]


@compiled_on_tables
def mode_within(modes: Modes, m: int, latency: float) -> int:
    """Number of the last, hence cheapest, mode of module m that uses at most `latency` seconds; -1 if none does."""
    low, high = -1, modes.size[m] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if modes.latency[m, middle] <= latency:
            low = middle
        else:
            high = middle - 1
    return low
