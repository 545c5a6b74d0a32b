"""Exact numbers: everything that the checker compares is a fraction made from decimal text."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from euclio.core.errors import InputError

Number = int | float | str | Decimal | Fraction

LONGEST_NUMBER = 40
"""Characters of the longest number that files can hold."""

MOST_DIGITS = 2000
"""Digits of the longest numerator or denominator in a text such as ``49999997/3000000``."""

_FRACTION = re.compile(rf"(-?[0-9]{{1,{MOST_DIGITS}}})/([0-9]{{1,{MOST_DIGITS}}})")

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


def decimal_text(value: Fraction) -> str:
    """A fraction as decimal text for files: exact if such a text exists, else in 15 digits."""
    text = exact_decimal_text(value)
    return f"{float(value):.15g}" if text is None else text


def exact_decimal_text(value: Fraction) -> str | None:
    """The decimal text that equals a fraction; None if none has at most `LONGEST_NUMBER` characters.

    Every number read from a file has one: if it is too long without an exponent, its digits with an exponent are its
    shortest text.
    """
    places = _decimal_places(value.denominator)
    if places is None:
        return None
    scaled = abs(value.numerator) * 10**places // value.denominator
    if scaled >= 10**MOST_DIGITS:
        return None
    sign, digits = "-" if value < 0 else "", str(scaled)
    padded = digits.rjust(places + 1, "0")
    text = f"{sign}{padded[: len(padded) - places]}.{padded[len(padded) - places :]}" if places else sign + digits
    if len(text) > LONGEST_NUMBER:
        short = digits.rstrip("0")
        text = f"{sign}{short}e{len(digits) - len(short) - places}"
    return text if len(text) <= LONGEST_NUMBER else None


def _decimal_places(denominator: int) -> int | None:
    """The fewest decimal places for a denominator; None if the decimals never end or are too long for files."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    return places if rest == 1 and places <= MOST_DIGITS else None


def fraction_text(value: Fraction) -> str:
    """A fraction as text that equals it, such as ``49999997/3000000``."""
    return f"{value.numerator}/{value.denominator}"


def fraction_of(text: str) -> Fraction | None:
    """The fraction in a text that `fraction_text` wrote; None if there is none."""
    found = _FRACTION.fullmatch(text)
    return Fraction(int(found[1]), int(found[2])) if found and int(found[2]) else None


def has_text(value: Fraction) -> bool:
    """Whether a fraction is short enough for `fraction_text`."""
    limit: int = 10**MOST_DIGITS
    return max(abs(value.numerator), value.denominator) < limit


def rounded_up(value: Fraction, digits: int = 9) -> Fraction:
    """The next number, at or above a positive one, with this many significant decimal digits."""
    unit = Fraction(10) ** (math.floor(math.log10(value)) + 1 - digits)
    return math.ceil(value / unit) * unit


def exact_number(value: Number, field: str, *, zero: bool = False) -> Fraction:
    """The exact value of an input above 0 (with `zero`: or 0), from 1e-12 to 1e12.

    Raises:
        InputError: it is outside; the error names the field.
    """
    try:
        number = exact(value)
    except ValueError as error:
        raise InputError(f"{error}; give a finite decimal number", field=field) from None
    # Comparing whole numbers is faster than comparing fractions: files hold thousands of numbers.
    above, below = number.numerator, number.denominator
    if above < 0 or (above == 0 and not zero):
        raise InputError(f"is {value}; it must be {'at least' if zero else 'greater than'} 0", field=field)
    if above and not (below <= above * LARGEST and above <= below * LARGEST):
        raise InputError(f"is {value}; magnitudes from 1e-12 to 1e12 are supported, check the unit", field=field)
    return number


def whole_number(value: int, field: str) -> int:
    """A whole number from 1 to 1000000, as it was given.

    Raises:
        InputError: it is no such number; the error names the field.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10**6:
        raise InputError(f"is {value}; it must be a whole number from 1 to 1000000", field=field)
    return value


def count_number(value: int, field: str) -> int:
    """A count of at least 1, without an upper limit.

    Raises:
        InputError: it is no such number; the error names the field.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InputError(f"is {value}; it must be a whole number, at least 1", field=field)
    return value


def short(value: float, digits: int = 3) -> Fraction:
    """A number cut to a few significant digits, as a person would write it."""
    return exact(f"{value:.{digits}g}")
