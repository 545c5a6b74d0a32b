"""Boxes of most and least machines per module, and their division (ours).

If machines are charged by share, boxes count parts of machines: a whole number of 1/D machines each, with D a common
denominator of all shares f/t of all plans. So nothing in them is rounded.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Module, PlanSpace, Session
from euclio.problems.session.arrays import Floats
from formulations.session.module.in_integers import RationalModule, rational_module
from formulations.session.module.limit_rows import Counts, Rows


class Point(NamedTuple):
    """A plan of the search.

    Attributes:
        cost: its cost per hour without prices on stock.
        used: machines of each type with a limit, or parts of them, shape (modules, types).
    """

    cost: float
    used: Counts


@dataclass(frozen=True, slots=True)
class Box:
    """Plans with limits on the machines of a type in a module.

    Attributes:
        bound: lower bound on the cost per hour of its plans within the stock.
        least: machines that modules have at least, or parts of them, shape (modules, types), like the next one.
        most: machines that they have at most.
        price: first prices on the limits, shape (rows,).
    """

    bound: float
    least: Counts
    most: Counts
    price: Floats

    def within(self, rows: Rows) -> Counts:
        """Most machines of each module, given that the least machines of all are not available to others."""
        most: Counts = np.minimum(self.most, self.least + rows.room(self.least))
        return most

    def halves(self, m: int, kind: int, middle: int) -> list[Box]:
        """The plans with at most `middle` machines of a type in module m, and those with more."""
        most, least = self.most.copy(), self.least.copy()
        most[m, kind], least[m, kind] = middle, middle + 1
        return [Box(self.bound, self.least, most, self.price), Box(self.bound, least, self.most, self.price)]


def parts_of_machines(session: Session, space: PlanSpace) -> int:
    """D: every share of a machine in a plan by share is a whole number of 1/D. With whole machines, D is 1.

    On a scale on which a module's rate and throughputs are whole, so is the rate f of its partial machine, and its
    share is f over a whole throughput.

    Args:
        session: the instance.
        space: plan space with whole machines or a countable dummy rule.
    """
    parts = 1
    for module in [] if space.charging.whole else session.modules:
        numbers = [c.throughput_rps for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
        scale = lcm(*(number.denominator for number in (module.rate_rps, *numbers)))
        parts = lcm(parts, *(int(number * scale) for number in numbers))
    return parts


def divided(box: Box, rows: Rows, over: Point | None, under: Point | None) -> list[Box]:
    """The two halves of a box by the whole machines of one type in one module.

    Args:
        box: the box.
        rows: limits on the modules together.
        over: a plan that takes more; None means that none is known.
        under: a plan that does not; None means that none is known.
    """
    wide = _wide(box, rows)
    if over is not None:
        # Two plans: where they differ most, so that each half loses one of them. One plan: where it takes most.
        apart = over.used if under is None else np.abs(over.used - under.used)
        likely = np.where(wide > 0, apart, 0)
        if likely.any():
            wide = likely
    m, kind = _largest(wide)
    low, high = int(box.least[m, kind]), int(box.most[m, kind])
    middle = (low + high) // 2
    if over is not None:
        # At most one fewer than in the plan: that half no longer contains it.
        used = int(over.used[m, kind]) - 1 if under is None else int(over.used[m, kind] + under.used[m, kind]) // 2
        # Below the largest number, or one half would be the whole box again.
        middle = min(max(used, low), high - 1)
    return box.halves(m, kind, middle)


def divided_by_share(box: Box, rows: Rows, over: Point | None, under: Point | None) -> list[Box]:
    """The two halves of a box by the parts of machines of one type in one module; arguments as those of `divided`.

    A plan that has less than the least of a box counts as one that has the least, so that every cut lies within the box
    and excludes one of the plans, or halves it.
    """
    wide = _wide(box, rows)
    more = None if over is None else np.clip(over.used, box.least, box.most)
    # Types without a price whose capacity is enough for the known plans decide nothing either, as long as others do.
    short = rows.short((box.price > 0) | (False if over is None else rows.beyond(over.used) > 0))
    if wide[:, short].any():
        wide[:, ~short] = 0
    if more is not None and under is not None:
        fewer = np.clip(under.used, box.least, box.most)
        apart = np.where(wide > 0, np.abs(more - fewer), 0)
        if apart.any():
            m, kind = _largest(apart)
            return box.halves(m, kind, int(more[m, kind] + fewer[m, kind]) // 2)
    if more is not None:
        # The excess of a plan over a row is taken off all modules in proportion to what they have above their least: if
        # all modules but one have at least that, there is no more for it. So few boxes prove that there is no plan.
        beyond = rows.beyond(more)
        above = np.where((wide > 0) & rows.short(beyond > 0), more - box.least, 0)
        if above.any():
            m, kind = _largest(above)
            row = int(np.where(rows.takes[:, kind] > 0, beyond, 0).argmax())
            total, own = int(rows.takes[row] @ above.sum(axis=0)), int(above[m, kind])
            return box.halves(m, kind, int(more[m, kind]) - max(1, min(own, int(beyond[row]) * own // total)))
    m, kind = _largest(wide)
    return box.halves(m, kind, int(box.least[m, kind] + box.most[m, kind]) // 2)


def _wide(box: Box, rows: Rows) -> Counts:
    """The widths of a box; 0 for types whose most machines break no row, as those decide nothing."""
    wide: Counts = box.most - box.least
    wide[:, ~rows.short(rows.beyond(box.most) > 0)] = 0
    return wide


def _largest(values: Counts) -> tuple[int, int]:
    """Module and type of the largest number of an array of shape (modules, types)."""
    m, kind = np.unravel_index(int(values.argmax()), values.shape)
    return int(m), int(kind)


# The parts of machines of a type that plans of one module may have, if machines are charged by share (ours).
#
# A module usually has few plans, so between the parts of one plan and those of the next there is a hole of about the
# width of a machine. A box of most and least parts whose ends lie in holes contains the same plans as a smaller one,
# and a box within a hole contains none.

MOST_NODES = 20_000
"""Parts of plans of one module after which its plans are too many to list; this takes some hundredths of a second."""


class _TooManyError(Exception):
    """The plans of a module are too many."""


@dataclass(frozen=True, slots=True)
class Attainable:
    """The parts of machines that plans have.

    Attributes:
        values: by module and column of a box, the numbers of all plans in rising order; None means that they are
            unknown.
    """

    values: list[list[Sequence[int] | None]]

    def within(self, box: Box) -> Box | None:
        """The box with its ends at numbers that plans have; None means that it contains no plan."""
        least, most = box.least.copy(), box.most.copy()
        for m, row in enumerate(self.values):
            for kind, known in enumerate(row):
                if known is None:
                    continue
                first, last = bisect_left(known, int(least[m, kind])), bisect_right(known, int(most[m, kind])) - 1
                if first > last:
                    return None
                least[m, kind], most[m, kind] = known[first], known[last]
        return replace(box, least=least, most=most)


def attainable(session: Session, space: PlanSpace, names: list[str], parts: int) -> Attainable:
    """The parts of machines that the plans of each module have.

    Args:
        session: the instance.
        space: plan space by share with a countable dummy rule, without `single_hardware`.
        names: the hardware types of a box's columns.
        parts: parts of a machine that a box counts (`parts_of_machines`).
    """
    return Attainable([_of_module(session, space, module, names, parts) for module in session.modules])


def _of_module(
    session: Session, space: PlanSpace, module: Module, names: list[str], parts: int
) -> list[Sequence[int] | None]:
    lister = _Lister(rational_module(module, session.price, space), names, parts)
    try:
        lister.extend(0, lister.m.rate, (0,) * len(names), 0)
    except _TooManyError:
        return [None] * len(names)
    found = np.array(sorted(lister.found), object).reshape(len(lister.found), len(names))
    return [sorted({int(value) for value in found[:, kind]}) for kind in range(len(names))]


class _Lister:
    """Lists the parts of machines of a module's plans, down the ranking, at any latency."""

    def __init__(self, m: RationalModule, names: list[str], parts: int) -> None:
        self.m, self.parts, self.nodes = m, parts, 0
        self.kind = [names.index(c.hardware) if c.hardware in names else -1 for c in m.configurations]
        self.found: set[tuple[int, ...]] = set()

    def extend(self, first: int, rest: int, held: tuple[int, ...], allocations: int) -> None:
        """Close the plan with each configuration from `first` on, or take whole machines of it and go on.

        Args:
            first: first configuration that may be used.
            rest: rate left.
            held: parts by type of the machines before.
            allocations: allocations before.
        """
        m = self.m
        for j in range(first, len(m.configurations)):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise _TooManyError
            t = m.throughput[j]
            whole, left = divmod(rest, t)
            self.found.add(self._with(held, j, whole * self.parts + left * self.parts // t))
            # Dummies may fill the partial machine up to a whole one.
            if left and m.space.dummy.adds:
                self.found.add(self._with(held, j, (whole + 1) * self.parts))
            # The last allocation has to carry all the rest, so none may follow it.
            if allocations + 1 >= m.most or j + 1 == len(m.configurations):
                continue
            for n in range(1, whole + (1 if left else 0)):
                self.extend(j + 1, rest - n * t, self._with(held, j, n * self.parts), allocations + 1)

    def _with(self, held: tuple[int, ...], j: int, more: int) -> tuple[int, ...]:
        kind = self.kind[j]
        return held if kind < 0 else (*held[:kind], held[kind] + more, *held[kind + 1 :])
