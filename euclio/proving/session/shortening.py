"""Frontiers with fewer corners and shorter numbers, which still reach a cutoff: their proofs are shorter (ours).

All that is done here makes frontiers weaker: corners are put together, costs and latencies rounded down. So whatever is
proven of what comes out holds of what went in, and only whether the cutoff is still reached has to be tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.proving.files.branching import relaxed
from euclio.proving.files.model import ZERO
from euclio.proving.files.rounding import DECIMALS, decimals, lowered
from euclio.proving.session.frontiers import Corner, Frontiers, waits

LATENCY_DIGITS = (4, 6, 9)
"""Digits of the SLO that latencies are rounded down to, roughest first; after that they stay as they are."""
MOST_LATENCY_DIGITS = 12
"""The same where a program is only to be written down, and nothing is to become shorter."""


def shorter(found: Frontiers, cutoff: Fraction, room: Fraction) -> Iterator[Frontiers]:
    """Weaker frontiers, the weakest first and those themselves last.

    Args:
        found: frontiers.
        cutoff: cost per hour that is to be proven.
        room: what these are known to cost more than the cutoff, per hour; 0: costs may not be rounded.
    """
    if room > 0:
        digits = decimals(room / 2 / len(found.corners))
        for some in LATENCY_DIGITS:
            behind = decimals(found.session.slo_s / 10**some)
            yield _merged(_lowered(found, digits, behind), cutoff + room / 4)
        yield _merged(_lowered(found, digits, None), cutoff + room / 4)
    yield found


def in_decimals(found: Frontiers, room: Fraction) -> Frontiers:
    """All corners, costs and latencies rounded down to decimals.

    Args:
        found: frontiers.
        room: money per hour, above 0, of which all costs together lose less than half.
    """
    behind = decimals(found.session.slo_s / 10**MOST_LATENCY_DIGITS)
    return _lowered(found, decimals(room / 2 / len(found.corners)), behind)


def _lowered(found: Frontiers, cost_digits: int, latency_digits: int | None) -> Frontiers:
    """Costs and latencies rounded down (None: not those); of corners that begin together the cheapest is enough."""
    rows = []
    for some in found.corners:
        cheapest: dict[tuple[int, Fraction], Fraction] = {}
        for one in some:
            at = one.part, one.low if latency_digits is None else lowered(one.low, latency_digits)
            cost = lowered(one.cost, cost_digits)
            cheapest[at] = min(cost, cheapest.get(at, cost))
        rows.append(tuple(Corner(low, cost, part) for (part, low), cost in cheapest.items()))
    return replace(found, corners=tuple(rows))


def _merged(found: Frontiers, target: Fraction) -> Frontiers:
    """Neighbours put together where together they are still in no choice below the target, by the relaxation's prices.

    A corner whose reduced cost lifts the relaxation to the target needs no closer look, and no more digits than that.
    """
    optimum = relaxed(found.model())
    if optimum is None:
        return found
    modules = len(found.corners)
    room = float(target) - optimum.cost
    # What the relaxation has too much is shared, since a choice may have a merged corner of every module.
    room = room if room > 0 else room / modules
    # What a second more of a module's latency costs: the prices of all rows that it stands in, which are not above 0.
    price_of_time = [0.0] * modules
    for (m, _), price in zip(waits(found.session), optimum.prices[modules:], strict=False):
        price_of_time[m] -= float(price)
    # What a corner is worth alone: the price of the row that one is taken, and of those that keep it to its part.
    worth = [[float(optimum.prices[m])] * found.parts for m in range(modules)]
    for (m, part), price in zip(found.links(), optimum.prices[len(optimum.prices) - len(found.links()) :], strict=True):
        worth[m][part] += float(price)
        worth[0][part] -= float(price)
    rows = []
    for some, own, time in zip(found.corners, worth, price_of_time, strict=True):
        rows.append(_merged_row(some, [room + one for one in own], time))
    return replace(found, corners=tuple(rows))


def _merged_row(some: tuple[Corner, ...], needed: list[float], price_of_time: float) -> tuple[Corner, ...]:
    """The same of one module: a corner's cost and its latency's price have to come to what is needed, or it stays.

    Args:
        some: the module's corners.
        needed: money per hour, by part.
        price_of_time: money per hour and second.
    """
    row = []
    first = 0
    while first < len(some):
        low, part = some[first].low, some[first].part
        least = needed[part] - price_of_time * float(low)
        last = first
        while last < len(some) and some[last].part == part and float(some[last].cost) >= least:
            last += 1
        # It does not even come to what is needed by itself, so that it stays as it is.
        if last == first:
            row.append(some[first])
            first += 1
        else:
            row.append(Corner(low, _shortest(min(one.cost for one in some[first:last]), least), part))
            first = last
    return tuple(row)


def _shortest(cost: Fraction, least: float) -> Fraction:
    """The cost rounded down to as few digits as leave it what is needed; no cost is below 0."""
    if least <= 0:
        return ZERO
    return next((low for n in DECIMALS if (low := lowered(cost, n)) >= least), cost)
