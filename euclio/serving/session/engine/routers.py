"""Routers that draw machines, or compare their loads: one rule for both simulators (compiled).

Targets are rows of an array (`TARGET_COLUMNS`); docs/model/serving.md has the rules.
"""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.arrivals import MODULI, MULTIPLIERS
from euclio.serving.session.engine.tables import NONE
from euclio.serving.session.targets import Router
from euclio.serving.units import Ints

# The next target of a module, and the next of its machines: one rule for both simulators (compiled).  Targets are rows
# of an array, with the same columns in both simulators. The rule for single invocations follows
# `euclio.serving.session.targets`; docs/model/serving.md has the rules.

TARGET_MEMBER, TARGET_SIZE, RATE, LAG, TURN, TARGET_COLUMNS = range(6)
"""Columns of a target: its first machine, their number, its rate, its lag behind this rate, the machine in turn."""


@compiled_on_tables
def first_due(target: Ints, first: int) -> int:
    """The first target, from a row on, that has had no more than its share; there always is one."""
    chosen = first
    while target[chosen, LAG] < 0:
        chosen += 1
    return chosen


@compiled_on_tables
def most_pressing(target: Ints, first: int, count: int, total: int) -> int:
    """The due target whose next invocation must be dealt out first.

    With s of N invocations dealt to it and lag = N·R - s·F, that is the least (s + 1)·F/R = N + (F - lag)/R. Sums of
    rates are below 2³¹, so that the products fit.

    Args:
        target: all targets.
        first: the row of the module's first one.
        count: number of targets of the module.
        total: F, the sum of their rates.

    Returns:
        Its row.
    """
    chosen = NONE
    for k in range(first, first + count):
        if target[k, LAG] < 0:
            continue
        # Fractions are compared crosswise, in whole numbers; of equal ones, the first target stays.
        if (
            chosen == NONE
            or (total - target[k, LAG]) * target[chosen, RATE] < (total - target[chosen, LAG]) * target[k, RATE]
        ):
            chosen = k
    return chosen


@compiled_on_tables
def count_one(target: Ints, first: int, count: int, total: int, chosen: int) -> None:
    """Note one more invocation, for a target.

    A module's targets are `count` rows from `first` on, whose rates add up to `total`.
    """
    for k in range(first, first + count):
        target[k, LAG] += target[k, RATE]
    target[chosen, LAG] -= total


@compiled_on_tables
def next_turn(target: Ints, chosen: int) -> None:
    """Go on to a target's next machine, after its last one to the first."""
    turn = target[chosen, TURN] + 1
    target[chosen, TURN] = 0 if turn == target[chosen, TARGET_SIZE] else turn


BY_TURN, AT_RANDOM, LEAST_IN_HAND = Router.TURN.value, Router.RANDOM.value, Router.LEAST.value
ROUTER, FIRST, SECOND, TURN_OF, ROUTER_COLUMNS = range(5)
"""Columns of a module's router: its kind, the states of its two generators, and the place of the machine after the
last chosen one."""
FIRST_FACTOR, SECOND_FACTOR = MULTIPLIERS
FIRST_MODULUS, SECOND_MODULUS = MODULI


@compiled_on_tables
def draw(router: Ints, row: int, below: int) -> int:
    """A whole number from 0 to less than a bound, by two steps of the combined generators of a row.

    Two steps make 62 bits, so that the remainder is nearly uniform; no product exceeds 64 bits.
    """
    found = 0
    for _ in range(2):
        router[row, FIRST] = router[row, FIRST] * FIRST_FACTOR % FIRST_MODULUS
        router[row, SECOND] = router[row, SECOND] * SECOND_FACTOR % SECOND_MODULUS
        step = router[row, FIRST] - router[row, SECOND]
        if step < 1:
            step += FIRST_MODULUS - 1
        found = found * (FIRST_MODULUS - 1) + step - 1
    return int(found % below)


@compiled_on_tables
def drawn_machine(target: Ints, first: int, total: int, router: Ints, row: int) -> int:
    """The place of a machine drawn in proportion to its rate: first its target, then one of that target's machines."""
    left = draw(router, row, total)
    chosen = first
    while left >= target[chosen, RATE]:
        left -= target[chosen, RATE]
        chosen += 1
    return int(target[chosen, TARGET_MEMBER] + draw(router, row, target[chosen, TARGET_SIZE]))


@compiled_on_tables
def drawn_other(target: Ints, first: int, total: int, router: Ints, row: int, one: int, own: int) -> int:
    """The place of another machine than one, of at least two, drawn at its rate; `own` is the target of the one."""
    # Rates times the machines of that target are whole numbers without its share too.
    times = target[own, TARGET_SIZE]
    left = draw(router, row, total * times - target[own, RATE])
    chosen = first
    while True:
        weight = target[chosen, RATE] * (times - 1 if chosen == own else times)
        if left < weight:
            break
        left -= weight
        chosen += 1
    if chosen != own:
        return int(target[chosen, TARGET_MEMBER] + draw(router, row, target[chosen, TARGET_SIZE]))
    # Of its own target one machine fewer is drawn, and those from its place on move up by one.
    place = target[chosen, TARGET_MEMBER] + draw(router, row, times - 1)
    return int(place + 1 if place >= one else place)


@compiled_on_tables
def load_of(target: Ints, own: int, in_hand: int) -> float:
    """The load of a machine with `in_hand` invocations and one more, over its share of the rate."""
    return float((in_hand + 1) * target[own, TARGET_SIZE] / target[own, RATE])
