"""Least GPU shares of stages by time and load, as tables of whole numbers (ours).

Rates are whole multiples of a *unit*, their greatest common divisor, and times whole numbers of ticks, so that a stage
is known by its layers, its time and how many units it serves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.space import FragmentSpace

Whole = npt.NDArray[np.int64]
NEVER = 2**40
"""The GPU share, in percent, of a stage that is not fast enough; far above those of plans, far below 64 bits."""
FITS = 2**62
MOST_UNITS = 3000
"""Units of all fragments together beyond which tables would grow too large."""


class TooLargeError(Exception):
    """Numbers or tables do not fit."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The least GPU share of a range of layers.

    Attributes:
        ticks: times at which it changes, ascending, shape (n,).
        share_pct: least share within each by units served, from 0, `NEVER` where none is as fast; shape (n, units + 1).
    """

    ticks: Whole
    share_pct: Whole


class Costs:
    """Least GPU shares in a fleet.

    Attributes:
        units: units of each fragment.
        limits: ticks that each fragment has for execution, half of its time budget.
        total: units of all fragments.
        layers: number of layers.

    Raises:
        TooLargeError: numbers do not fit into 64 bits, or there are too many units.
    """

    def __init__(self, fleet: Fleet, space: FragmentSpace) -> None:
        network = fleet.network
        rates = [fragment.rate_rps for fragment in fleet.fragments]
        common = math.lcm(*(rate.denominator for rate in rates))
        self._unit = Fraction(math.gcd(*(int(rate * common) for rate in rates)), common)
        self.units = [int(rate / self._unit) for rate in rates]
        self.total = sum(self.units)
        every = [x for layer in network.layer_latency_s for row in layer for x in row]
        self._per_s = reduce(math.lcm, {x.denominator for x in every}, 1)
        self.limits = [math.floor(f.budget_s / QUEUEING * self._per_s) for f in fleet.fragments]
        self.layers = network.layers
        longest = sum(int(max(map(max, layer)) * self._per_s) for layer in network.layer_latency_s)
        above, below = (self._unit / self._per_s).as_integer_ratio()
        # All products below have to stay within 64 bits, or they would be any number.
        if self.total > MOST_UNITS or self.total * above * longest >= FITS or below * max(network.batches) >= FITS:
            raise TooLargeError
        if max(self.limits) >= FITS:
            raise TooLargeError
        self._above, self._below = above, below
        ticks = [[[int(x * self._per_s) for x in row] for row in layer] for layer in network.layer_latency_s]
        self._ticks = np.array(ticks, dtype=np.int64).reshape(network.layers, -1)
        batch, share = np.meshgrid(network.batches, network.shares_pct, indexing="ij")
        self._batch, self._share = batch.ravel().astype(np.int64), share.ravel().astype(np.int64)
        self._most, self._least = space.max_instances, network.least_share_pct
        self._known: dict[tuple[int, int, int, bool], Steps] = {}

    def stages(self, first: int, end: int, most: int) -> Steps:
        """One stage of layers `first` to `end` (exclusive), for up to so many units."""
        key = first, end, most, False
        if key not in self._known:
            self._known[key] = self._stages(first, end, most)
        return self._known[key]

    def heads(self, first: int, end: int, most: int) -> Steps:
        """The same, where units may be divided among stages in whichever way is cheapest.

        Where rates differ, no division of fragments may amount to that; it is then a bound from below.
        """
        key = first, end, most, True
        if key not in self._known:
            one = self._stages(first, end, most)
            self._known[key] = Steps(one.ticks, _divided(one.share_pct))
        return self._known[key]

    def _stages(self, first: int, end: int, most: int) -> Steps:
        ticks: Whole = self._ticks[first:end].sum(axis=0)
        order = np.argsort(ticks, kind="stable")
        order = order[self._share[order] >= self._least(first, end)]
        if not len(order):
            return Steps(ticks[order], np.zeros((0, most + 1), dtype=np.int64))
        ticks, batch, share = ticks[order], self._batch[order], self._share[order]
        served = np.arange(most + 1, dtype=np.int64)
        instances = -(-(self._above * ticks)[:, None] * served // (self._below * batch)[:, None])
        # Cut before they are multiplied: a product beyond 64 bits would be any number, one below the share too.
        total = np.minimum(instances, NEVER) * share[:, None]
        if self._most is not None:
            total[instances > self._most] = NEVER
        least = np.minimum.accumulate(np.minimum(total, NEVER), axis=0)
        # Of equal times the last row has the least of all.
        last = np.append(ticks[1:] != ticks[:-1], True)
        ticks, least = ticks[last], least[last]
        # A row in which nothing changes says what the one before it says.
        changed = np.append(True, (least[1:] != least[:-1]).any(axis=1))
        return Steps(ticks[changed], least[changed])


def _divided(share_pct: Whole) -> Whole:
    """The least share of several stages together, from that of one; both by units served."""
    least = share_pct.copy()
    for units in range(2, least.shape[1]):
        # Both parts have fewer units, so that their least shares are final by now.
        half = units // 2
        pairs: Any = least[:, 1 : half + 1] + least[:, units - half : units][:, ::-1]
        least[:, units] = np.minimum(least[:, units], pairs.min(axis=1))
    return np.minimum(least, NEVER)
