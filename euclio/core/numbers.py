"""Exact numbers: everything that the checker compares is a fraction made from decimal text."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from euclio.core.errors import InputError

Number = int | float | str | Decimal | Fraction

MOST_EXACT_DENOMINATOR = 10**60
"""Fractions with larger denominators are written rounded."""

LARGEST = 10**12
"""Inputs lie between the inverse of this and this."""


def exact(value: Number) -> Fraction:
    """The exact value of a number as it is written.

    A float stands for its shortest decimal text (``0.1`` is one tenth), so that a number typed in
    Python and the same number read from a file are equal.

    Raises:
        ValueError: the value is not a finite number.
    """
    try:
        if isinstance(value, Decimal | int):
            return Fraction(value)
        if isinstance(value, Fraction):
            return value
        return Fraction(Decimal(repr(float(value)) if isinstance(value, float) else str(value)))
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


def exact_number(value: Number, field: str, *, zero: bool = False) -> Fraction:
    """The exact value of an input above 0 (with `zero`: or 0), from 1e-12 to 1e12.

    Raises:
        InputError: it is not; names the field.
    """
    try:
        number = exact(value)
    except ValueError as error:
        raise InputError(f"{error}; give a finite decimal number", field=field) from None
    # Whole numbers are compared, not fractions: files hold thousands of numbers.
    above, below = number.numerator, number.denominator
    if above < 0 or (above == 0 and not zero):
        raise InputError(f"is {value}; it must be {'at least' if zero else 'greater than'} 0", field=field)
    if above and not (below <= above * LARGEST and above <= below * LARGEST):
        raise InputError(f"is {value}; magnitudes from 1e-12 to 1e12 are supported, check the unit", field=field)
    return number


def whole_number(value: int, field: str) -> int:
    """A whole number from 1 to 1000000, as it was given.

    Raises:
        InputError: it is not; names the field.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10**6:
        raise InputError(f"is {value}; it must be a whole number from 1 to 1000000", field=field)
    return value


def short(value: float, digits: int = 3) -> Fraction:
    """A number cut to a few significant digits, as a person would write it."""
    return exact(f"{value:.{digits}g}")
