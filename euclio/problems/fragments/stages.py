"""The least GPU share of a stage for every allowed time, exact over batch, share and instances (Graft §4.3).

All latencies of a network are whole numbers of ticks, so nothing is rounded. If they or their products with a rate do
not fit into 64 bits, the same arrays hold Python's integers.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.problems.fragments.instance import Network
from euclio.problems.fragments.plan import Stage

Array = npt.NDArray[Any]

FITS = 2**56
"""Products below this are computed in 64 bits, with room for a hundredfold (the share)."""
SURELY_EXACT = 2**40
"""Shares below this are kept as floats, which are exact for them and for sums of thousands of them."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """The cheapest stages of a range of layers at a rate; each is cheaper than all that are as fast.

    Attributes:
        ticks: execution times, ascending, shape (n,).
        total_pct: GPU shares of all instances, descending, shape (n,).
        batch: batch sizes, shape (n,).
        share_pct: GPU shares of one instance, shape (n,).
    """

    ticks: Array
    total_pct: Array
    batch: Array
    share_pct: Array

    def within(self, ticks: Array) -> Array:
        """The least GPU share by allowed time, infinite if no stage is as fast; shape as `ticks`."""
        place = np.searchsorted(self.ticks, ticks, side="right")
        padded = np.concatenate((np.array([math.inf], dtype=self.total_pct.dtype), self.total_pct))
        return padded[place]

    def stage(self, ticks: int) -> Stage | None:
        """The cheapest stage within a time; of equally cheap ones the fastest; None if none is as fast."""
        place = int(np.searchsorted(self.ticks, ticks, side="right")) - 1
        if place < 0:
            return None
        share, total = int(self.share_pct[place]), int(self.total_pct[place])
        return Stage(int(self.batch[place]), share, total // share)


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices for a range of layers: ticks, batch size and share of each, by ascending ticks; shape (n,)."""

    ticks: Array
    batch: Array
    share_pct: Array


class Stages:
    """The stages of a network.

    Attributes:
        ticks_per_s: ticks in a second; every latency is a whole number of them.
    """

    def __init__(self, network: Network) -> None:
        rows = network.layer_latency_s
        self.network = network
        self.ticks_per_s = math.lcm(*{x.denominator for layer in rows for row in layer for x in row})
        # Products of fractions would take ten times as long; every denominator divides the number of ticks.
        ticks = [[[x.numerator * (self.ticks_per_s // x.denominator) for x in row] for row in layer] for layer in rows]
        self._slowest = sum(max(map(max, layer)) for layer in ticks)
        layers = np.array(ticks, dtype=np.int64 if self._slowest < FITS else object)
        start = np.zeros((1, *layers.shape[1:]), dtype=layers.dtype)
        self._sums = np.concatenate((start, np.add.accumulate(layers, axis=0)))
        self._ranges: dict[tuple[int, int], Choices] = {}
        self._frontiers: dict[tuple[int, int, Fraction, int | None], Frontier] = {}

    def execution_ticks(self, budget_s: Fraction) -> int:
        """The longest execution that a time budget allows, with as much again for queueing.

        No layer of a plan takes longer than its slowest batch and share. A budget is cut to the sum of these, so that
        it fits into the same numbers as the times.
        """
        return min(math.floor(budget_s / QUEUEING * self.ticks_per_s), self._slowest)

    def frontier(self, first: int, end: int, rate_rps: Fraction, max_instances: int | None = None) -> Frontier:
        """The cheapest stages of layers `first` to `end` (exclusive) that serve a rate.

        Args:
            first: first layer.
            end: layer behind the last one.
            rate_rps: requests per second to serve.
            max_instances: most instances; None means any number.
        """
        key = first, end, rate_rps, max_instances
        if key not in self._frontiers:
            self._frontiers[key] = _frontier(self.choices(first, end), rate_rps / self.ticks_per_s, max_instances)
        return self._frontiers[key]

    def choices(self, first: int, end: int) -> Choices:
        """All ways to run a range of layers that the server allows, by ascending ticks; there may be none."""
        if (first, end) not in self._ranges:
            least = self.network.least_share_pct(first, end)
            begin = bisect_left(self.network.shares_pct, least)
            ticks = (self._sums[end] - self._sums[first])[:, begin:]
            batch, share = np.meshgrid(self.network.batches, self.network.shares_pct[begin:], indexing="ij")
            order = np.argsort(ticks.ravel(), kind="stable")
            kind = ticks.dtype
            self._ranges[first, end] = Choices(
                ticks.ravel()[order], batch.ravel()[order].astype(kind), share.ravel()[order].astype(kind)
            )
        return self._ranges[first, end]


def _frontier(choices: Choices, per_tick: Fraction, max_instances: int | None) -> Frontier:
    """The choices that serve a rate, given in requests per tick, and are cheaper than all that are as fast."""
    ticks, batch, share = choices.ticks, choices.batch, choices.share_pct
    above, below = per_tick.numerator, per_tick.denominator
    if not len(ticks):
        return Frontier(ticks, np.zeros(0), batch, share)
    if ticks.dtype != object and (above * int(ticks[-1]) >= FITS or below * int(batch.max()) >= FITS):
        ticks, batch, share = (part.astype(object) for part in (ticks, batch, share))
    instances = -(-(above * ticks) // (below * batch))
    total = share * instances
    kind = object if total.dtype == object or int(total.max()) >= SURELY_EXACT else np.float64
    total = total.astype(kind)
    if max_instances is not None:
        total[instances > max_instances] = math.inf
    least = np.minimum.accumulate(total)
    cheaper = np.concatenate((total[:1] < math.inf, total[1:] < least[:-1])).astype(bool)
    kept = np.flatnonzero(cheaper)
    # Among choices of equal time the last one kept is the cheapest.
    last = np.append(ticks[kept][1:] != ticks[kept][:-1], True).astype(bool)
    kept = kept[last] if len(kept) else kept
    return Frontier(choices.ticks[kept], total[kept], batch[kept], share[kept])
