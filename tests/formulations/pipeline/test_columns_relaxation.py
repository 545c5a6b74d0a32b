"""Linear relaxation over all pipelines: its bound against an independent linear program over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from euclio.problems.pipeline import Objective, PipelineSpace
from euclio.workloads.pipeline.small_clusters import small_cluster
from formulations.pipeline.columns.enumeration import Columns, enumerate_columns
from formulations.pipeline.columns.problem import Problem, problem_of
from formulations.pipeline.columns.relaxation import relax, usage

LEAST_COST = PipelineSpace(objective=Objective.COST)


def optimum(problem: Problem, columns: Columns) -> float | None:
    """The linear program's optimum, cost with its sign changed; None: there is none."""
    used = usage(columns, len(problem.count))
    serves = (columns.model[None, :] == np.arange(len(problem.weight))[:, None]).astype(float)
    if problem.cost:
        found = linprog(
            used @ problem.price,
            A_ub=np.vstack([used.T, -serves]),
            b_ub=np.concatenate([problem.count, -problem.enough * problem.weight]),
        )
    else:
        last = np.concatenate([np.zeros(len(problem.count)), problem.weight])
        found = linprog(
            np.append(np.zeros(len(columns)), -1.0),
            A_ub=np.column_stack([np.vstack([used.T, -serves]), last]),
            b_ub=np.concatenate([problem.count, np.zeros(len(problem.weight))]),
        )
    return None if found.status != 0 else -float(found.fun)


@pytest.mark.parametrize("space", [PipelineSpace(), LEAST_COST], ids=["throughput", "cost"])
@pytest.mark.parametrize("seed", range(20))
def test_the_bound_is_the_optimum_over_all_columns(seed: int, space: PipelineSpace) -> None:
    """Pricing that misses a column ends with a bound that is too low; here all columns are listed."""
    cluster = small_cluster(seed)
    problem, columns = problem_of(cluster, space), enumerate_columns(cluster, space)
    if set(columns.model) != set(range(len(problem.weight))):
        pytest.skip("some model has no pipeline")
    found, best = relax(problem, columns), optimum(problem, columns)
    if best is None:
        assert found is None
    else:
        assert found is not None
        assert found.bound == pytest.approx(best, rel=1e-7)
