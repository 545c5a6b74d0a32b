import itertools
import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from places import SHARED

from euclio.core.errors import InputError
from euclio.core.registry import Limits
from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Objective, evaluate
from euclio.problems.pipeline.files import load_cluster
from heuristics.pipeline import NO_PARTITIONING_SPACE
from heuristics.pipeline.gpu_counts import solve_no_partitioning, whole_models

FOLDER = SHARED / "pipelines"
measured = pytest.mark.skipif(not FOLDER.is_dir(), reason="the measured clusters are not next to the checkout")
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
COST = replace(NO_PARTITIONING_SPACE, objective=Objective.COST)


def model(name, slo_s, *, batch_build=None, rate_rps=None, weight=1, **latencies):
    """A model of two blocks; `latencies` are by GPU type, per batch, of each block."""
    profiles = [BlockProfile(gpu, 1, [row, row]) for gpu, row in latencies.items()]
    return Model(name, slo_s, [0], profiles, weight=weight, batch_build=batch_build, rate_rps=rate_rps)


def two_types(*models, fast=2, slow=3):
    return Cluster("two types", [Gpu("fast", fast, 1, "0.9"), Gpu("slow", slow, 1, "0.3")], models)


def random_cluster(seed):
    stream = random.Random(seed)

    def latency():
        return [f"{stream.uniform(0.01, 0.05) * b**0.8:.4f}" for b in (1, 2, 3)]

    models = [
        model(f"m{k}", "0.15", fast=latency(), slow=latency(), weight=stream.randint(1, 3), rate_rps=20)
        for k in range(2)
    ]
    return two_types(*models, fast=stream.randint(1, 4), slow=stream.randint(1, 4))


def every_allocation(cluster):
    """What each model is served, and the GPUs used, for every allocation of whole GPUs."""
    rates = whole_models(cluster, NO_PARTITIONING_SPACE)
    pairs = list(rates)
    for counts in itertools.product(*(range(cluster.gpu(gpu).count + 1) for _, gpu in pairs)):
        used = {
            g.name: sum(n for (_, name), n in zip(pairs, counts, strict=True) if name == g.name) for g in cluster.gpus
        }
        if all(used[g.name] <= g.count for g in cluster.gpus):
            yield (
                [
                    sum(rates[p].rate_rps * n for p, n in zip(pairs, counts, strict=True) if p[0] == m.name)
                    for m in cluster.models
                ],
                used,
            )


def run(cluster, space=NO_PARTITIONING_SPACE):
    answer = solve_no_partitioning(cluster, space, Limits())
    return answer, None if answer.plan is None else evaluate(cluster, answer.plan, space)


def test_a_gpu_takes_the_batch_with_most_throughput():
    """Both blocks: batch 1 in 0.04 s (25/s), 2 in 0.10 s (20/s), 3 in 0.11 s (27.3/s)."""
    cluster = two_types(model("m", "0.2", fast=["0.02", "0.05", "0.055"]))
    assert whole_models(cluster, NO_PARTITIONING_SPACE)["m", "fast"].batch == 3


def test_the_batch_build_delay_takes_its_part_of_the_slo():
    """Batch 2 in 0.1 s and 0.05 s to gather: 0.15 s; batch 3 in 0.11 s and 0.1 s: 0.21 s."""
    build = BatchBuild(1, 20)
    cluster = two_types(model("m", "0.2", batch_build=build, fast=["0.05", "0.05", "0.055"]))
    assert whole_models(cluster, NO_PARTITIONING_SPACE)["m", "fast"].batch == 2


def test_a_model_that_meets_its_slo_nowhere_is_infeasible_and_named():
    answer, _ = run(two_types(model("m", "0.2", fast=["0.02"]), model("n", "0.01", fast=["0.02"])))
    assert answer.infeasible
    assert answer.reason == "model n meets its SLO whole on no whole GPU"


def test_more_models_than_gpus_is_infeasible():
    models = [model(name, "0.2", fast=["0.02"]) for name in "abc"]
    answer, _ = run(two_types(*models, fast=2))
    assert answer.infeasible
    assert "too few whole GPUs" in answer.reason


def test_a_model_whose_weight_dwarfs_the_others_leaves_none_out():
    """Throughput per weight is below the library's tolerance, whatever the GPUs."""
    models = [model("m", "0.2", fast=["0.02"], weight="1e12"), model("n", "0.2", fast=["0.02"], weight="1e-12")]
    answer, checked = run(two_types(*models))
    assert checked.feasible
    assert answer.bound >= checked.value


def test_gpus_that_are_left_over_go_to_the_model_served_least():
    """One model runs on slow GPUs only and gets them all; the fast ones serve the other."""
    _, checked = run(two_types(model("m", "0.2", fast=["0.02"]), model("n", "0.2", slow=["0.02"])))
    assert checked.gpus == {"fast": 2, "slow": 3}


@pytest.mark.parametrize("seed", range(12))
def test_is_the_best_of_every_allocation(seed):
    """Whole models on GPUs are few enough to list: the largest throughput of all."""
    cluster = random_cluster(seed)
    _, checked = run(cluster)
    best = max(
        min(Fraction(x) / m.weight for x, m in zip(served, cluster.models, strict=True))
        for served, _ in every_allocation(cluster)
    )
    assert checked.value == best


@pytest.mark.parametrize("seed", range(6))
def test_least_cost_is_the_best_of_every_allocation(seed):
    """Whole models on GPUs are few enough to list: the least cost of all."""
    cluster = random_cluster(seed)
    _, checked = run(cluster, COST)
    prices = [
        sum(used[g.name] * g.price_per_h for g in cluster.gpus)
        for served, used in every_allocation(cluster)
        if all(x >= m.rate_rps for x, m in zip(served, cluster.models, strict=True))
    ]
    assert (checked.value if checked else None) == min(prices, default=None)


def test_a_load_that_no_allocation_serves_is_infeasible():
    answer, _ = run(two_types(model("m", "0.2", rate_rps=1000, fast=["0.02"])), COST)
    assert answer.infeasible


def test_least_cost_without_rates_is_bad_input():
    with pytest.raises(InputError, match="rate_rps"):
        run(two_types(model("m", "0.2", fast=["0.02"])), COST)


def expected(name):
    entries = json.loads((FOLDER.parent / "pipelines_expected.json").read_text(encoding="utf-8"))
    return entries[name]["no_partitioning"]


@pytest.mark.fifth("name")
@measured
@pytest.mark.parametrize("name", [n for n in NAMES if "trio" in n])
def test_three_models_are_served_as_the_authors_plans_serve_them(name):
    _, checked = run(load_cluster(FOLDER / f"{name}.json"))
    assert float(checked.value) == pytest.approx(expected(name), rel=1e-5)


@measured
@pytest.mark.parametrize("name", [n for n in NAMES if "solo" in n])
def test_one_model_is_served_at_least_as_by_the_authors_largest_batch(name):
    _, checked = run(load_cluster(FOLDER / f"{name}.json"))
    assert float(checked.value) >= expected(name) * (1 - 1e-9)


@pytest.mark.fifth("name")
@measured
@pytest.mark.parametrize("name", NAMES)
def test_the_bound_proves_the_plan(name):
    answer, checked = run(load_cluster(FOLDER / f"{name}.json"))
    assert float(checked.value) <= answer.bound <= float(checked.value) * (1 + 1e-6)
