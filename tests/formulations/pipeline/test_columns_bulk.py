"""`columns` where most GPUs are set aside: the same answers as tables, brute force and published optima."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from column_cases import differs, space_of, value
from places import SHARED

from euclio import load
from euclio.core.registry import Limits
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Objective, PipelineSpace, evaluate
from euclio.workloads.pipeline.instances import ClusterRequest, pipeline_cluster
from euclio.workloads.pipeline.layer_models import groups, weights
from euclio.workloads.pipeline.setups import find_setup, with_counts
from euclio.workloads.pipeline.small_clusters import small_cluster
from formulations.pipeline.columns import solver
from formulations.pipeline.columns.dominance import unmerged
from formulations.pipeline.columns.enumeration import Columns, enumerate_columns
from formulations.pipeline.columns.solver import run_columns
from tests.bench.pipelines_speed import TYPES
from tests.bench.unmerged import merged, scaled

MEASURED = sorted((SHARED / "pipelines").glob("*.json"))
TIMES = 20


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cluster counts as one of many GPUs."""
    monkeypatch.setattr(solver, "MANY", 0)


def larger(seed: int, times: int) -> Cluster:
    """A small cluster with many times the GPUs and rates."""
    cluster = scaled(small_cluster(seed), times)
    rated = [m if m.rate_rps is None else replace(m, rate_rps=m.rate_rps * times) for m in cluster.models]
    return replace(cluster, models=tuple(rated))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("seed", range(40))
def test_few_gpus_next_to_the_bulk_agree_with_brute_force(seed: int) -> None:
    """With the threshold for many GPUs lowered, what is assumed of the bulk is tried where all is listed."""
    assert differs(seed) == ""


