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

    Durations, periods and arrivals that are no whole ticks are rounded down, so that nothing that a plan has time for
    takes more; what something may take, such as a latency objective or a time-out, is rounded up
    (docs/model/serving.md, ticks).

    Attributes:
        ticks_per_ns: ticks in a nanosecond.
    """

    ticks_per_ns: int = 1

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
