"""Times of simulations: whole ticks, so that equal times are equal; a tick is a nanosecond or a part of one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.core.numbers import Number, exact

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Clock:
    """How a simulation counts time: in whole ticks.

    Durations, periods and arrivals that are no whole ticks are rounded down, so that nothing takes longer than in the
    plan. Limits of time, such as a latency objective or a timeout, are rounded up (docs/model/serving.md, ticks).
    """

    ticks_per_ns: int = 1  # ticks in a nanosecond
    # whether all times of a simulation are known to be whole ticks; otherwise they may be rounded.
    exact: bool = False

    @property
    def ticks_per_s(self) -> int:
        """Ticks in a second."""
        return self.ticks_per_ns * NS_PER_S

    def down(self, seconds: Number) -> int:
        """The last tick that is no later than a time."""
        return math.floor(exact(seconds) * self.ticks_per_s)

    def up(self, seconds: Number) -> int:
        """The first tick that is no earlier than a time; all moments before a time are ticks before it."""
        return math.ceil(exact(seconds) * self.ticks_per_s)

    def duration(self, seconds: Fraction) -> int:
        """Ticks of an execution: at least one, so that time always goes on; 0 of one that takes no time."""
        return max(1, self.down(seconds)) if seconds else 0


NANOSECONDS = Clock()


# Multiples of a fraction, rounded down to whole numbers: exact however many there are, so that nothing drifts.

MOST_WHOLE = 1 << 62
"""Products below this are computed in 64 bits."""
NEAR = 1e-6
"""Quotients that are so near to a whole number are computed again with whole numbers of any size."""


def whole_multiples(step: Fraction, first: int, count: int) -> Ints:
    """⌊k·step⌋ for `count` values of k, from `first` on.

    Args:
        step: 0 or more.
        first: 0 or more.
        count: how many, up to 2³⁰.

    Returns:
        Shape (count,); they have to fit into 64 bits. Each is computed from its own k, so that rounding errors do not
        add up.
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
