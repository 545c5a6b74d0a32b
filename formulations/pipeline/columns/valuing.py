"""What a plan of columns is worth in floating point; the checker has the last word."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Floats
from formulations.pipeline.columns.progress import Counts
from formulations.pipeline.columns.task import ROUNDING, Task

ALMOST = 1e-9
"""Part of a GPU that floating point may leave over or lack."""
MOST_PARTS = 10**6
"""Parts of a GPU, counted in which a sum that is not whole is further from it than that."""


def gpus_of(task: Task, columns: Columns, plan: Counts) -> Floats:
    """GPUs that a plan uses, by type; every pool counted up where the plan space has whole GPUs."""
    pools: Counter[tuple[int, int, int]] = Counter()
    for c, count in plan:
        for k in np.flatnonzero(columns.live[c]):
            pool = int(columns.gpu[c, k]), int(columns.model[c]), int(k)
            pools[pool] += count[k] / columns.share[c, k]
    gpus = np.zeros(len(task.count))
    for (gpu, _, _), amount in pools.items():
        gpus[gpu] += math.ceil(amount - ALMOST) if task.whole else amount
    return gpus


def served_by(task: Task, columns: Columns, plan: Counts) -> Floats:
    """Requests per second by model."""
    total = np.zeros(len(task.weight))
    for c, count in plan:
        live = columns.live[c]
        total[columns.model[c]] += float((count[live] * columns.rate[c, live]).min())
    return total


def value_of(task: Task, columns: Columns, plan: Counts) -> float:
    """Weighted requests per second or the cost with its sign changed; -inf: it does not fit or serves too little.

    Args:
        task: the instance.
        columns: the columns that the plan's indices mean.
        plan: each column once.
    """
    gpus, served = gpus_of(task, columns, plan), served_by(task, columns, plan)
    if (gpus > task.count + ALMOST).any():
        return -math.inf
    if task.cost:
        return -float(gpus @ task.price) if (served >= task.enough * task.weight).all() else -math.inf
    value = float((served / task.weight).min())
    return value if value > 0 else -math.inf


def sure_value(task: Task, columns: Columns, plan: Counts) -> float | None:
    """The value of a plan but for rounding, if it is feasible whatever rounding does; None: that is in doubt.

    Args:
        task: the instance, nothing of which is set aside.
        columns: the columns that the plan's indices mean.
        plan: each column once.
    """
    if math.lcm(*(int(share) for c, _ in plan for share in columns.share[c])) > MOST_PARTS:
        return None
    gpus, served = gpus_of(task, columns, plan), served_by(task, columns, plan)
    loads = task.weight if task.cost else np.zeros(len(task.weight))
    if (gpus > task.count * (1 - ROUNDING if not task.whole else 1)).any() or (served <= loads * (1 + ROUNDING)).any():
        return None
    return -float(gpus @ task.price) if task.cost else float((served / task.weight).min())
