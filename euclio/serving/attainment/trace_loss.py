"""The same share where requests follow a trace that is replayed over and over (ours, docs/model/holding.md).

A tank that is empty when a cycle of the trace begins turns away no more in it than one that is not. So what it turns
away in one cycle is lost in every one. Work is counted in whole numbers; what is drained is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

UNIT = 1 << 40
"""The work of a request."""
MOST_REQUESTS = 100_000
"""Of a longer trace nothing is said."""


class Trace:
    """A trace, by its gaps.

    Attributes:
        gaps: in units of the mean gap over `UNIT`, rounded up.
    """

    def __init__(self, trace_s: Sequence[float]) -> None:
        """The gaps of timestamps in seconds, in any order."""
        recorded = [Fraction(gap) for gap in np.diff(np.sort(np.asarray(trace_s)))]
        mean = sum(recorded, Fraction(0)) / len(recorded)
        self.gaps = [math.ceil(gap / mean * UNIT) for gap in recorded]

    def least_share_of_requests(self, load: Fraction, buffer: Fraction) -> Fraction:
        """Share of requests that are turned away at least, as in `least_loss`."""
        return self._least(load, buffer, whole=True)

    def least_share_of_work(self, load: Fraction, buffer: Fraction) -> Fraction:
        """Share of all work that is turned away at least, as in `least_loss`."""
        return self._least(load, buffer, whole=False)

    def _least(self, load: Fraction, buffer: Fraction, *, whole: bool) -> Fraction:
        brim, level, lost = math.ceil(buffer * UNIT), 0, 0
        above, below = load.numerator, load.denominator
        for gap in self.gaps:
            level += UNIT
            if level > brim:
                turned_away = UNIT if whole else level - brim
                level -= turned_away
                lost += turned_away
            level = max(0, level - -(-gap * below // above))
        return Fraction(lost, UNIT * len(self.gaps))
