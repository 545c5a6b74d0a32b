"""Nasty legal numbers: what people and programs write, one unit of the last digit off, and the supported extremes.

Every number is a decimal that a file can hold (at most 40 characters), from 1e-12 to 1e12.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from random import Random

SMALLEST, LARGEST = Fraction(1, 10**12), Fraction(10**12)
MOST_DIGITS = 24
"""Significant digits of the longest decimal drawn; with point and exponent it stays below 40 characters."""

PLAIN_PRICES = ("1", "1", "1.5", "2.07", "3.06", "0.7", "0.53", "4.2")


def printed(value: Fraction | float) -> Decimal:
    """The number as a float prints it, which is just above, just below or at the value."""
    return Decimal(repr(float(value)))


def next_float(value: Fraction | float, steps: int) -> Decimal:
    """The float that is so many steps above (below, if negative) the nearest one, as it prints."""
    found = float(value)
    for _ in range(abs(steps)):
        found = math.nextafter(found, math.inf if steps > 0 else 0.0)
    return Decimal(repr(found))


def terminating(value: Fraction) -> Decimal | None:
    """The decimal that equals a fraction, if it has one of at most `MOST_DIGITS` digits."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return None
    found = cut(value, MOST_DIGITS, 0)
    return found if Fraction(found) == value else None


def cut(value: Fraction, digits: int, units: int) -> Decimal:
    """A positive fraction cut to so many significant digits, plus some units of the last one."""
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    if value < Fraction(10) ** exponent:
        exponent -= 1
    unit = Fraction(10) ** (exponent + 1 - digits)
    return Decimal(max(1, value // unit + units)).scaleb(exponent + 1 - digits)


def supported(value: Decimal | Fraction) -> bool:
    """Whether a number above 0 is one that instances may hold."""
    return SMALLEST <= Fraction(value) <= LARGEST


def nearly(rng: Random, value: Fraction) -> Decimal:
    """A decimal at a positive value, or as near to it as its last digit can be."""
    exact = terminating(value)
    kind = rng.randrange(8)
    if kind <= 1 and exact is not None:
        return exact
    if kind == 2 and exact is not None:  # one unit of its own last digit off
        unit = Decimal(1).scaleb(min(0, int(exact.normalize().as_tuple().exponent)))
        return max(exact + rng.choice((-1, 1)) * unit, unit)
    if kind == 3:
        return next_float(value, rng.choice((-1, 1)))
    if kind == 4:
        return cut(value, rng.choice((6, 17, MOST_DIGITS)), rng.choice((0, 1)))
    return printed(value)


def spread(rng: Random, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return math.exp(math.log(low) + (math.log(high) - math.log(low)) * rng.random())


def digits(rng: Random, value: float) -> Decimal:
    """A positive number with 1, 2, 3 or all of its digits."""
    count = rng.choice((1, 1, 2, 3, 17))
    return Decimal(f"{value:.{count - 1}e}") if count < 17 else Decimal(repr(value))


def price(rng: Random) -> Decimal:
    """A price: mostly plain, now and then zero, tiny or huge."""
    kind = rng.randrange(12)
    if kind == 0:
        return Decimal(0)
    if kind == 1:
        return rng.choice((Decimal("1e-12"), Decimal("1e12"), Decimal("1e-7"), Decimal("1e7")))
    if kind == 2:
        return digits(rng, spread(rng, 1.1e-12, 9e11))
    if kind == 3:
        return digits(rng, spread(rng, 0.01, 100))
    return Decimal(rng.choice(PLAIN_PRICES))


def prices(rng: Random, count: int) -> list[Decimal]:
    """Prices of an instance: often all equal, often plain, sometimes anything."""
    kind = rng.randrange(4)
    if kind == 0:
        return [price(rng)] * count
    if kind <= 2:
        return [Decimal(rng.choice(PLAIN_PRICES)) for _ in range(count)]
    return [price(rng) for _ in range(count)]
