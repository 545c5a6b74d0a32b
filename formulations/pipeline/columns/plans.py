"""Plans as columns with numbers of virtual GPUs: their GPUs, requests and values, and the checker's form of them.

Values are floats here. A value is claimed only if rounding cannot decide the plan's feasibility (`sure_value`);
otherwise the checker's fractions decide.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from euclio.problems.pipeline import Cluster, Partition, Pipeline, PipelinePlan
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.problem import Counts, Problem
from formulations.tolerances import SUMS

ALMOST = 1e-9
"""Part of a GPU that rounding may add or take away."""
MOST_PARTS = 10**6
"""Parts of a GPU. A sum of shares in fewer parts is whole, or farther than `ALMOST` from a whole number."""


def plan_of(cluster: Cluster, columns: Columns, plan: Counts) -> PipelinePlan:
    """A plan in the form that the checker reads; entries of one column make one pipeline."""
    return PipelinePlan(tuple(_pipeline(cluster, columns, *entry) for entry in together(plan)))


def together(plan: Counts) -> Counts:
    """A plan with the entries of each column added up, by ascending column."""
    counts: dict[int, Ints] = {}
    for column, count in plan:
        counts[column] = counts[column] + count if column in counts else count
    return [(column, counts[column]) for column in sorted(counts)]


def serving_columns(columns: Columns, plan: Counts) -> Counts:
    """A plan without columns that serve nothing for want of a virtual GPU at some position; each column once."""
    return [(column, count) for column, count in together(plan) if (count[columns.live[column]] > 0).all()]


def _pipeline(cluster: Cluster, columns: Columns, column: int, count: Ints) -> Pipeline:
    """A column with its numbers of virtual GPUs by position, in the form that the checker reads."""
    parts, first = [], 0
    for k in np.flatnonzero(columns.live[column]):
        end = int(columns.end[column, k])
        name = cluster.gpus[int(columns.gpu[column, k])].name
        share, batch = int(columns.share[column, k]), int(columns.batch[column, k])
        parts.append(Partition(name, share, int(count[k]), first, end - 1, batch))
        first = end
    return Pipeline(cluster.models[int(columns.model[column])].name, tuple(parts))


def gpus_of(problem: Problem, columns: Columns, plan: Counts) -> Floats:
    """GPUs that a plan uses, by type; a plan space of whole GPUs counts every pool up to whole ones."""
    pools: Counter[tuple[int, int, int]] = Counter()
    for c, count in plan:
        for k in np.flatnonzero(columns.live[c]):
            pool = int(columns.gpu[c, k]), int(columns.model[c]), int(k)
            pools[pool] += count[k] / columns.share[c, k]
    gpus = np.zeros(len(problem.count))
    for (gpu, _, _), amount in pools.items():
        gpus[gpu] += math.ceil(amount - ALMOST) if problem.whole else amount
    return gpus


def served_by(problem: Problem, columns: Columns, plan: Counts) -> Floats:
    """Requests per second that a plan serves, by model."""
    total = np.zeros(len(problem.weight))
    for c, count in plan:
        live = columns.live[c]
        total[columns.model[c]] += float((count[live] * columns.rate[c, live]).min())
    return total


def value_of(problem: Problem, columns: Columns, plan: Counts) -> float:
    """Value of a plan that has each column once; -inf if it does not fit or serves too little."""
    gpus, served = gpus_of(problem, columns, plan), served_by(problem, columns, plan)
    if (gpus > problem.count + ALMOST).any():
        return -math.inf
    if problem.cost:
        return -float(gpus @ problem.price) if (served >= problem.enough * problem.weight).all() else -math.inf
    value = float((served / problem.weight).min())
    return value if value > 0 else -math.inf


def sure_value(problem: Problem, columns: Columns, plan: Counts) -> float | None:
    """Value, up to rounding, of a plan that is feasible in spite of rounding; None if that is in doubt.

    Args:
        problem: the whole instance, without assigned GPUs.
        columns: the columns behind the plan's indices.
        plan: each column once.
    """
    if math.lcm(*(int(share) for c, _ in plan for share in columns.share[c])) > MOST_PARTS:
        return None
    gpus, served = gpus_of(problem, columns, plan), served_by(problem, columns, plan)
    loads = problem.weight if problem.cost else np.zeros(len(problem.weight))
    # With fractions of GPUs rounding may hide that there are too few, so only clearly fewer are sure to fit.
    most = problem.count if problem.whole else problem.count * (1 - SUMS)
    if (gpus > most).any() or (served <= loads * (1 + SUMS)).any():
        return None
    return -float(gpus @ problem.price) if problem.cost else float((served / problem.weight).min())
