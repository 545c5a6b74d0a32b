"""The least that whole machines cost together, from some amount on (ours).

What is charged in whole machines costs a sum of their prices. So a bound that lies between two such sums may be raised
to the larger one.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, gcd, lcm

MOST_UNITS = 1 << 22
"""Sums are not looked for where there are more multiples of the largest unit that divides all prices."""


def least_sum(prices: Iterable[Fraction], amount: Fraction) -> Fraction:
    """The least sum of prices, each taken any number of times, that is no less than an amount above 0.

    Args:
        prices: money per hour by hardware type; those that are 0 do not count.
        amount: money per hour.

    Returns:
        The sum, exactly; the amount itself where there are too many sums, or all prices are 0.
    """
    paid = sorted({price for price in prices if price})
    if not paid or amount <= 0:
        return amount
    unit = Fraction(gcd(*(price.numerator for price in paid)), lcm(*(price.denominator for price in paid)))
    # gcd of numerators over lcm of denominators divides all prices, if perhaps it is not the largest unit that does.
    sizes = [int(price / unit) for price in paid]
    asked = ceil(amount / unit)
    most = asked + sizes[0]
    if most > MOST_UNITS:
        return amount
    # Bit i says whether i units are a sum. One that is no less than asked for is below `most`: add the cheapest.
    sums, mask = 1, (1 << most + 1) - 1
    for size in sizes:
        while size <= most:
            sums |= sums << size & mask
            size *= 2
    above = sums >> asked
    return (asked + (above & -above).bit_length() - 1) * unit
