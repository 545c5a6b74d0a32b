"""Rates rounded down until few are different: a relaxation, where exact ones are too many (ours).

A stage that serves less takes no larger a share, so that a bound on fragments of lower rates is one on those given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio.problems.fragments import Fleet

STEPS = (2, 4, 16)
"""Rates are rounded down to the least rate times powers of one of these, finer ones first."""
MOST_TIMES = 2**8
"""Rates above so many times the least one are rounded down to that."""


def coarser(fleet: Fleet) -> Iterator[Fleet]:
    """The fleet with fewer and fewer different rates, none above those given; at last all have the least one."""
    least = min(fragment.rate_rps for fragment in fleet.fragments)
    for step in STEPS:
        yield _rounded(fleet, least, step)
    yield Fleet(fleet.name, fleet.network, [replace(own, rate_rps=least) for own in fleet.fragments])


def _rounded(fleet: Fleet, least: Fraction, step: int) -> Fleet:
    fragments = []
    for own in fleet.fragments:
        times = min(math.floor(own.rate_rps / least), MOST_TIMES)
        power = 1
        while power * step <= times:
            power *= step
        fragments.append(replace(own, rate_rps=least * power))
    return Fleet(fleet.name, fleet.network, fragments)
