"""Prices on stock that promise a better bound, from the plans that a search has found (ours).

The value of a plan is its cost plus λ times its excess over the stock. So along the price of one type the least of the
plans' values is a concave line with corners.
"""

from __future__ import annotations

import math

import numpy as np

from euclio.problems.session.arrays import Floats
from formulations.tolerances import SUMS

MOST_PRICE = 16.0
"""The largest price on stock as a multiple of the machine's own price, as long as no plan keeps the stock and the
largest cost of plans is unknown."""
PAST = 1.001
"""Factor on the price at which all known plans would reach what is enough."""
MOST_ENOUGH = 1e4
"""The largest price as a multiple of what is enough; beyond it the bound would be lost in rounding."""


def better_price(cost: Floats, beyond: Floats, price: Floats, scale: Floats, enough: float) -> Floats | None:
    """The prices at which the known plans promise the best bound, one type after the other.

    Args:
        cost: cost per hour of plans, shape (plans,); the last one was found last.
        beyond: machines that they have beyond the stock, below 0 if they leave some, shape (plans, types).
        price: the current prices, shape (types,).
        scale: first prices to try, shape (types,).
        enough: a bound that settles everything; infinite means that no such bound is known.

    Returns:
        The prices; None means that no others promise more than the given ones.
    """
    now = float((cost + beyond @ price).min())
    # First the type of which the last plan has the largest excess or leaves most.
    for kind in np.argsort(-np.abs(beyond[-1])):
        fixed = cost + beyond @ price - beyond[:, kind] * price[kind]
        best, at = now, price[kind]
        for candidate in _corners(fixed, beyond[:, kind], price[kind], scale[kind], enough):
            value = float((fixed + candidate * beyond[:, kind]).min())
            # A gain within rounding does not count, or prices would never settle.
            if value > best + SUMS * abs(best):
                best, at = value, candidate
        if at != price[kind]:
            return np.where(np.arange(price.size) == kind, at, price)
    return None


def _corners(fixed: Floats, slope: Floats, price: float, scale: float, enough: float) -> list[float]:
    """Prices at which the least of lines may have its top: where two of them cross, 0, or above all crossings.

    Args:
        fixed: value of each line at price 0, shape (lines,).
        slope: slope of each line, shape (lines,).
        price: the current price.
        scale: a first price to try.
        enough: value that all lines together need not exceed; infinite means any.
    """
    found, most = [0.0], MOST_ENOUGH * max(scale, enough)
    rising, falling = slope > 0, slope <= 0
    for i in np.flatnonzero(rising):
        for j in np.flatnonzero(falling):
            cross = (fixed[j] - fixed[i]) / (slope[i] - slope[j])
            if 0.0 < cross <= most:
                found.append(float(cross))
    if not falling.any() and math.isfinite(enough):
        found.append(min(PAST * float(((enough - fixed) / slope).max()), most))
    # Far above that, thousands of the other possible machines are in use: boxes prove more.
    elif not falling.any() and price < MOST_PRICE * scale:
        found.append(max(2.0 * price, scale))
    return found
