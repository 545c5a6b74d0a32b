"""Random clusters and plan spaces for `columns`, and how answers are compared."""

from __future__ import annotations

import random

import pytest

from bruteforce.pipeline.enumeration import solve_by_pipeline_enumeration
from euclio.core.registry import Limits
from euclio.problems.pipeline import Cluster, Objective, PipelineSpace, evaluate
from euclio.workloads.pipeline.small_clusters import small_cluster
from formulations.pipeline.columns.solver import run_columns

FULL = PipelineSpace()


SEEDS = range(40)


def value(cluster: Cluster, space: PipelineSpace = FULL) -> float:
    """Checked value of the plan."""
    answer = run_columns(cluster, space, Limits())
    assert answer.plan is not None
    evaluation = evaluate(cluster, answer.plan, space)
    assert evaluation.feasible
    assert evaluation.value is not None
    return float(evaluation.value)


def space_of(seed: int) -> PipelineSpace:
    """A random plan space."""
    rng = random.Random(seed)
    return PipelineSpace(
        objective=rng.choice((Objective.THROUGHPUT, Objective.COST)),
        unify_batch=rng.choice((None, False)),
        virtual_gpus=rng.random() < 0.8,
        batch_build=rng.random() < 0.7,
        one_per_sequence=rng.random() < 0.4,
        whole_gpus=rng.random() < 0.75,
    )


def differs(seed: int) -> str:
    """How the answer differs from brute force's; empty: it does not."""
    cluster, space = small_cluster(seed), space_of(seed)
    truth = solve_by_pipeline_enumeration(cluster, space, Limits())
    best = None if truth.plan is None else evaluate(cluster, truth.plan, space).value
    if not best:
        return "" if run_columns(cluster, space, Limits()).infeasible else "not infeasible"
    found = value(cluster, space)
    return "" if found == pytest.approx(float(best), rel=1e-9) else f"{found}, best {float(best)}"
