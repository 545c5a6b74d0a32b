"""The demand of a model: a rate, raised to the next one that can be served (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

MOST_BITS = 4096
"""Common denominators beyond this are not computed."""


@dataclass(frozen=True, slots=True)
class Demand:
    """A rate in requests per second, above 0, that has to be reached, or exceeded where `strict`."""

    rate: Fraction
    strict: bool

    def met(self, served: Fraction) -> bool:
        """Whether this much is enough."""
        return served > self.rate if self.strict else served >= self.rate


def sharpened(demand: Demand, rates: Iterable[Fraction]) -> Demand:
    """The demand raised to the next rate that can be served, a sum of multiples of the given rates.

    The sums are multiples of one over the rates' common denominator, so the demand may be raised to the next such
    number. A bound that meets the old demand exactly, as ties do, then falls short of the new one.
    """
    common = 1
    for denominator in {rate.denominator for rate in rates}:
        common = math.lcm(common, denominator)
        # The demand as it was is as valid, only less sharp.
        if common.bit_length() > MOST_BITS:
            return demand
    scaled = demand.rate * common
    steps = math.floor(scaled) + 1 if demand.strict else math.ceil(scaled)
    return Demand(Fraction(steps, common), strict=False)
