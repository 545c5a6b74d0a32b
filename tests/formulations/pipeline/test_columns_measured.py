"""`columns` on measured clusters of PPipe's artifact, against the authors' MILP and an earlier prototype."""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from places import SHARED

from euclio import load, solve
from euclio.core.registry import Limits
from euclio.core.result import Result
from euclio.core.tolerances import OPTIMALITY_TOLERANCE, PROOF_TOLERANCE
from euclio.problems.pipeline import PipelineSpace, evaluate
from formulations.pipeline.columns import solver
from formulations.pipeline.columns.solver import run_columns
from tests.bench.unmerged import scaled, unmerged

FILES = sorted((SHARED / "pipelines").glob("*.json"))
TRIOS = [file for file in FILES if "trio" in file.name]
SOLOS = [file for file in FILES if "solo" in file.name]
REPEATED = ("ppipe-solo-L4-T4-38", "ppipe-solo-L4-T4-40")
"""Their reference has two pipelines of one sequence of GPU types, the second with an empty partition."""

pytestmark = pytest.mark.skipif(not FILES, reason="the measured instances (../shared/instances) are absent")


@cache
def expected() -> dict[str, Any]:
    """Known values by instance."""
    return json.loads((SHARED / "pipelines_expected.json").read_text())


@cache
def solved(file: Path, one_per_sequence: bool = False) -> Result[Any, Any, Any]:
    """The checked result."""
    return solve(load(file), "columns", one_per_sequence=one_per_sequence)


def checked(file: Path, one_per_sequence: bool = False) -> float:
    """Weighted requests per second."""
    result = solved(file, one_per_sequence)
    assert result.value is not None, result.reason
    return float(result.value)


@pytest.mark.fifth("file")
@pytest.mark.parametrize("one_per_sequence", [False, True], ids=["many", "one per sequence"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_plan_is_proven(file: Path, one_per_sequence: bool) -> None:
    assert solved(file, one_per_sequence).status.value == "optimal"


@pytest.mark.fifth("file")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_plan_is_as_good_as_the_best_known(file: Path) -> None:
    assert checked(file) >= expected()[file.stem]["found"] * (1 - PROOF_TOLERANCE)


@pytest.mark.fifth("file")
@pytest.mark.parametrize("file", TRIOS, ids=lambda file: file.stem)
def test_one_pipeline_per_sequence_serves_what_the_authors_milp_proved(file: Path) -> None:
    assert checked(file, True) == pytest.approx(expected()[file.stem]["reference_gurobi"], rel=1e-5)


@pytest.mark.fifth("file")
@pytest.mark.parametrize("file", [f for f in SOLOS if f.stem not in REPEATED], ids=lambda file: file.stem)
def test_one_pipeline_per_sequence_is_not_below_the_authors_milp(file: Path) -> None:
    assert checked(file, True) >= expected()[file.stem]["reference_gurobi"] * (1 - OPTIMALITY_TOLERANCE)


@pytest.mark.parametrize("file", [f for f in SOLOS if f.stem in REPEATED], ids=lambda file: file.stem)
def test_where_the_authors_milp_repeats_a_sequence_many_pipelines_serve_the_same(file: Path) -> None:
    assert checked(file) == pytest.approx(expected()[file.stem]["reference_gurobi"], rel=OPTIMALITY_TOLERANCE)


@pytest.mark.parametrize("name", ["ppipe-trio-V100-P4-14", "ppipe-solo-L4-T4-26"])
def test_unmerged_layers_are_proven(name: str) -> None:
    cluster = unmerged(load(SHARED / "pipelines" / f"{name}.json"), 0)
    assert solve(cluster, "columns").status.value == "optimal"


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", ["ppipe-trio-L4-P4-16", "ppipe-solo-L4-T4-30"])
@pytest.mark.parametrize("limit_s", [0.03, 0.06, 0.12, 0.25])
def test_bound_under_a_time_limit_holds_for_the_optimum(name: str, limit_s: float) -> None:
    file = SHARED / "pipelines" / f"{name}.json"
    answer = run_columns(load(file), PipelineSpace(), Limits(time_limit_s=limit_s))
    assert answer.bound is not None
    assert answer.bound >= checked(file)


@pytest.mark.parametrize("name", ["ppipe-solo-L4-T4-32", "ppipe-solo-L4-T4-36"])
def test_a_thousand_times_the_gpus_are_proven_by_the_relaxation(name: str) -> None:
    cluster = scaled(load(SHARED / "pipelines" / f"{name}.json"), 1000)
    assert solve(cluster, "columns", time_limit_s=20).status.value == "optimal"


@pytest.mark.slow
def test_milp_over_large_numbers_claims_no_bound_below_a_checked_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    # HiGHS alone calls 10226298/s optimal here.
    cluster = scaled(load(SHARED / "pipelines" / "ppipe-solo-L4-T4-32.json"), 1000)
    best = solve(cluster, "columns", time_limit_s=20).value
    monkeypatch.setattr(solver, "search_many_gpus", lambda node: None)
    answer = run_columns(cluster, PipelineSpace(), Limits(time_limit_s=20))
    assert best is not None
    assert answer.bound is not None
    assert answer.bound >= best


def test_one_pipeline_per_sequence_holds_with_the_bulk() -> None:
    cluster = scaled(load(SHARED / "pipelines" / "ppipe-solo-L4-T4-36.json"), 1000)
    space = PipelineSpace(one_per_sequence=True)
    answer = run_columns(cluster, space, Limits(time_limit_s=2))
    assert answer.plan is not None
    assert evaluate(cluster, answer.plan, space).feasible


def test_time_limit_is_kept() -> None:
    cluster = unmerged(load(SHARED / "pipelines" / "ppipe-solo-L4-T4-30.json"), 0)
    started = time.process_time()
    answer = run_columns(cluster, PipelineSpace(), Limits(time_limit_s=0.5))
    assert time.process_time() - started < 3
    assert answer.plan is None or evaluate(cluster, answer.plan).feasible
