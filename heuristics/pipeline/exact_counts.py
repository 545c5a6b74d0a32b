"""The best division of few whole GPUs between whole models, in exact arithmetic (ours).

What HiGHS finds is within tolerances. All amounts of GPUs with which each model is served better than in the best
division known, no more GPUs than that takes, are put together; if none fit, it is proven.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from euclio.problems.pipeline import Cluster
from heuristics.pipeline.whole_models import Rates

MOST_AMOUNTS = 20_000
"""Amounts of GPUs of one model that are looked at."""
MOST_TOGETHER = 300_000
"""Pairs of amounts of several models that are looked at."""

Vector = tuple[int, ...]


class TooManyError(Exception):
    """There are too many amounts of GPUs."""


def division(cluster: Cluster, rates: Rates, loads: list[Fraction], *, beyond: bool) -> list[tuple[Vector, ...]]:
    """Divisions of the GPUs, by type for each model, with which every model is served its load; none: there is none.

    Of the divisions that use as many GPUs or more of each type, one is left.

    Args:
        cluster: the instance.
        rates: what one GPU serves, by model and type.
        loads: requests per second by model.
        beyond: whether more than the load has to be served; if not, the load itself is enough.

    Raises:
        TooManyError: there are too many to look at.
    """
    found: dict[Vector, tuple[Vector, ...]] = {(0,) * len(cluster.gpus): ()}
    pairs = 0
    for model, load in zip(cluster.models, loads, strict=True):
        own = _least_amounts(cluster, [_rate(rates, model.name, gpu.name) for gpu in cluster.gpus], load, beyond)
        pairs += len(found) * len(own)
        if pairs > MOST_TOGETHER:
            raise TooManyError
        joint: dict[Vector, tuple[Vector, ...]] = {}
        for (used, before), more in itertools.product(found.items(), own):
            total = tuple(a + b for a, b in zip(used, more, strict=True))
            if all(n <= gpu.count for n, gpu in zip(total, cluster.gpus, strict=True)):
                # Divisions that use the same GPUs leave the same to others: one of them is enough.
                joint.setdefault(total, (*before, more))
        found = joint
    return list(found.values())


def _rate(rates: Rates, model: str, gpu: str) -> Fraction:
    """Requests per second of a model that one GPU of a type serves; 0: it cannot meet the SLO."""
    return rates[model, gpu].rate_rps if (model, gpu) in rates else Fraction(0)


def _least_amounts(cluster: Cluster, rates: list[Fraction], load: Fraction, beyond: bool) -> list[Vector]:
    """Amounts of GPUs by type that serve a load, none of which could do with less of the last type that serves."""
    useful = [t for t, rate in enumerate(rates) if rate]
    others, last = useful[:-1], useful[-1]
    if math.prod(cluster.gpus[t].count + 1 for t in others) > MOST_AMOUNTS:
        raise TooManyError
    found = []
    for counts in itertools.product(*(range(cluster.gpus[t].count + 1) for t in others)):
        missing = load - sum((n * rates[t] for n, t in zip(counts, others, strict=True)), Fraction(0))
        # Exact, so that a load that is met to the last digit counts as met, or as not exceeded.
        needed = math.floor(missing / rates[last]) + 1 if beyond else math.ceil(missing / rates[last])
        amount = [0] * len(rates)
        for n, t in zip((*counts, max(0, needed)), useful, strict=True):
            amount[t] = n
        found.append(tuple(amount))
    return found
