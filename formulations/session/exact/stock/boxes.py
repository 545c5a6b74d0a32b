"""Boxes of most and least machines per module, and where they are divided (ours).

Where machines are charged by share, boxes count parts of machines: a whole number of 1/D machines each, D a number that
all shares f/t of all plans have in common. So nothing in them is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.session import PlanSpace, Session
from euclio.session.arrays import Floats

Counts = NDArray[Any]
"""Machines, in 64 bits; or parts of machines, which may be many, as whole numbers of Python's."""


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
        bound: no plan within the stock costs less, per hour.
        least: machines that modules have at least, or parts of them, shape (modules, types), like the next one.
        most: machines that they have at most.
        price: prices on stock to begin with, shape (types,).
    """

    bound: float
    least: Counts
    most: Counts
    price: Floats

    def within(self, stock: Counts) -> Counts:
        """Most machines of each module, where what the others have at least is not there any more."""
        most: Counts = np.minimum(self.most, stock - (self.least.sum(axis=0) - self.least))
        return most

    def halves(self, m: int, kind: int, middle: int) -> list[Box]:
        """The plans with at most `middle` machines of a type in module m, and those with more."""
        most, least = self.most.copy(), self.least.copy()
        most[m, kind], least[m, kind] = middle, middle + 1
        return [Box(self.bound, self.least, most, self.price), Box(self.bound, least, self.most, self.price)]


def parts_of_machines(session: Session, space: PlanSpace) -> int:
    """D: every share of a machine that a plan by share has is a whole number of 1/D, and D is 1 with whole machines.

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


def divided(box: Box, stock: Counts, over: Point | None, under: Point | None) -> list[Box]:
    """The two halves of a box by the whole machines of one type in one module.

    Args:
        box: the box.
        stock: machines in stock of each type, shape (types,).
        over: a plan that takes more than the stock; None: none is known.
        under: a plan that keeps to it; None: none is known.
    """
    wide = _wide(box, stock)
    if over is not None:
        apart = over.used if under is None else np.abs(over.used - under.used)
        likely = np.where(wide > 0, apart, 0)
        if likely.any():
            wide = likely
    m, kind = _largest(wide)
    low, high = int(box.least[m, kind]), int(box.most[m, kind])
    middle = (low + high) // 2
    if over is not None:
        used = int(over.used[m, kind]) - 1 if under is None else int(over.used[m, kind] + under.used[m, kind]) // 2
        middle = min(max(used, low), high - 1)
    return box.halves(m, kind, middle)


def divided_by_share(box: Box, stock: Counts, over: Point | None, under: Point | None) -> list[Box]:
    """The two halves of a box by the parts of machines of one type in one module; arguments as those of `divided`.

    A plan that has less than the least of a box counts as one that has the least, so that every cut lies within the box
    and leaves out one of the plans, or halves it.
    """
    wide = _wide(box, stock)
    more = None if over is None else np.clip(over.used, box.least, box.most)
    # Types without a price of which there is enough for the plans known decide nothing either, while others do.
    short = (box.price > 0) | (False if over is None else over.used.sum(axis=0) > stock)
    if wide[:, short].any():
        wide[:, ~short] = 0
    if more is not None and under is not None:
        fewer = np.clip(under.used, box.least, box.most)
        apart = np.where(wide > 0, np.abs(more - fewer), 0)
        if apart.any():
            m, kind = _largest(apart)
            return box.halves(m, kind, int(more[m, kind] + fewer[m, kind]) // 2)
    if more is not None:
        # What a plan has beyond the stock, taken off all modules in ratio to what they have above their least: if all
        # modules but one have that at least, there is no more for this one. So few boxes prove that there is no plan.
        above = np.where((wide > 0) & (more.sum(axis=0) > stock), more - box.least, 0)
        if above.any():
            m, kind = _largest(above)
            beyond, total = int(more[:, kind].sum() - stock[kind]), int(above[:, kind].sum())
            return box.halves(m, kind, int(more[m, kind]) - max(1, beyond * int(above[m, kind]) // total))
    m, kind = _largest(wide)
    return box.halves(m, kind, int(box.least[m, kind] + box.most[m, kind]) // 2)


def _wide(box: Box, stock: Counts) -> Counts:
    """The widths of a box; 0 for types whose most machines fit into the stock, as those decide nothing."""
    wide: Counts = box.most - box.least
    wide[:, box.most.sum(axis=0) <= stock] = 0
    return wide


def _largest(values: Counts) -> tuple[int, int]:
    """Module and type of the largest number of an array of shape (modules, types)."""
    m, kind = np.unravel_index(int(values.argmax()), values.shape)
    return int(m), int(kind)