@pytest.mark.parametrize("one_per_sequence", [False, True])
@pytest.mark.parametrize("seed", [2, 4, 6, 8, 9, 10, 13, 15])
def test_the_bulk_agrees_with_tables(seed: int, one_per_sequence: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways that a pool is packed meet at the number of GPUs where one takes over."""
    cluster, space = larger(seed, TIMES), replace(space_of(seed), one_per_sequence=one_per_sequence)
    by_tables = value(cluster, space)
    monkeypatch.setattr(solver, "MANY", 0)
    assert value(cluster, space) == pytest.approx(by_tables, rel=1e-9)


@pytest.mark.fifth("name")
@pytest.mark.usefixtures("many")
@pytest.mark.skipif(not MEASURED, reason="the measured instances (../shared/instances) are absent")
@pytest.mark.parametrize("name", ["solo-L4-T4-26", "solo-L4-T4-38", "trio-L4-P4-16", "trio-V100-P4-06"])
def test_the_bulk_proves_measured_clusters(name: str) -> None:
    cluster = load(SHARED / "pipelines" / f"ppipe-{name}.json")
    proven = run_columns(cluster, PipelineSpace(), Limits())
    assert proven.raw_status == "optimal"


@pytest.mark.fifth("name")
@pytest.mark.skipif(not MEASURED, reason="the measured instances (../shared/instances) are absent")
@pytest.mark.parametrize("name", [file.stem for file in MEASURED])
def test_a_hundred_thousand_gpus_are_proven(name: str) -> None:
    cluster = scaled(load(SHARED / "pipelines" / f"{name}.json"), 1000)
    assert run_columns(cluster, PipelineSpace(), Limits()).raw_status == "optimal"


def test_many_gpus_of_one_type_are_divided_between_two_models() -> None:
    # Model a serves 100/s on a GPU, b 50/s, each as much: 99,999 GPUs are 33,333 for a and 66,666 for b, 3,333,300/s.
    gpus = [Gpu("G", 99_999)]
    models = [
        Model(name, 1, [], [BlockProfile("G", 1, [[latency]])]) for name, latency in (("a", "0.01"), ("b", "0.02"))
    ]
    assert value(Cluster("two", gpus, models, 1, True)) == 3_333_300


def test_least_cost_with_many_gpus_is_a_plan_within_the_bound() -> None:
    cluster, space = larger(9, 10_000), PipelineSpace(objective=Objective.COST)
    answer = run_columns(cluster, space, Limits(time_limit_s=2))
    assert answer.plan is not None
    cost = evaluate(cluster, answer.plan, space).value
    assert cost is not None
    assert answer.bound is not None
    assert answer.bound <= cost


@pytest.mark.fifth("name")
@pytest.mark.skipif(not MEASURED, reason="the measured instances (../shared/instances) are absent")
@pytest.mark.parametrize("one_per_sequence", [False, True])
@pytest.mark.parametrize("name", ["solo-L4-T4-36", "trio-L4-P4-08"])
def test_least_cost_of_a_hundred_thousand_gpus_is_proven(name: str, one_per_sequence: bool) -> None:
    space = PipelineSpace(objective=Objective.COST, one_per_sequence=one_per_sequence)
    cluster = scaled(load(SHARED / "pipelines" / f"ppipe-{name}.json"), 1000)
    # All L4 and some of the others are needed for these rates.
    rates = {1: [8_000_000], 3: [1_000_000, 1_100_000, 1_200_000]}[len(cluster.models)]
    gpus = [Gpu(gpu.name, gpu.count, price_per_h=price) for gpu, price in zip(cluster.gpus, (0.7, 0.5), strict=True)]
    models = [replace(m, rate_rps=rate) for m, rate in zip(cluster.models, rates, strict=True)]
    priced = Cluster(cluster.name, gpus, models, cluster.max_partitions, cluster.unify_batch)
    assert run_columns(priced, space, Limits()).raw_status == "optimal"


def test_a_model_cut_between_equal_gpus_is_replaced_by_the_whole() -> None:
    profile = BlockProfile("G", 1, [["0.01"], ["0.01"]])
    cluster = Cluster("cut", [Gpu("G", 4)], [Model("m", 1, ["0"], [profile])], 2, True)
    columns: Columns = enumerate_columns(cluster, PipelineSpace())
    kept = columns.take(unmerged(columns, np.arange(len(columns))))
    assert kept.live.sum(axis=1).tolist() == [1]
    assert np.all(columns.model == 0)


def test_a_cut_before_a_divided_partition_moves_its_pool_only_if_nothing_else_is_in_it() -> None:
    # Blocks on one GPU: [0, 1 | 2 on half a GPU] replaces [0 | 1 | 2 on half a GPU], whose last pool is another one.
    whole, half = BlockProfile("G", 1, [["0.01"]] * 3), BlockProfile("G", 2, [["0.02"]] * 3)
    cluster = Cluster("cut", [Gpu("G", 9)], [Model("m", 1, ["0", "0"], [whole, half])], 3, True)
    columns: Columns = enumerate_columns(cluster, PipelineSpace())
    ends, shares = columns.end.tolist(), columns.share.tolist()
    joint = next(i for i in range(len(columns)) if shares[i] == [1, 2, 1] and ends[i][:2] == [2, 3])
    cut = next(i for i in range(len(columns)) if shares[i] == [1, 1, 2] and ends[i] == [1, 2, 3])
    other = next(i for i in range(len(columns)) if shares[i] == [2, 2, 2] and ends[i] == [1, 2, 3])
    both = columns.take(np.array([joint, cut]))
    assert unmerged(both, np.array([0, 1])).tolist() == [0]
    with_another = columns.take(np.array([joint, cut, other]))
    assert unmerged(with_another, np.arange(3)).tolist() == [0, 1, 2]


def test_where_sequences_have_one_pipeline_a_cut_is_replaced_by_a_sequence_of_its_own() -> None:
    profile = BlockProfile("G", 1, [["0.01"], ["0.01"]])
    cluster = Cluster("cut", [Gpu("G", 4)], [Model("m", 1, ["0"], [profile])], 2, True)
    columns: Columns = enumerate_columns(cluster, PipelineSpace())
    assert columns.take(unmerged(columns, np.arange(len(columns)), alone=True)).live.sum(axis=1).tolist() == [1]
    twice = columns.take(np.array([0, 0, 1]))
    assert unmerged(twice, np.arange(3), alone=True).tolist() == [0, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "group"), [("HC1-L", 0), ("HC2-L", 0), ("HC3-L", 1), ("HC4-L", 2)])
@pytest.mark.parametrize("times", [100, 1000])
def test_one_pipeline_per_sequence_is_proven_with_many_gpus(name: str, group: int, times: int) -> None:
    setup = with_counts(find_setup(name), 25 * times, 75 * times)
    cluster = pipeline_cluster(ClusterRequest(setup, groups(0)[group], weights(3, 0), 0))
    space = PipelineSpace(one_per_sequence=True)
    answer = run_columns(cluster, space, Limits())
    assert answer.raw_status == "optimal"
    assert answer.plan is not None
    checked = evaluate(cluster, answer.plan, space)
    assert checked.feasible
    assert answer.bound == pytest.approx(float(checked.value), rel=2e-6)


@pytest.mark.usefixtures("many")
def test_least_cost_of_a_few_gpus_that_no_column_is_near_to_is_found_by_milp() -> None:
    cluster, space = small_cluster(155), replace(space_of(155), objective=Objective.COST)
    answer = run_columns(cluster, space, Limits())
    assert answer.plan is not None
    assert evaluate(cluster, answer.plan, space).value == Fraction(7, 20)


@pytest.mark.slow
@pytest.mark.skipif(not MEASURED, reason="the measured instances (../shared/instances) are absent")
@pytest.mark.parametrize("one_per_sequence", [False, True])
@pytest.mark.parametrize("names", TYPES)
def test_a_hundred_thousand_gpus_of_four_types_are_proven(names: tuple[str, ...], one_per_sequence: bool) -> None:
    # In the first of them one model has a type of which there are more GPUs than it needs, for itself.
    clusters = [load(SHARED / "pipelines" / f"{name}.json") for name in names]
    space = PipelineSpace(one_per_sequence=one_per_sequence)
    answer = run_columns(scaled(merged(clusters, 2), 1000), space, Limits())
    assert answer.raw_status == "optimal"


@pytest.mark.slow
@pytest.mark.parametrize("one_per_sequence", [False, True])
def test_a_model_that_needs_two_plentiful_types_is_served_by_both(one_per_sequence: bool) -> None:
    # Models a and c share S; b has enough of P and Q together, not of either alone.
    def profiles(name: str, latency: str) -> BlockProfile:
        return BlockProfile(name, 1, [[latency]])

    own = {"a": [profiles("S", "0.01")], "c": [profiles("S", "0.007")], "b": [profiles(n, "0.01") for n in "PQ"]}
    models = [Model(name, 1, [], blocks) for name, blocks in own.items()]
    gpus = [Gpu("S", 3001), Gpu("P", 1200), Gpu("Q", 1200)]
    # 1765 GPUs serve a 176,500/s, 1236 serve c 176,571/s; one less for a or for c is worse.
    assert value(Cluster("both", gpus, models, 1, True), PipelineSpace(one_per_sequence=one_per_sequence)) == 176_500
