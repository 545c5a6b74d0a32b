"""Whole numbers for exact quantities: scales for models that know integers only (ours).

A scale is units per quantity. Where the quantities of a model have a common denominator that fits, the scale is a
multiple of it and nothing is rounded; else every rounding goes in a direction that the model chooses.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

ROW_UNITS = 1 << 30
"""Most units in one row: half of what CP-SAT takes (`formulations.engines.cpsat.COEFFICIENT_LIMIT`)."""


def common_scale(values: Iterable[Fraction], most: Fraction, target: int) -> Fraction:
    """Units per quantity such that `most` comes to at most `target` units, exact for all values if that fits.

    Args:
        values: the quantities that ought to come out whole.
        most: the largest quantity that occurs; above 0.
        target: most units of it.
    """
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common * most > target:
            return Fraction(target) / most
    return Fraction(common * (Fraction(target) / (common * most)).__floor__())
