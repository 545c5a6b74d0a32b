"""Whether a measured number agrees with a printed one: a test of equivalence, with one of three words (ours)."""

from __future__ import annotations

import math
from enum import StrEnum
from functools import cache

from euclio.report.analysis.statistics import Z_95, Measured

TOLERANCE = 0.1
"""The tolerance around a printed value, as a share of it."""
MIDDLE = 50.0
"""Shares above it, in per cent, are judged by their complement: 94.2 has 2.5 times the failures of 97.7."""
WHOLE = 100.0
_FEW = 2
"""Observations from which an interval can be made."""


# A test for a difference passes most easily where intervals are wide. Equivalence is tested instead (Schuirmann 1987,
# two one-sided tests). A measure agrees if its whole 95 % interval lies within the tolerance around the printed value.
# It disagrees if none of the interval does.


class NumberKind(StrEnum):
    """The kind of a printed number, which decides its tolerance."""

    NUMBER = ""
    SHARE = "share"
    ALL = "all"
    LEAST = "at least"
    MOST = "at most"


class Verdict(StrEnum):
    """The verdicts on a printed number; the test of equivalence gives the first three."""

    AGREES = "agrees"
    UNDECIDED = "not decided"
    OFF = "off"
    NOT_COMPARED = "not compared"


def tolerated(value: float, kind: str = NumberKind.NUMBER) -> tuple[float, float]:
    """The values that agree with a printed one.

    Args:
        value: the printed value.
        kind: its kind. The tolerance is a tenth on each side for a number, and a tenth of the distance to 100 % for a
            share above 50 %. "All" allows the value alone; a bound allows every value that keeps it.
    """
    if kind == NumberKind.LEAST:
        return value, math.inf
    if kind == NumberKind.MOST:
        return -math.inf, value
    if kind == NumberKind.ALL:
        return value, value
    by = WHOLE - value if kind == NumberKind.SHARE and value > MIDDLE else value
    return value - TOLERANCE * abs(by), value + TOLERANCE * abs(by)


def near(value: float, measured: Measured, kind: str = NumberKind.NUMBER) -> bool:
    """Whether the measured number alone, without its interval, lies within the tolerance."""
    low, high = tolerated(value, kind)
    return low <= measured.value <= high


def interval_of(measured: Measured) -> tuple[float, float] | None:
    """The interval that a measure is judged by; None for a maximum and for a single observation.

    A number without uncertainty, such as one of a worked case, is its own interval. Bootstrap intervals of few
    observations are too narrow (Hesterberg 2015). They are widened to Student's interval for that number of
    observations: 9-fold for two, 1.2-fold for ten.
    """
    if measured.exact:
        return measured.value, measured.value
    if measured.low is None or measured.high is None or 0 < measured.n < _FEW:
        return None
    wider = widening(measured.n) if measured.n else 1.0
    return measured.value - wider * (measured.value - measured.low), measured.value + wider * (
        measured.high - measured.value
    )


@cache
def widening(n: int) -> float:
    """How much wider Student's interval of a mean is than the bootstrap's percentiles, which are about normal.

    Args:
        n: observations, at least 2.
    """
    from scipy.stats import t

    return float(t.ppf(0.975, n - 1)) / Z_95 * math.sqrt(n / (n - 1))


def agreement(value: float, measured: Measured, kind: str = NumberKind.NUMBER) -> Verdict:
    """Whether a measure agrees with a printed value, is off, or is undecided.

    A claim of "all" either holds or fails. A measure without an interval never agrees: inside the tolerance it is
    undecided.

    Args:
        value: the printed value.
        measured: ours.
        kind: what the printed value is.
    """
    if math.isnan(measured.value):
        return Verdict.UNDECIDED
    if kind == NumberKind.ALL:
        return Verdict.AGREES if measured.value == value else Verdict.OFF
    least, most = tolerated(value, kind)
    found = interval_of(measured)
    low, high = found or (measured.value, measured.value)
    # Printed values and floating-point sums are rounded, so the edge counts as inside.
    room = 1e-9 * max(1.0, abs(value))
    if high < least - room or low > most + room:
        return Verdict.OFF
    if found is not None and least - room <= low and high <= most + room:
        return Verdict.AGREES
    return Verdict.UNDECIDED
