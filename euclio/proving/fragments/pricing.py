"""Gains of sets of fragments at given prices, exactly: the largest gain for every least time budget (ours).

A set's gain is the prices of its fragments less its GPU share. Given the least limit of its fragments (execution time
that their budgets allow), the re-partition point and the time of the shared stage, the share is a sum: heads by begin,
and the shared stage by units of all. So a knapsack over units chooses the fragments of each begin, and begins are
combined by their numbers of units. All numbers are whole, prices and shares in parts of a percent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.space import FragmentSpace
from euclio.proving.effort import GivenUpError

# Least GPU shares of stages by time and load, as tables of whole numbers (ours).

Whole = npt.NDArray[np.int64]
NEVER = 2**40
"""The GPU share, in percent, of a stage that is not fast enough; far above those of plans, far below 64 bits."""
FITS = 2**62
MOST_UNITS = 3000
"""Units of all fragments together beyond which tables would grow too large."""


class TooLargeError(GivenUpError):
    """Numbers or tables do not fit."""

    def __init__(self) -> None:
        super().__init__("the prover's numbers do not fit into 64 bits, or its tables get too large")


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
        """The same, where units may be divided among stages in the cheapest way.

        If rates differ, no division of fragments may reach that; it is then a lower bound.
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
        # They are cut before multiplying: a product beyond 64 bits could be any number, even one below the share.
        total = np.minimum(instances, NEVER) * share[:, None]
        if self._most is not None:
            total[instances > self._most] = NEVER
        least = np.minimum.accumulate(np.minimum(total, NEVER), axis=0)
        # Of equal times the last row has the least of all.
        last = np.append(ticks[1:] != ticks[:-1], True)
        ticks, least = ticks[last], least[last]
        # A row in which nothing changes equals the one before it.
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


UNIT = 2**20
"""Parts of a percent that prices are whole numbers of."""
OUT = -(2**60)
"""The value of an impossible choice; sums of a few such still fit."""


class Column(NamedTuple):
    """A set that gains.

    Attributes:
        fragments: places of its fragments.
        share_pct: a GPU share that it has at least; its own where all rates are equal.
    """

    fragments: tuple[int, ...]
    share_pct: int


@dataclass(frozen=True, slots=True)
class Begin:
    """The fragments that begin at one layer, by falling limit.

    Attributes:
        layer: the layer.
        places: their places in the fleet.
        limits: their limits in ticks, shape (n,).
        units: their units.
    """

    layer: int
    places: tuple[int, ...]
    limits: Whole
    units: tuple[int, ...]

    def among(self, limit: int) -> int:
        """How many have at least this limit."""
        # Limits fall, and the search wants rising numbers: so all of them with their signs changed.
        return int(np.searchsorted(-self.limits, -limit, side="right"))


class _Chosen:
    """The best choices among the first fragments of a begin by units.

    Attributes:
        worth: prices of the best choice, `OUT` where there is none; shape (n + 1, units + 1).
    """

    def __init__(self, begin: Begin, prices: Whole) -> None:
        self._begin = begin
        self.worth = np.full((len(begin.places) + 1, sum(begin.units) + 1), OUT, dtype=np.int64)
        self.worth[0, 0] = 0
        for k, (place, units) in enumerate(zip(begin.places, begin.units, strict=True)):
            before, after = self.worth[k], self.worth[k + 1]
            after[:] = before
            np.maximum(after[units:], before[:-units] + prices[place], out=after[units:])

    def fragments(self, among: int, units: int) -> list[int]:
        """Places of the best choice with so many units."""
        found = []
        for k in range(among, 0, -1):
            # The value changed at this fragment, so the choice has it.
            if self.worth[k, units] != self.worth[k - 1, units]:
                found.append(self._begin.places[k - 1])
                units -= self._begin.units[k - 1]
        return found


