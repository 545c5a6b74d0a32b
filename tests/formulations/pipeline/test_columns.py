"""`columns` on clusters small enough to reckon by hand or to enumerate."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from column_cases import FULL, SEEDS, differs, space_of, value

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Objective, PipelineSpace, evaluate
from euclio.workloads.pipeline.instances import ClusterRequest, pipeline_cluster
from euclio.workloads.pipeline.setups import find_setup, with_counts
from euclio.workloads.pipeline.small_clusters import small_cluster
from formulations.pipeline.columns import search
from formulations.pipeline.columns.solver import run_columns


def two_types(slo_s: str = "0.030", weight: int = 1, fast: int = 2, slow: int = 3) -> Cluster:
    """A model of two blocks: 10 ms each on `fast`, 20 ms each on `slow`; the transfer takes 1 ms, batch 1 alone."""
    profiles = [
        BlockProfile("fast", 1, [["0.010"], ["0.010"]]),
        BlockProfile("slow", 1, [["0.020"], ["0.020"]]),
    ]
    model = Model("m", slo_s, ["0.001"], profiles, weight=weight, rate_rps=100)
    gpus = [Gpu("fast", fast, price_per_h=2), Gpu("slow", slow, price_per_h=1)]
    return Cluster("two types", gpus, [model], 2, True)


def test_best_plan_pools_where_only_a_pipeline_keeps_the_slo() -> None:
    # Whole model: 20 ms on fast (50/s), 40 ms on slow (too slow). slow -> fast: 31 ms, too slow as well at 30 ms.
    assert value(two_types("0.030")) == pytest.approx(100)


def test_best_plan_mixes_pools_when_the_slo_allows_it() -> None:
    # 31 ms: 3 slow (150/s) -> 2 fast (200/s) serve 150/s, against 2 fast alone 100/s.
    assert value(two_types("0.031")) == pytest.approx(150)


def test_least_cost_serves_the_rate_at_the_least_price() -> None:
    # 100/s: 2 fast cost 4; 2 slow -> 1 fast cost 4 as well; 40 ms: 4 slow cost 4, but there are 3.
    assert value(two_types("0.031"), PipelineSpace(objective=Objective.COST)) == 4


def test_no_pipeline_within_the_slo_is_infeasible_and_says_so() -> None:
    answer = run_columns(two_types("0.015"), FULL, Limits())
    assert (answer.infeasible, answer.reason) == (True, "no pipeline of model m meets its SLO")


def test_rates_beyond_the_cluster_are_infeasible_at_least_cost() -> None:
    cluster = two_types("0.030", fast=1)
    assert run_columns(cluster, PipelineSpace(objective=Objective.COST), Limits()).infeasible


def test_one_gpu_for_two_models_is_infeasible() -> None:
    cluster = two_types(fast=1, slow=1)
    model = cluster.models[0]
    other = Model("n", "0.030", model.transfer_s_per_request, model.profiles)
    assert run_columns(Cluster("two", cluster.gpus, [model, other], 2, True), FULL, Limits()).infeasible


def test_too_many_pipelines_are_refused() -> None:
    profile = BlockProfile("A", 1, [["0.001"] * 8] * 80)
    model = Model("m", 1, [0] * 79, [profile])
    with pytest.raises(InapplicableError, match="would have to be enumerated"):
        run_columns(Cluster("long", [Gpu("A", 4)], [model], 6, False), FULL, Limits())


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_agree_with_brute_force(seed: int) -> None:
    """Pools as tables and as a model are two ways to the same number; here the first."""
    assert differs(seed) == ""


@pytest.mark.parametrize("seed", SEEDS[:15])
def test_milp_agrees_with_brute_force(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pools as tables and as a model are two ways to the same number; here the second."""
    monkeypatch.setattr(search, "MOST_AMOUNTS", 0)
    assert differs(seed) == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_bound_is_on_the_right_side_of_the_checked_value(seed: int) -> None:
    """Throughput is bounded from above, cost from below."""
    cluster, space = small_cluster(seed), space_of(seed)
    answer = run_columns(cluster, space, Limits())
    if answer.plan is None:
        return
    checked = evaluate(cluster, answer.plan, space).value
    assert checked is not None
    assert answer.bound is not None
    sign = -1 if space.objective is Objective.COST else 1
    assert sign * (Fraction(answer.bound) - checked) >= 0


@pytest.fixture
def cluster(seed: int) -> Cluster:
    """A small cluster that has a plan."""
    found = small_cluster(seed)
    assert run_columns(found, FULL, Limits()).plan is not None
    return found


@pytest.mark.parametrize("seed", range(100, 112))
def test_doubled_weights_halve_the_value(cluster: Cluster) -> None:
    """The value is a throughput over a weight: an absolute tolerance of the search would break the scale."""
    doubled = replace(cluster, models=tuple(replace(m, weight=2 * m.weight) for m in cluster.models))
    assert value(doubled) == pytest.approx(value(cluster) / 2)


@pytest.mark.parametrize("seed", range(100, 112))
def test_order_of_gpu_types_does_not_matter(cluster: Cluster) -> None:
    """Columns number GPU types by their place; a type mistaken for another one changes the value."""
    turned = Cluster("turned", cluster.gpus[::-1], cluster.models, cluster.max_partitions, cluster.unify_batch)
    assert value(turned) == pytest.approx(value(cluster))


@pytest.mark.parametrize("seed", range(100, 112))
def test_a_looser_slo_never_lowers_the_value(cluster: Cluster) -> None:
    """Every column within the SLO is one within a looser SLO, so a lower value has lost a column."""
    looser = replace(cluster, models=tuple(replace(m, slo_s=m.slo_s * Fraction(11, 10)) for m in cluster.models))
    assert value(looser) >= value(cluster) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(100, 112))
def test_one_more_gpu_never_lowers_the_value(cluster: Cluster) -> None:
    """A plan may leave a GPU idle, so a lower value has lost a plan."""
    first, *rest = cluster.gpus
    gpus = [Gpu(first.name, first.count + 1, first.gpus_per_server, first.price_per_h), *rest]
    larger = Cluster("larger", gpus, cluster.models, cluster.max_partitions, cluster.unify_batch)
    assert value(larger) >= value(cluster) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(100, 112))
def test_one_pipeline_per_sequence_is_never_better(cluster: Cluster) -> None:
    """PPipe's own plan space is part of the whole one, so a better value has counted a pipeline twice."""
    assert value(cluster, replace(FULL, one_per_sequence=True)) <= value(cluster) * (1 + 1e-9)


def test_time_limit_of_zero_leaves_the_bound_of_the_relaxation() -> None:
    answer = run_columns(two_types("0.031"), FULL, Limits(time_limit_s=0.0))
    assert answer.plan is None
    assert answer.bound is not None
    assert answer.bound >= 150


def test_same_run_twice_gives_the_same_plan() -> None:
    cluster = small_cluster(100)
    assert run_columns(cluster, FULL, Limits()).plan == run_columns(cluster, FULL, Limits()).plan


@pytest.mark.slow
def test_bulk_keeps_one_pipeline_per_sequence_where_the_relaxation_mixes_two() -> None:
    setup = with_counts(find_setup("HC1-L"), 25000, 75000)
    models = ("EfficientNet-B8", "EncNet", "RTMDet")
    cluster = pipeline_cluster(ClusterRequest(setup, models, (Fraction(1, 3),) * 3))
    space = PipelineSpace(one_per_sequence=True)
    answer = run_columns(cluster, space, Limits(time_limit_s=3))
    assert answer.plan is not None
    assert evaluate(cluster, answer.plan, space).feasible
