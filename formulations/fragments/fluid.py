"""A bound on every plan of any fleet, in fractions, at once (ours).

A stage of layers a … e − 1 at batch b and share s, with latency l = Σ l_k, has c · b / l at least its rate q. So its
share c · s is at least q · Σ s · l_k / b: at least what each layer needs for each request, whatever runs it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from euclio.problems.fragments import Fleet


def fluid_bound_pct(fleet: Fleet) -> int:
    """The least GPU share of any plan, in whole percents, without regard to time budgets and whole instances."""
    network = fleet.network
    each = [
        min(
            share * latency_s / batch
            for batch, row in zip(network.batches, rows, strict=True)
            for share, latency_s in zip(network.shares_pct, row, strict=True)
        )
        for rows in network.layer_latency_s
    ]
    from_layer = list(accumulate(reversed(each), initial=Fraction(0)))[::-1]
    return math.ceil(sum(own.rate_rps * from_layer[own.partition_point] for own in fleet.fragments))
