"""Exact numbers: everything that the checker compares is a fraction made from decimal text."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

Number = int | float | str | Decimal | Fraction

MOST_EXACT_DENOMINATOR = 10**60
"""Fractions with larger denominators are written rounded."""


def exact(value: Number) -> Fraction:
    """The exact value of a number as it is written.

    A float stands for its shortest decimal text (``0.1`` is one tenth), so that a number typed in
    Python and the same number read from a file are equal.

    Raises:
        ValueError: the value is not a finite number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        return Fraction(value)
    text = repr(float(value)) if isinstance(value, float) else str(value)
    try:
        return Fraction(Decimal(text))
    except (ArithmeticError, ValueError):
        raise ValueError(f"{value} is not a finite number") from None


def decimal_text(value: Fraction, digits: int = 15) -> str:
    """The decimal text of a fraction: exact where it terminates, else ``digits`` significant digits."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and value.denominator < MOST_EXACT_DENOMINATOR:
        places = 0
        while 10**places % value.denominator:
            places += 1
        scaled = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        whole = ("-" if value < 0 else "") + scaled[: len(scaled) - places]
        return f"{whole}.{scaled[len(scaled) - places :]}" if places else whole
    return f"{float(value):.{digits}g}"


def rounded_up(value: Fraction, digits: int = 9) -> Fraction:
    """The next number, at or above a positive one, with this many significant decimal digits."""
    unit = Fraction(10) ** (math.floor(math.log10(value)) + 1 - digits)
    return math.ceil(value / unit) * unit
