"""Which target of a module is dealt to next, and which of its machines: one rule for both simulators (compiled).

Targets are rows of an array, in both simulators with the same columns. That of single invocations follows
`euclio.serving.session.targets`; docs/model/serving.md has the rules.
"""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine.tables import NONE
from euclio.serving.units import Ints

TARGET_MEMBER, TARGET_SIZE, RATE, LAG, TURN, TARGET_COLUMNS = range(6)
"""Columns of a target: its first machine, how many it has, its rate, how far it lags behind it, whose turn it is."""


@compiled_on_tables
def first_due(target: Ints, first: int) -> int:
    """The first target, from a row on, that has had no more than its share; one always is so."""
    chosen = first
    while target[chosen, LAG] < 0:
        chosen += 1
    return chosen


@compiled_on_tables
def most_pressing(target: Ints, first: int, count: int, total: int) -> int:
    """Of the targets that are due the one whose next invocation has to be dealt out first.

    With s of N invocations dealt to it and lag = N·R - s·F, that is the least (s + 1)·F/R = N + (F - lag)/R. Sums of
    rates are below 2³¹, so that the products fit.

    Args:
        target: all targets.
        first: the row of the module's first one.
        count: how many the module has.
        total: F, the sum of their rates.

    Returns:
        Its row.
    """
    chosen = NONE
    for k in range(first, first + count):
        if target[k, LAG] < 0:
            continue
        # Fractions are compared crosswise, in whole numbers; of equal ones the first target stays.
        if (
            chosen == NONE
            or (total - target[k, LAG]) * target[chosen, RATE] < (total - target[chosen, LAG]) * target[k, RATE]
        ):
            chosen = k
    return chosen


@compiled_on_tables
def count_one(target: Ints, first: int, count: int, total: int, chosen: int) -> None:
    """Note that a target has had one more invocation of one more.

    Args:
        target: all targets.
        first: the row of the module's first one.
        count: how many the module has.
        total: the sum of their rates.
        chosen: the row of the one that had it.
    """
    for k in range(first, first + count):
        target[k, LAG] += target[k, RATE]
    target[chosen, LAG] -= total


@compiled_on_tables
def next_turn(target: Ints, chosen: int) -> None:
    """Go on to a target's next machine, after its last one to the first."""
    turn = target[chosen, TURN] + 1
    target[chosen, TURN] = 0 if turn == target[chosen, TARGET_SIZE] else turn
