"""A bound where only uniform fragments share stages: each group of them by itself, its units divided freely (ours)."""

from __future__ import annotations

import numpy as np

from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.space import FragmentSpace
from euclio.proving.fragments.costs import Costs
from euclio.proving.fragments.duality import Bound


def bound_of_uniform(fleet: Fleet, space: FragmentSpace) -> Bound:
    """The bound; the least GPU share itself where fragments of a group have one rate and sets may be of any size.

    Args:
        fleet: the instance, each fragment of which can be served.
        space: plan space of uniform sharing.

    Raises:
        TooLargeError: numbers do not fit.
    """
    costs = Costs(fleet, space)
    units: dict[tuple[int, int], int] = {}
    for fragment, limit, own in zip(fleet.fragments, costs.limits, costs.units, strict=True):
        # Budgets that differ by less than a tick may be joined too: that only lowers the bound.
        key = fragment.partition_point, limit
        units[key] = units.get(key, 0) + own
    total = 0
    for (begin, limit), number in units.items():
        steps = costs.heads(begin, costs.layers, number)
        row = int(np.searchsorted(steps.ticks, limit, side="right")) - 1
        total += int(steps.share_pct[row, number])
    return Bound(total, len(units), True)
