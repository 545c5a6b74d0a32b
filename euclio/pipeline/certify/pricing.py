"""Upper bounds on what one model can be served, from prices on its pools of GPUs (ours).

With a price per GPU of each pool, what is served is at most the worth of the GPUs plus what single lumps serve beyond
their own price. That holds for any prices at all, so HiGHS only proposes them, by a linear program, and the bound is
computed anew; rounding in it is covered by a margin on the side of searching more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.pipeline.certify.linear import Rows, least_cost
from euclio.pipeline.certify.lumps import Floats, Lumps

MARGIN = 1e-12
"""What rounding may change at most, as a part of the numbers that are added up: some thousands, of 1e-16 each."""

PENALTY = 50.0
"""What a lump that has to be there and is not costs in the linear program, in demands."""

OVERFULL = 1e-7
"""By how much a group may be used more than once before the linear program is told that it may not."""


@dataclass(frozen=True, slots=True)
class Box:
    """Least and most GPUs of each pool, and GPUs of each type.

    Attributes:
        least: per pool, in GPUs.
        most: per pool, in GPUs.
        available: per GPU type; a type's pools have no more together.
        of_type: per GPU type, its pools.
    """

    least: tuple[int, ...]
    most: tuple[int, ...]
    available: tuple[Fraction, ...]
    of_type: tuple[tuple[int, ...], ...]

    def worth(self, prices: Floats) -> float:
        """The most that the GPUs are worth, however those of a type are divided among its pools."""
        total = 0.0
        for available, pools in zip(self.available, self.of_type, strict=True):
            left = float(available) - sum(self.least[p] for p in pools)
            total += sum(self.least[p] * float(prices[p]) for p in pools)
            for p in sorted(pools, key=lambda q: -prices[q]):
                more = min(left, self.most[p] - self.least[p])
                total += more * float(prices[p])
                left -= more
        return total


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the linear program proposes; nothing of it is trusted.

    Attributes:
        prices: per pool, in demands per GPU.
        part: how much of each lump it takes.
        overfull: groups that it takes more than once.
    """

    prices: Floats
    part: Floats
    overfull: frozenset[int]


def propose(lumps: Lumps, box: Box, forced: frozenset[int], limited: frozenset[int]) -> Proposal | None:
    """Solve the linear program over fractions of lumps; None: HiGHS had no answer.

    Args:
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        forced: groups of which one lump has to be in the plan.
        limited: groups that are explicitly used at most once.
    """
    number, pools = lumps.use.shape
    exactly = sorted(forced)
    # Variables: a part of each lump, GPUs of each pool, and what is missing of each group that has to be there.
    rows = Rows()
    for p in range(pools):
        own = np.flatnonzero(lumps.use[:, p])
        rows.add(-np.inf, 0.0, np.append(own, number + p), np.append(lumps.use[own, p], -1.0))
    for available, of_type in zip(box.available, box.of_type, strict=True):
        rows.add(-np.inf, float(available), number + np.array(of_type), np.ones(len(of_type)))
    for group in sorted(limited - forced):
        own = np.flatnonzero(lumps.group == group)
        rows.add(-np.inf, 1.0, own, np.ones(len(own)))
    for i, group in enumerate(exactly):
        own = np.append(np.flatnonzero(lumps.group == group), number + pools + i)
        rows.add(1.0, 1.0, own, np.ones(len(own)))
    missing = len(exactly)
    found = least_cost(
        np.concatenate([-lumps.served, np.zeros(pools), np.full(missing, PENALTY)]),
        np.concatenate([np.zeros(number), np.array(box.least, float), np.zeros(missing)]),
        np.concatenate([np.full(number, np.inf), np.array(box.most, float), np.full(missing, np.inf)]),
        rows,
    )
    if found is None:
        return None
    part = found[0][:number]
    total = np.bincount(lumps.group, part) if number else np.empty(0)
    overfull = frozenset(int(g) for g in np.flatnonzero(total > 1 + OVERFULL))
    return Proposal(np.maximum(-found[1][:pools], 0.0), part, overfull)


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound on what a model can be served, as a part of its demand.

    Attributes:
        value: the bound, rounding included.
        fits: which lumps can be in a plan that meets the demand.
    """

    value: float
    fits: NDArray[np.bool_]


def bound(lumps: Lumps, box: Box, forced: frozenset[int], prices: Floats) -> Bound:
    """The bound that these prices prove, and the lumps that it leaves."""
    worth = box.worth(prices)
    charge = lumps.use @ prices
    gain = lumps.served - charge
    starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
    groups = lumps.group[starts]
    best = np.maximum.reduceat(gain, starts) if len(starts) else np.empty(0)
    needed = np.isin(groups, list(forced))
    counted = np.where(needed, best, np.maximum(best, 0.0))
    mass = worth + float(np.abs(counted).sum()) + float(charge.max(initial=0.0)) + 2.0
    room = MARGIN * mass
    value = worth + float(counted.sum()) + room
    if len(groups) < len(forced):
        # A group that has to be there has no lump left.
        return Bound(-np.inf, np.zeros(len(gain), bool))
    sizes = np.diff(np.append(starts, len(gain)))
    return Bound(value, value + room - np.repeat(counted, sizes) + gain >= 1)
