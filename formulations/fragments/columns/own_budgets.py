"""Pricing if each fragment keeps its own time budget, in whole numbers (ours).

Given the re-partition point and the time of the shared stage, heads are independent, since each has the least budget of
its own members. Some best set divides the members of each begin, by falling budget, into consecutive heads: a member
may change places with one of another head with a smaller budget. So a dynamic program visits the fragments of a begin
by falling budget. It leaves each, takes it, or takes it as the last of its head.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from euclio.core.errors import InapplicableError
from formulations.fragments.candidates import TimeUpError
from formulations.fragments.columns.relaxation import Counts, Pricer
from formulations.fragments.columns.tables import NEVER, UNIT, Tables
from formulations.fragments.columns.types import Ints, Types

Choices = npt.NDArray[np.int16]


MOST_OF_BEGIN = 64
"""Most fragments of a begin, because of the number of choices."""


class OwnPricer(Pricer):
    """Prices sets of fragments with their own time budgets; all have one rate.

    Raises:
        InapplicableError: fragments have different rates, or too many begin at one layer.
    """

    def __init__(self, types: Types, tables: Tables) -> None:
        super().__init__(types, tables)
        if types.weight is not None or int(np.diff(self.starts).max()) > MOST_OF_BEGIN:
            raise InapplicableError("time budgets of their own take one rate, and few fragments of a begin")

    def price(self, prices: Ints, deadline: float = math.inf) -> tuple[int, list[tuple[Counts, int]]]:
        """The bound that prices prove, in units, and sets that gain, each with its GPU share in percent.

        A plan has at most as many sets as fragments, and none gains more than the best one.

        Raises:
            TimeUpError: the deadline, a `time.perf_counter` value, has passed.
        """
        types, tables = self.types, self.tables
        items = self.items[::-1]
        # Limits rise within a begin; reversed, and then sorted by begin alone, they fall.
        items = items[np.argsort(types.begin[items], kind="stable")]
        layers = len(tables.shared_start) - 1
        gains, rows = np.zeros(layers, dtype=np.int64), np.zeros(layers, dtype=np.int64)
        members = np.zeros((layers, len(items)), dtype=np.bool_)
        done = best_own_sets(
            tables,
            self.starts,
            types.limit[items],
            prices[items],
            gains,
            rows,
            members,
            deadline,
        )
        if not done:
            raise TimeUpError
        value = sum(int(k) * int(price) for k, price in zip(types.counts, prices, strict=True))
        found = []
        for point in np.flatnonzero(gains > 0).tolist():
            kinds, numbers = np.unique(items[members[point]], return_counts=True)
            column = tuple(zip(kinds.tolist(), numbers.tolist(), strict=True))
            worth = sum(k * int(prices[kind]) for kind, k in column)
            found.append((column, (worth - int(gains[point])) // UNIT))
        return value - len(items) * int(gains.max()), found


@compiled
def best_own_sets(
    tables: Tables,
    item_start: Ints,
    item_limit: Ints,
    item_price: Ints,
    gains: Ints,
    rows: Ints,
    members: npt.NDArray[np.bool_],
    deadline: float,
) -> bool:
    """The set of largest gain for each re-partition point.

    Args:
        tables: least GPU shares of stages.
        item_start: fragments of begin b are those from `item_start[b]` to `item_start[b + 1]`.
        item_limit: per fragment its longest execution in ticks, descending among those of one begin.
        item_price: per fragment its price in units, not negative.
        gains: output, the largest gain by re-partition point in units, 0 if none gains, shape (layers,).
        rows: output, the row of the shared stage of that set, shape (layers,).
        members: output, whether a fragment is in that set, shape (layers, fragments).
        deadline: `clock` value at which to stop.

    Returns:
        Whether the search ended before the deadline.
    """
    groups, layers = len(tables.begins), len(tables.shared_start) - 1
    largest = 0
    for b in range(groups):
        largest = max(largest, item_start[b + 1] - item_start[b])
    size = min(largest, tables.most)
    value = np.zeros((groups, largest + 1, size + 1, size + 1), dtype=np.int64)
    choice = np.zeros((groups, largest + 1, size + 1, size + 1), dtype=np.int16)
    total = np.zeros((groups + 1, tables.most + 1), dtype=np.int64)
    part = np.zeros((groups, tables.most + 1), dtype=np.int64)
    for point in range(tables.begins[0], layers):
        for again in range(2):
            # First the row of the largest gain, then its members.
            first, end = tables.shared_start[point], tables.shared_start[point + 1]
            if again:
                if gains[point] == 0:
                    break
                first, end = rows[point], rows[point] + 1
            for row in range(first, end):
                # The gains so far bound no set, so the caller drops them.
                if is_past(deadline):
                    return False
                # The fragments that pay for the shared stage if heads cost nothing give an upper bound on the gain.
                hoped = 0
                for i in range(item_start[np.searchsorted(tables.begins, point, side="right")]):
                    if item_limit[i] >= tables.shared_ticks[row]:
                        hoped += max(0, item_price[i] - tables.shared_least[row])
                if hoped <= gains[point] and not again:
                    continue
                # The best by number of fragments, begin after begin; `part` remembers the number from the last one.
                total[0, 1:] = -NEVER
                for b in range(groups):
                    total[b + 1, :] = total[b]
                    part[b, :] = 0
                    # A begin behind the re-partition point has no fragment in the set.
                    if tables.begins[b] > point:
                        continue
                    items = slice(item_start[b], item_start[b + 1])
                    heads = slice(tables.own_start[b, point], tables.own_end[b, point])
                    _heads(
                        tables.shared_ticks[row],
                        tables.begins[b] == point,
                        item_limit[items],
                        item_price[items],
                        tables.own_ticks[heads],
                        tables.own_cost[heads],
                        value[b],
                        choice[b],
                    )
                    # No head stays open behind the last fragment, so only gains with whole heads count.
                    own = value[b, item_start[b + 1] - item_start[b], :, 0]
                    for k in range(1, len(own)):
                        if own[k] > 0:
                            for before in range(tables.most - k + 1):
                                found = total[b, before] + own[k]
                                if total[b, before] > -NEVER and found > total[b + 1, before + k]:
                                    total[b + 1, before + k], part[b, before + k] = found, k
                # The set pays once for the shared stage. The second pass repeats the same gain to find its members.
                for k in range(1, tables.most + 1):
                    gain = total[groups, k] - tables.shared_cost[row, k]
                    if gain > gains[point] or (again and gain == gains[point]):
                        gains[point], rows[point] = gain, row
                        if again:
                            _mark(k, part, choice, item_start, members[point])
                            break
    return True


@compiled
def _heads(
    taken: int,
    direct: bool,
    item_limit: Ints,
    item_price: Ints,
    own_ticks: Ints,
    own_cost: Ints,
    value: Ints,
    choice: Choices,
) -> None:
    """The largest gain of a begin's fragments before the shared stage, by fragments in whole heads and in an open one.

    Args:
        taken: time of the shared stage in ticks.
        direct: whether the fragments begin at the re-partition point, so that they have no heads.
        item_limit: their limits, descending.
        item_price: their prices.
        own_ticks: times of heads to the re-partition point.
        own_cost: their share by number of fragments.
        value: output, by visited fragments, fragments in whole heads, and in the open one; -`NEVER` if impossible.
        choice: output for the last visited fragment: 0 left out, -1 in the open head, k the last of a head of k.
    """
    size = value.shape[1] - 1
    value[0, :, :] = -NEVER
    value[0, 0, 0] = 0
    for i in range(len(item_limit)):
        value[i + 1] = value[i]
        choice[i + 1] = 0
        left = item_limit[i] - taken
        if left < 0:
            continue
        at = np.searchsorted(own_ticks, left, side="right") - 1
        for whole in range(size + 1):
            for opened in range(size + 1 - whole):
                before = value[i, whole, opened]
                number = whole + opened + 1
                if before == -NEVER or number > size:
                    continue
                gain = before + item_price[i]
                # Fragments that begin at the re-partition point have no head that could stay open.
                if not direct and gain > value[i + 1, whole, opened + 1]:
                    value[i + 1, whole, opened + 1], choice[i + 1, whole, opened + 1] = gain, -1
                cost = 0 if direct else own_cost[at, opened + 1] if at >= 0 else NEVER
                if cost < NEVER and gain - cost > value[i + 1, number, 0]:
                    value[i + 1, number, 0], choice[i + 1, number, 0] = gain - cost, opened + 1


@compiled
def _mark(number: int, part: Ints, choice: Choices, item_start: Ints, members: npt.NDArray[np.bool_]) -> None:
    """Mark the members of the best set of so many fragments."""
    members[:] = False
    for b in range(len(part) - 1, -1, -1):
        whole, opened = part[b, number], 0
        number -= whole
        i = item_start[b + 1] - item_start[b]
        while i > 0 and whole + opened > 0:
            what = choice[b, i, whole, opened]
            if what != 0:
                members[item_start[b] + i - 1] = True
            if what == -1:
                opened -= 1
            elif what > 0:
                whole, opened = whole - what, what - 1
            i -= 1
