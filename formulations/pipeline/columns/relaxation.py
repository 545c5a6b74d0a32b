"""The linear relaxation over all columns, by column generation; its prices measure every loss of a plan.

For throughput, with x_c requests per second on column c, which takes 1 / (v · rate) of a GPU per request per second at
each of its positions (docs/model/columns.md has the program for cost):

    maximise z
    Σ_c gpus_ct · x_c ≤ count_t           each GPU type t       price π_t ≥ 0
    Σ_{c of m} x_c ≥ weight_m · z         each model m          price μ_m ≥ 0

A GPU of type t is worth π_t, a request per second of model m is worth μ_m, and no column makes a profit: its reduced
cost Σ_t π_t · gpus_ct − μ_m is at least 0. Then for every plan with n_m GPUs for x_m requests per second of model m

    bound − value ≥ Σ_m (π · n_m − μ_m · x_m) + (worth of the GPUs left over)

with all terms at least 0: they are the plan's losses. This is weak duality, and any π proves it: μ_m is set to the
least over the columns of m, and the scale follows. So nothing depends on the tolerances of the linear solver. The bound
includes the possible rounding of these few sums. For cost, π_t is the price plus the worth of a scarce type beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Linear, LinearOptimum
from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.problem import Problem
from formulations.tolerances import SUMS

MOST_ROUNDS = 200
"""Most rounds of column generation; prices of any round are valid, so the last round also gives a bound."""
LEAST_WORTH = 1e-9
"""Least worth of all GPUs of a type, as a part of the bound, since plans could waste free GPUs without end."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Prices and the bound that they prove.

    Attributes:
        gpu: worth π of a GPU by type.
        model: worth μ of a request per second by model.
        bound: upper bound on the value of every plan.
        reduced_cost: Σ π / (v · rate) − μ by column, at least 0; infinite for a forbidden column.
        basis: requests per second of the columns that the linear program's solution uses.
        slack: possible rounding of sums of worths; comparisons of losses favour plans by it.
    """

    gpu: Floats
    model: Floats
    bound: float
    reduced_cost: Floats
    basis: Mapping[int, float]
    slack: float

    def without(self, columns: Ints) -> Relaxation:
        """These prices and this bound with some more columns forbidden, which get an infinite reduced cost."""
        reduced_cost = self.reduced_cost.copy()
        reduced_cost[columns] = np.inf
        return replace(self, reduced_cost=reduced_cost)


def relax(problem: Problem, columns: Columns) -> Relaxation | None:
    """Prices and bound of the linear relaxation over all columns, by column generation.

    Args:
        problem: the instance.
        columns: all columns; every model has one.

    Returns:
        The relaxation; None if even fractions of GPUs cannot serve the rates.
    """
    used = usage(columns, len(problem.count))
    members = [np.flatnonzero(columns.model == m) for m in problem.models]
    chosen: set[int] = set()
    if problem.cost:
        # The throughput with the rates as weights tells whether the rates can be served at all; its columns are a
        # start.
        most = _generate(replace(problem, cost=False), columns.model, used, members, chosen)
        if most.bound < problem.enough:
            return None
    return _generate(problem, columns.model, used, members, chosen)


def usage(columns: Columns, types: int) -> Floats:
    """GPUs of each type per request per second, shape (columns, types)."""
    each = np.where(columns.live, 1 / (columns.share * columns.rate), 0.0)
    return np.stack([(each * (columns.gpu == t)).sum(axis=1) for t in range(types)], axis=1)


def _generate(problem: Problem, model: Ints, used: Floats, members: list[Ints], chosen: set[int]) -> Relaxation:
    """Add the column of least reduced cost of every model to the chosen ones, until all of them are there already."""
    # At the start the GPUs of each type together are worth 1 beyond their price.
    worth = 1.0 / problem.count + problem.price
    best: Relaxation | None = None
    basis: dict[int, float] = {}
    for _ in range(MOST_ROUNDS):
        found = _priced(problem, used, members, worth)
        # Bounds may get worse from round to round; any worths prove one, and the least stays.
        if best is None or found.bound < best.bound:
            best = found
        new = {int(rows[np.argmin((used @ worth)[rows])]) for rows in members}
        if basis and new <= chosen:
            break
        chosen |= new
        order = np.array(sorted(chosen))
        optimum = _master(problem, used[order], model[order])
        if optimum is None:
            break
        worth = problem.price * problem.cost + optimum.duals[: len(problem.count)]
        # At worths of 0 no column is better than another.
        if not worth.any():
            break
        served = optimum.values[: len(order)]
        basis = {int(c): float(x) for c, x in zip(order, served, strict=True) if x > 0}
    assert best is not None
    return replace(best, basis=basis)


def _priced(problem: Problem, used: Floats, members: list[Ints], worth: Floats) -> Relaxation:
    """The relaxation that any worths of GPUs prove by weak duality, shape of `worth` (types,)."""
    # A GPU is worth at least its price; duals may be less by the solver's tolerance.
    gpu = np.maximum(worth, problem.price)
    gpu = np.maximum(gpu, LEAST_WORTH * float(gpu @ problem.count) / problem.count)
    each = used @ gpu
    model = np.array([each[rows].min() for rows in members])
    if problem.cost:
        rent = float((gpu - problem.price) @ problem.count)
        need = float(problem.enough * (model @ problem.weight))
        # Plans may cost as much as all GPUs, and the search compares their values with the bound.
        slack = SUMS * (rent + need + float(problem.price @ problem.count))
        bound = rent - need + slack
    else:
        # One more unit of z takes weight_m requests per second of every model, which are worth 1 together.
        scale = float(model @ problem.weight)
        gpu, model, each = gpu / scale, model / scale, each / scale
        bound = float(gpu @ problem.count) * (1 + SUMS)
        slack = SUMS * bound
    reduced_cost = each.copy()
    for m, rows in enumerate(members):
        reduced_cost[rows] -= model[m]
    return Relaxation(gpu, model, bound, np.maximum(reduced_cost, 0.0), {}, slack)


def _master(problem: Problem, used: Floats, model: Ints) -> LinearOptimum | None:
    """The optimum of the linear program over some columns, in x and, for throughput, z; None if HiGHS finds none."""
    serves = (model[None, :] == np.arange(len(problem.weight))[:, None]).astype(float)
    if problem.cost:
        matrix, cost = np.vstack([used.T, -serves]), used @ problem.price
        upper = np.concatenate([problem.count, -problem.enough * problem.weight])
    else:
        last = np.concatenate([np.zeros(len(problem.count)), problem.weight])
        matrix, cost = np.column_stack([np.vstack([used.T, -serves]), last]), np.zeros(len(model) + 1)
        cost[-1] = -1.0
        upper = np.concatenate([problem.count, np.zeros(len(problem.weight))])
    return Linear(matrix, upper).solve(cost)
