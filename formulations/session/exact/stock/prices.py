"""Prices on stock that promise a better bound, from the plans that a search has found (ours).

A plan is worth its cost and λ times what it has beyond the stock, so along the price of one type the least of the
plans' values is a concave line with corners.
"""

from __future__ import annotations

import math

import numpy as np

from euclio.problems.session.arrays import Floats
from formulations.tolerances import SUMS

MOST_PRICE = 16.0
"""Prices on stock are raised to this many times the machine's own at most, while no plan keeps to the stock and it is
not known what plans cost at most."""
PAST = 1.001
"""Factor on the price at which all plans known would reach what is enough."""
MOST_ENOUGH = 1e4
"""Prices are no more than this many times what is enough, or the bound would be lost in rounding."""


def better_price(cost: Floats, beyond: Floats, price: Floats, scale: Floats, enough: float) -> Floats | None:
    """The prices at which the plans known promise the best bound, one type after the other.

    Args:
        cost: what plans cost per hour, shape (plans,); the last one was found last.
        beyond: machines that they have beyond the stock, below 0 where they leave some, shape (plans, types).
        price: the prices now, shape (types,).
        scale: first prices to try, shape (types,).
        enough: a bound of this much settles everything; infinite means that it is not known what does.

    Returns:
        The prices; None means that no others promise more than those given.
    """
    now = float((cost + beyond @ price).min())
    # The type first of which the plan found last has most too many or leaves most.
    for kind in np.argsort(-np.abs(beyond[-1])):
        fixed = cost + beyond @ price - beyond[:, kind] * price[kind]
        best, at = now, price[kind]
        for candidate in _corners(fixed, beyond[:, kind], price[kind], scale[kind], enough):
            value = float((fixed + candidate * beyond[:, kind]).min())
            # A gain within rounding is none, or prices would never settle.
            if value > best + SUMS * abs(best):
                best, at = value, candidate
        if at != price[kind]:
            return np.where(np.arange(price.size) == kind, at, price)
    return None


def _corners(fixed: Floats, slope: Floats, price: float, scale: float, enough: float) -> list[float]:
    """Prices at which the least of lines may have its top: where two of them cross, 0, or further up than all.

    Args:
        fixed: what the lines begin at, shape (lines,).
        slope: how they rise, shape (lines,).
        price: the price now.
        scale: a first price to try.
        enough: what all lines together need not exceed; infinite means any.
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
    # Far above that, all other machines that could take its place are taken by the thousand: boxes say more.
    elif not falling.any() and price < MOST_PRICE * scale:
        found.append(max(2.0 * price, scale))
    return found
