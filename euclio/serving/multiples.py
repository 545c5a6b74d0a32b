"""Multiples of a fraction, rounded down to whole numbers: exact however many there are, so that nothing drifts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from euclio.serving.units import Ints

MOST_WHOLE = 1 << 62
"""Products below this are computed in 64 bits."""
NEAR = 1e-6
"""Quotients that are so near to a whole number are computed again with whole numbers of any size."""


def whole_multiples(step: Fraction, first: int, count: int) -> Ints:
    """⌊k·step⌋ for so many k from the first on.

    Args:
        step: 0 or more.
        first: 0 or more.
        count: how many, up to 2³⁰.

    Returns:
        Shape (count,); they have to fit into 64 bits. Every one is computed from its k, so that what is rounded off
        one is not rounded off the next.
    """
    whole, part = divmod(step.numerator, step.denominator)
    over = step.denominator
    if count < 2:
        # A step that is taken once may be longer than 64 bits.
        return np.array([first * step.numerator // over] * count, np.int64)
    begin, left = divmod(first * step.numerator, over)
    place = np.arange(count, dtype=np.int64)
    if max(over, left + count * part) < MOST_WHOLE:
        exactly: Ints = begin + place * whole + (left + place * part) // over
        return exactly
    # The quotients are below 2³¹, so that floats are off by less than NEAR.
    quotient = left / over + place * (part / over)
    found = np.floor(quotient).astype(np.int64)
    for k in np.flatnonzero(np.abs(quotient - np.rint(quotient)) < NEAR).tolist():
        found[k] = (left + k * part) // over
    multiples: Ints = begin + place * whole + found
    return multiples
