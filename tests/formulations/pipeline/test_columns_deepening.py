"""`columns` where tables cannot hold divided GPUs: pools packed by losses alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from column_cases import SEEDS, space_of

from bruteforce.pipeline.enumeration import solve_by_pipeline_enumeration
from euclio import solve
from euclio.core.registry import Limits
from euclio.problems.pipeline import Gpu, evaluate
from euclio.workloads.pipeline.instances import ClusterRequest, pipeline_cluster
from euclio.workloads.pipeline.layer_models import FIRST_GROUP, weights
from euclio.workloads.pipeline.setups import PRICES_PER_H, Setup
from euclio.workloads.pipeline.small_clusters import small_cluster
from formulations.pipeline.columns import search
from formulations.pipeline.columns.division import Divided, pack_and_divide
from formulations.pipeline.columns.problem import TooLargeError
from formulations.pipeline.columns.solver import run_columns


def whole_only(*args: Any, restricted: bool) -> Divided:
    """Tables of whole GPUs, none of divided ones."""
    if not restricted:
        raise TooLargeError
    return pack_and_divide(*args, restricted=restricted)


@pytest.mark.parametrize("seed", SEEDS)
def test_deepening_agrees_with_brute_force(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tables of divided GPUs, pools are packed by their losses; nothing is lost against the enumeration."""
    monkeypatch.setattr(search, "pack_and_divide", whole_only)
    cluster, space = small_cluster(seed), replace(space_of(seed), whole_gpus=True)
    answers = [run(cluster, space, Limits()) for run in (solve_by_pipeline_enumeration, run_columns)]
    best, found = (0.0 if a.plan is None else float(evaluate(cluster, a.plan, space).value or 0) for a in answers)
    assert found == pytest.approx(best, rel=1e-9)


def status(counts: dict[str, int]) -> str:
    """Of a cluster of these GPUs that serves three synthetic models."""
    gpus = tuple(Gpu(name, count, 1, PRICES_PER_H[name]) for name, count in counts.items())
    request = ClusterRequest(Setup("mixed", gpus, Fraction(10)), FIRST_GROUP, weights(len(FIRST_GROUP), 0), 0, 10)
    return solve(pipeline_cluster(request), "columns", time_limit_s=60).status.value


def test_three_gpu_types_are_proven() -> None:
    assert status({"L4": 25, "T4": 38, "P4": 37}) == "optimal"


@pytest.mark.slow
def test_four_gpu_types_are_proven() -> None:
    assert status({"L4": 13, "V100": 12, "T4": 38, "P4": 37}) == "optimal"
