"""Exact numbers: everything that the checker compares is a fraction made from decimal text."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

Number = int | float | str | Decimal | Fraction


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
    """The decimal text of a fraction: exact where it terminates soon, else ``digits`` significant digits."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and value.denominator < 10**18:
        places = 0
        while (value * 10**places).denominator != 1:
            places += 1
        return f"{Decimal(int(value * 10**places)).scaleb(-places):f}"
    return f"{float(value):.{digits}g}"
