"""The worked example of docs/model/columns.md: its numbers, step by step."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path

import numpy as np
import pytest

from euclio.core.registry import Limits
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan, PipelineSpace
from formulations.pipeline.columns.division import pack_and_divide
from formulations.pipeline.columns.enumeration import enumerate_columns
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.problem import Deadline, Progress, problem_of
from formulations.pipeline.columns.relaxation import relax
from formulations.pipeline.columns.search import find_incumbent, search
from formulations.pipeline.columns.solver import run_columns

PAGE = Path(__file__).resolve().parents[3] / "docs" / "model" / "columns.md"
A, HALF, B = (0, 1), (0, 2), (1, 1)
"""GPU type and share: a whole A, half an A, a whole B."""


def example() -> Cluster:
    """One A and one B; a model of two blocks, 10 ms each on A, 12.5 ms on half of it, 20 ms on B; SLO 35 ms."""
    profiles = [
        BlockProfile("A", 1, [["0.0100"], ["0.0100"]]),
        BlockProfile("A", 2, [["0.0125"], ["0.0125"]]),
        BlockProfile("B", 1, [["0.0200"], ["0.0200"]]),
    ]
    return Cluster("example", [Gpu("A", 1), Gpu("B", 1)], [Model("m", "0.035", [0], profiles)], 2, True)


def root() -> Node:
    """The root of the search."""
    problem, columns = problem_of(example(), PipelineSpace()), enumerate_columns(example(), PipelineSpace())
    relaxation = relax(problem, columns)
    assert relaxation is not None
    return Node(problem, columns, relaxation, Progress(relaxation.bound, time.perf_counter()), Deadline(inf))


def index(node: Node, *partitions: tuple[int, int]) -> int:
    """The column of these GPU types and shares."""
    wanted = [*partitions, *[(-1, 1)] * (node.columns.gpu.shape[1] - len(partitions))]
    found = np.stack([node.columns.gpu, node.columns.share], axis=-1)
    (column,) = np.flatnonzero((found == np.array(wanted)).all(axis=(1, 2)))
    return int(column)


def test_ten_pipelines_keep_the_slo() -> None:
    assert len(root().columns) == 10


def test_prices_bound_and_reduced_costs() -> None:
    node = root()
    prices = node.relaxation
    assert prices.gpu.tolist() == pytest.approx([80, 25])
    assert prices.model.tolist() == pytest.approx([1])
    assert prices.bound == pytest.approx(105)
    named = {(A,): 0.6, (HALF,): 0.0, (A, B): 0.3, (HALF, B): 0.0, (B, HALF): 0.0}
    assert [prices.reduced_cost[index(node, *key)] for key in named] == pytest.approx(list(named.values()), abs=1e-9)


def test_losses_of_patterns() -> None:
    node = root()
    patterns = node.find_patterns(30.0)
    found = {
        (int(column), tuple(count)): (served, loss)
        for column, count, served, loss in zip(
            patterns.column, patterns.count.tolist(), patterns.served, patterns.loss, strict=True
        )
    }
    assert found[index(node, HALF), (1, 0)] == pytest.approx((40, 0), abs=1e-9)
    assert found[index(node, HALF), (2, 0)] == pytest.approx((80, 0), abs=1e-9)
    assert found[index(node, HALF, B), (1, 1)] == pytest.approx((50, 15), abs=1e-9)


def test_incumbent_bound_and_pools() -> None:
    node = root()
    patterns = find_incumbent(node)
    assert node.progress.value == pytest.approx(80)
    assert node.what_may_be_lost == pytest.approx(25)
    divided = pack_and_divide(node, patterns, node.what_may_be_lost, restricted=False)
    assert divided.division.value == pytest.approx(90)
    search(node)
    assert node.progress.value == pytest.approx(90)
    assert node.progress.closed


def test_answer() -> None:
    answer = run_columns(example(), PipelineSpace(), Limits())
    alone = Pipeline("m", (Partition("A", 2, 1, 0, 1, 1),))
    pooled = Pipeline("m", (Partition("A", 2, 1, 0, 0, 1), Partition("B", 1, 1, 1, 1, 1)))
    assert answer.plan == PipelinePlan((alone, pooled))
    assert (answer.raw_status, answer.claimed) == ("optimal", 90)


@pytest.mark.parametrize(
    "said",
    [
        "ten columns",
        "π = (80, 25), μ = 1, bound 80 + 25 = 105",
        "**80 requests/s**",
        "**90 requests/s**",
        "105 − 15 = 90",
    ],
)
def test_the_page_says_so(said: str) -> None:
    assert said in PAGE.read_text(encoding="utf-8")
