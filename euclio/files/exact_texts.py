"""Numbers that no decimal says, as texts next to the decimals that are shown (ours).

Whoever reads the decimal has fifteen digits; euclio reads the text, so that nothing is another number on its way
through a file.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import exact, exact_decimal_text, fraction_of, fraction_text, has_text
from euclio.core.tolerances import WRITTEN_TOLERANCE
from euclio.core.words import full


def needed_text(value: Fraction) -> str | None:
    """The text of a number that its decimal does not say; None: it does, or it has more digits than a text may have."""
    return fraction_text(value) if exact_decimal_text(value) is None and has_text(value) else None


def exact_of(shown: Any, text: str | None, field: str, shown_field: str) -> Fraction:
    """The number that a decimal and the text next to it say.

    Args:
        shown: the decimal.
        text: the text; None: there is none, and the decimal says it.
        field: where the text stands.
        shown_field: name of the decimal's field, for the error.

    Raises:
        InputError: the text is no fraction, or not the decimal but for its digits; names the field.
    """
    decimal = exact(shown)
    if text is None:
        return decimal
    found = fraction_of(text)
    if found is None:
        message = f"is the text {text[:40]!a}; it must be a fraction of whole numbers such as 49999997/3000000"
        raise InputError(message, field=field)
    if abs(found - decimal) > WRITTEN_TOLERANCE * abs(found):
        raise InputError(f"is {full(found)}, but {shown_field} is {full(decimal)}; keep one of them", field=field)
    return found
