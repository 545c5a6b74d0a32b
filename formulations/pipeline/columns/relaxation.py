"""Linear relaxation over all columns: fractions of GPUs, no whole numbers. Its prices make every loss measurable.

A GPU of type t is worth π_t, a request per second of model m is worth μ_m, and no column makes a profit:
Σ_k π / (v · rate) ≥ μ_m. Then for every plan that uses n_m GPUs for x_m requests per second of model m

    bound − value ≥ Σ_m (π · n_m − μ_m · x_m) + (worth of the GPUs left over)

where all terms are at least 0: they are the plan's losses. Any π gives valid prices: μ_m is the least over the columns
of m, and the scale follows, so that nothing depends on the tolerances of the linear solver. What these few sums may
lose by rounding is added to the bound. Costs are maximised with the opposite sign; there π_t is the price plus what a
scarce type is worth beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Linear, LinearOptimum
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.task import ROUNDING, Task

ROUNDS = 200
LEAST_WORTH = 1e-9
"""Least worth of all GPUs of a type, as a part of the bound: free GPUs would be wasted without end."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Prices and the bound that they prove.

    Attributes:
        gpu: worth π of a GPU by type.
        model: worth μ of a request per second by model.
        bound: upper bound on the value of every plan: weighted requests per second, or the cost with its sign changed.
        excess: Σ π / (v · rate) − μ by column, at least 0.
        basis: requests per second of the columns that the linear program's solution uses.
        slack: what sums of worths may have lost by rounding; losses are compared with that much in favour of a plan.
    """

    gpu: Floats
    model: Floats
    bound: float
    excess: Floats
    basis: Mapping[int, float]
    slack: float

    def beside(self, columns: Ints) -> Relaxation:
        """The same for plans of other columns: these lose too much."""
        excess = self.excess.copy()
        excess[columns] = np.inf
        return replace(self, excess=excess)


def relax(task: Task, columns: Columns) -> Relaxation | None:
    """Best prices by column generation.

    Args:
        task: the instance.
        columns: all columns; every model has one.

    Returns:
        The relaxation; None: the GPUs cannot serve the rates.
    """
    used = usage(columns, len(task.count))
    members = [np.flatnonzero(columns.model == m) for m in range(len(task.weight))]
    chosen: set[int] = set()
    if task.cost:
        most = _generate(replace(task, cost=False), columns.model, used, members, chosen)
        if most.bound < task.enough:
            return None
    return _generate(task, columns.model, used, members, chosen)


def usage(columns: Columns, types: int) -> Floats:
    """GPUs of each type per request per second, shape (columns, types)."""
    each = np.where(columns.live, 1 / (columns.share * columns.rate), 0.0)
    return np.stack([(each * (columns.gpu == t)).sum(axis=1) for t in range(types)], axis=1)


def _generate(task: Task, model: Ints, used: Floats, members: list[Ints], chosen: set[int]) -> Relaxation:
    """Add the best column of every model to those chosen, until none is better."""
    worth = 1.0 / task.count + task.price
    best: Relaxation | None = None
    basis: dict[int, float] = {}
    for _ in range(ROUNDS):
        found = _priced(task, used, members, worth)
        if best is None or found.bound < best.bound:
            best = found
        new = {int(rows[np.argmin((used @ worth)[rows])]) for rows in members}
        if basis and new <= chosen:
            break
        chosen |= new
        order = np.array(sorted(chosen))
        optimum = _master(task, used[order], model[order])
        if optimum is None:
            break
        worth = task.price * task.cost + optimum.duals[: len(task.count)]
        if not worth.any():
            break
        served = optimum.values[: len(order)]
        basis = {int(c): float(x) for c, x in zip(order, served, strict=True) if x > 0}
    assert best is not None
    return replace(best, basis=basis)


def _priced(task: Task, used: Floats, members: list[Ints], worth: Floats) -> Relaxation:
    """Valid prices from any worth of GPUs."""
    gpu = np.maximum(worth, task.price)
    gpu = np.maximum(gpu, LEAST_WORTH * float(gpu @ task.count) / task.count)
    each = used @ gpu
    model = np.array([each[rows].min() for rows in members])
    if task.cost:
        rent, need = float((gpu - task.price) @ task.count), float(task.enough * (model @ task.weight))
        # Plans may cost as much as all GPUs, and their values are compared with the bound.
        slack = ROUNDING * (rent + need + float(task.price @ task.count))
        bound = rent - need + slack
    else:
        scale = float(model @ task.weight)
        gpu, model, each = gpu / scale, model / scale, each / scale
        bound = float(gpu @ task.count) * (1 + ROUNDING)
        slack = ROUNDING * bound
    excess = each.copy()
    for m, rows in enumerate(members):
        excess[rows] -= model[m]
    return Relaxation(gpu, model, bound, np.maximum(excess, 0.0), {}, slack)


def _master(task: Task, used: Floats, model: Ints) -> LinearOptimum | None:
    """Optimum of the linear program over some columns; None: there is none.

    Its variables are the requests per second of each column and, for throughput, z.
    """
    serves = (model[None, :] == np.arange(len(task.weight))[:, None]).astype(float)
    if task.cost:
        matrix, cost = np.vstack([used.T, -serves]), used @ task.price
        upper = np.concatenate([task.count, -task.enough * task.weight])
    else:
        last = np.concatenate([np.zeros(len(task.count)), task.weight])
        matrix, cost = np.column_stack([np.vstack([used.T, -serves]), last]), np.zeros(len(model) + 1)
        cost[-1] = -1.0
        upper = np.concatenate([task.count, np.zeros(len(task.weight))])
    return Linear(matrix, upper).solve(cost)
