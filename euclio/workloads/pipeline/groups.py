"""Groups of models that are served together, and how the load divides between them (PPipe §7.1, §7.2)."""

from __future__ import annotations

import random
from fractions import Fraction

from euclio.core.numbers import exact
from euclio.workloads.pipeline.layer_models import layer_models

FIRST_GROUP = ("EfficientNet-B8", "EncNet", "RTMDet")
"""G1, the only group that PPipe names (§7.2)."""
GROUP_SIZE = 3
FUNCTIONS = 20000
"""Serverless functions of the trace that gives the load; those of Azure's are tens of thousands, few of them busy."""
BUSYNESS = 2.5
"""Standard deviation of the logarithm of a function's rate."""


def groups(seed: int = 0) -> tuple[tuple[str, ...], ...]:
    """The 18 models in six groups of three: the published first one, the others at random."""
    rest = [name for name in layer_models() if name not in FIRST_GROUP]
    random.Random(f"groups/{seed}").shuffle(rest)
    return (FIRST_GROUP, *(tuple(rest[k : k + GROUP_SIZE]) for k in range(0, len(rest), GROUP_SIZE)))


def weights(count: int, seed: int = 0) -> tuple[Fraction, ...]:
    """Each model's part of the load, summing to 1: functions with uneven rates, given to the models round robin.

    The rates are drawn (ours; PPipe takes them from Azure's functions of 2019), rounded to hundredths.
    """
    stream = random.Random(f"weights/{seed}")
    loads = [0.0] * count
    for k in range(FUNCTIONS):
        loads[k % count] += stream.lognormvariate(0, BUSYNESS)
    parts = [exact(f"{load / sum(loads):.2f}") for load in loads[:-1]]
    return (*parts, 1 - sum(parts, Fraction(0)))