class Pricing:
    """Prices the sets of a fleet.

    Attributes:
        costs: least GPU shares.
        limits: the different limits, falling.
        members: number of fragments of each limit.
    """

    def __init__(self, fleet: Fleet, space: FragmentSpace) -> None:
        self.costs = Costs(fleet, space)
        own = self.costs.limits
        self.limits = sorted(set(own), reverse=True)
        self.members = [own.count(limit) for limit in self.limits]
        # If rates differ, units do not give the number of fragments; more than allowed is then a bound too.
        self._most = space.max_members if set(self.costs.units) == {1} else None
        layers = sorted({fragment.partition_point for fragment in fleet.fragments})
        self.begins = [_begin(fleet, self.costs, layer) for layer in layers]

    def gains(self, prices: Whole) -> tuple[list[int], list[Column]]:
        """The largest gain of a set of each least limit, at least 0, and sets that gain.

        Args:
            prices: prices of the fragments in parts of a percent, not negative, shape (fragments,).
        """
        chosen = [_Chosen(begin, prices) for begin in self.begins]
        gains, columns = [], []
        for limit in self.limits:
            best = 0
            for point in range(self.begins[0].layer, self.costs.layers):
                gain, column = self._at(chosen, limit, point, best)
                if column is not None:
                    columns.append(column)
                best = max(best, gain)
            gains.append(best)
        return gains, columns

    def _at(self, chosen: list[_Chosen], limit: int, point: int, least: int) -> tuple[int, Column | None]:
        """The largest gain above `least` at a limit and a re-partition point, and a set that has it."""
        shared = self.costs.stages(point, self.costs.layers, self.costs.total)
        rows = int(np.searchsorted(shared.ticks, limit, side="right"))
        brought = [
            (begin, k, among)
            for k, begin in enumerate(self.begins)
            if begin.layer <= point and (among := begin.among(limit))
        ]
        if not rows or not brought:
            return 0, None
        total = sum(sum(begin.units[:among]) for begin, _, among in brought)
        share = shared.share_pct[:rows, : total + 1] * UNIT
        worth = [
            self._worth(begin, chosen[k], among, limit - shared.ticks[:rows], point) for begin, k, among in brought
        ]
        # If each unit pays the least share per unit, begins gain apart from each other, and at least as much.
        per_unit = (share[:, 1:] // np.arange(1, total + 1)).min(axis=1)
        bound = sum(np.maximum((own - per_unit[:, None] * np.arange(own.shape[1])).max(axis=1), 0) for own in worth)
        best, found = least, None
        for row in np.argsort(-bound, kind="stable").tolist():
            # Rows come by falling bound: no later row gains more.
            if bound[row] <= best:
                break
            together = [own[row] for own in worth]
            gain, taken = self._together(together, share[row])
            if gain > best:
                best, found = gain, (row, taken)
        if found is None:
            return 0, None
        row, taken = found
        fragments = [
            place
            for (_, k, among), units in zip(brought, taken, strict=True)
            for place in chosen[k].fragments(among, units)
        ]
        value = sum(int(own[row][units]) for own, units in zip(worth, taken, strict=True)) - best
        heads = sum(
            int(chosen[k].worth[among, units]) - int(own[row][units])
            for (_, k, among), own, units in zip(brought, worth, taken, strict=True)
        )
        return best, Column(tuple(sorted(fragments)), (value + heads) // UNIT)

    def _worth(self, begin: Begin, chosen: _Chosen, among: int, left: Whole, point: int) -> Whole:
        """Prices less heads of the best choice of a begin, by time left and units, shape (rows, units + 1)."""
        units = sum(begin.units[:among])
        worth = chosen.worth[among, : units + 1]
        if begin.layer == point:
            return np.broadcast_to(worth, (len(left), units + 1))
        heads = self.costs.heads(begin.layer, point, sum(begin.units))
        gained: Whole = np.maximum(worth - _within(heads, left)[:, : units + 1] * UNIT, OUT)
        return gained

    def _together(self, worth: list[Whole], share: Whole) -> tuple[int, list[int]]:
        """The largest gain of begins together under one shared stage, and the units that each brings."""
        sums = [worth[0]]
        for own in worth[1:]:
            sums.append(_summed(sums[-1], own))
        gain = sums[-1] - share
        if self._most is not None:
            gain = gain[: self._most + 1]
        units = int(np.argmax(gain))
        best, taken = int(gain[units]), []
        for before, own, after in zip(sums[-2::-1], worth[:0:-1], sums[:0:-1], strict=True):
            # Only numbers of units that both parts together can have.
            low = max(0, units - len(before) + 1)
            high = min(units, len(own) - 1)
            pairs = own[low : high + 1] + before[units - high : units - low + 1][::-1]
            mine = low + int(np.argmax(pairs))
            assert int(pairs.max()) == int(after[units])
            taken.append(mine)
            units -= mine
        return best, [units, *taken[::-1]]


def _begin(fleet: Fleet, costs: Costs, layer: int) -> Begin:
    own = [k for k, fragment in enumerate(fleet.fragments) if fragment.partition_point == layer]
    own.sort(key=lambda k: -costs.limits[k])
    limits = np.array([costs.limits[k] for k in own], dtype=np.int64)
    return Begin(layer, tuple(own), limits, tuple(costs.units[k] for k in own))


def _within(steps: Steps, ticks: Whole) -> Whole:
    """Least shares within times, by units; shape (times, units + 1)."""
    place = np.searchsorted(steps.ticks, ticks, side="right")
    # The row before all times, within which no stage is as fast; to serve nothing costs nothing.
    slowest = np.full((1, steps.share_pct.shape[1]), NEVER, dtype=np.int64)
    slowest[0, 0] = 0
    return np.concatenate((slowest, steps.share_pct))[place]


def _summed(a: Whole, b: Whole) -> Whole:
    """The largest sum of an entry of each by the sum of their places."""
    if len(b) > len(a):
        a, b = b, a
    found = np.full(len(a) + len(b) - 1, 2 * OUT, dtype=np.int64)
    for k, value in enumerate(b.tolist()):
        np.maximum(found[k : k + len(a)], a + value, out=found[k : k + len(a)])
    # Impossible choices keep one value, so that sums of such values stay within 64 bits.
    return np.maximum(found, OUT)
