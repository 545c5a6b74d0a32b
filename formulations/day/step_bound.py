"""A bound from the steps alone: each costs at least its own cheapest plan, and changes cost something (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from euclio.problems.day import Day
from euclio.problems.day.instance import HOUR_S
from formulations.day.one_module import ROUNDING


def bounds_of_steps(day: Day, bounds_per_h: Sequence[float | None]) -> list[float]:
    """For each step a bound on what it and all steps after it cost; the first is one on the cost of all plans.

    Args:
        day: the instance.
        bounds_per_h: a bound on the plans of each step, in money per hour; None: there is none.
    """
    own = [
        float(step.length_s / HOUR_S) * max(0.0, bound or 0.0)
        for step, bound in zip(day.steps, bounds_per_h, strict=True)
    ]
    return [total * (1 - ROUNDING) for total in reversed(list(accumulate(reversed(own))))]
