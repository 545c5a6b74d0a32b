"""Whether whole machines for some money can take some rate, in numbers of machines by price (compiled, ours).

If a plan ends with dummies, its machines are whole ones. At the best unit cost the rate may be affordable, and yet not
with whole machines: twelve of them are too few, and a thirteenth costs too much. Of the machines of one price the ones
with the most throughput take the most, so only the number of machines of each price is tried.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats
from formulations.session.module.problem import PRICE, THROUGHPUT, ModuleProblem

MOST_PRICES = 3
"""The most different prices of machines for which numbers of machines are tried."""
MOST_TRIED = 8.0
"""The most numbers of machines that are tried; if there are more, none is ruled out, as a node would take too long."""


@compiled
def look_up_covers(p: ModuleProblem, covers: Floats) -> None:
    """Write the largest throughput of each price from each configuration on, and in the last row the prices per hour.

    All prices stay zero if one of them is, or if there are more: then `may_cover` rules nothing out.

    Args:
        p: the module at one budget.
        covers: zeros, shape (configurations kept + 2, `MOST_PRICES`).
    """
    size, prices = p.configuration.size, 0
    price = covers[size + 1]
    for j in range(size - 1, -1, -1):
        h = 0
        while h < prices and price[h] != p.table[PRICE, j]:
            h += 1
        if h == MOST_PRICES or p.table[PRICE, j] <= 0.0:
            price[:] = 0.0
            return
        price[h], prices = p.table[PRICE, j], max(prices, h + 1)
        for i in range(prices):
            covers[j, i] = covers[j + 1, i]
        covers[j, h] = max(covers[j, h], p.table[THROUGHPUT, j])


@compiled
def may_cover(covers: Floats, j: int, rate: float, money: float) -> bool:
    """Whether whole machines of configuration j and later ones may take a rate for some money; if not, it is proven.

    Args:
        covers: the machines of the module by price (`look_up_covers`).
        j: the first configuration, as a number among those kept.
        rate: requests per second, a little less if it was rounded.
        money: per hour, a little more if it was rounded.
    """
    last = covers.shape[0] - 1
    # The prices are unknown, or no rate is needed.
    if covers[last, 0] == 0.0 or rate <= 0.0:
        return True
    best = 0
    for h in range(1, MOST_PRICES):
        if covers[j, h] * covers[last, best] > covers[j, best] * covers[last, h]:
            best = h
    throughput, price = covers[j, best], covers[last, best]
    # No configuration is left.
    if throughput == 0.0:
        return False
    # The most that machines of other prices may lose against the best unit cost, which bounds their number.
    unit = price / throughput
    spare = money - unit * rate + TIE * money
    if spare < 0.0:
        return False
    # The other two of 0, 1 and 2.
    one = 1 if best == 0 else 0
    two = 3 - best - one
    most_one, most_two = _most(covers, j, one, unit, spare, money), _most(covers, j, two, unit, spare, money)
    if (most_one + 1.0) * (most_two + 1.0) > MOST_TRIED:
        return True
    for n in range(int(most_one) + 1):
        for k in range(int(most_two) + 1):
            # The rest of the money is for machines of the best unit cost.
            left = money - n * covers[last, one] - k * covers[last, two]
            if left < 0.0:
                break
            if n * covers[j, one] + k * covers[j, two] + np.floor(left / price) * throughput >= rate:
                return True
    return False


@compiled
def _most(covers: Floats, j: int, h: int, unit: float, spare: float, money: float) -> float:
    """The most machines of price h that the money pays for and that lose no more than `spare` against `unit`."""
    if covers[j, h] == 0.0:
        return 0.0
    price = covers[covers.shape[0] - 1, h]
    lost = price - unit * covers[j, h]
    most = money / price
    # Rounding makes neither number too small: the loss has its margin, and so has the money.
    return float(np.floor(min(most, spare / lost) if lost > 0.0 else most))
