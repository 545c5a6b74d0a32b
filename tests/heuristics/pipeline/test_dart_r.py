import json
from dataclasses import replace

import pytest
from places import SHARED

from euclio.core.registry import Limits, solvers
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Objective, evaluate
from euclio.problems.pipeline.files import load_cluster
from euclio.workloads.pipeline.small_clusters import small_cluster
from heuristics.pipeline import DART_SPACE, NO_PARTITIONING_SPACE, dart_space
from heuristics.pipeline.dart_r import best_chain, gpu_classes, proportional, solve_dart_r
from heuristics.pipeline.gpu_counts import solve_no_partitioning

FOLDER = SHARED / "pipelines"
measured = pytest.mark.skipif(not FOLDER.is_dir(), reason="the measured clusters are not next to the checkout")
TRIOS = sorted(path.stem for path in FOLDER.glob("*trio*.json"))


def cluster(*gpus, slo_s="0.1", transfer_s="0.001", **latencies):
    """One model of two blocks at batch 1; `latencies` are by GPU type, of each block."""
    profiles = [BlockProfile(gpu, 1, [[x] for x in row]) for gpu, row in latencies.items()]
    return Cluster("c", [Gpu(*gpu) for gpu in gpus], [Model("m", slo_s, [transfer_s], profiles)])


def lopsided(high=2, low=2, **changes):
    """The low class is nearly as fast on the first block and slow on the second; alone it misses the SLO."""
    return cluster(("H", high), ("L", low), H=["0.02", "0.02"], L=["0.022", "0.1"], **changes)


def run(instance, space=DART_SPACE):
    own = dart_space(instance, space)
    answer = solve_dart_r(instance, own, Limits())
    return answer.plan, evaluate(instance, answer.plan, own)


def sequences(plan):
    return [pipeline.sequence for pipeline in plan.pipelines]


def test_the_high_class_has_the_least_whole_model_latency():
    assert gpu_classes(lopsided()) == ("H", "L")


def test_the_chain_puts_each_block_where_it_loses_least():
    instance = lopsided()
    chain = best_chain(instance, instance.models[0], ("L", "H"), DART_SPACE)
    assert (chain.gpus, chain.split) == (("L", "H"), 1)


def test_a_chain_serves_as_the_slower_of_its_partitions():
    """First block on L: 0.022 s, second on H: 0.02 s."""
    instance = lopsided()
    chain = best_chain(instance, instance.models[0], ("L", "H"), DART_SPACE)
    assert chain.rate_rps == pytest.approx(1 / 0.022)


def test_a_slow_link_limits_the_chain():
    """0.04 s a request on the link of the one GPU of the server; 0.022 + 0.04 + 0.02 s meets the SLO."""
    instance = lopsided(transfer_s="0.04")
    chain = best_chain(instance, instance.models[0], ("L", "H"), DART_SPACE)
    assert chain.rate_rps == 25


def test_no_chain_that_misses_the_slo():
    instance = lopsided(transfer_s="0.06")
    assert best_chain(instance, instance.models[0], ("L", "H"), DART_SPACE) is None


def test_pairs_are_replicated_as_often_as_there_are_gpus_of_both():
    plan, _ = run(lopsided(high=2, low=5))
    assert [p.gpus for p in plan.pipelines[0].partitions] == [2, 2]


def test_what_is_left_over_runs_whole_models():
    plan, _ = run(lopsided(high=5, low=2))
    assert sequences(plan) == [("L", "H"), ("H",)]


def test_a_pair_runs_whole_models_where_that_serves_more():
    """Alone H serves 25/s and L 20/s, together more than any chain: its slower partition takes 0.025 s."""
    plan, _ = run(cluster(("H", 1), ("L", 1), H=["0.02", "0.02"], L=["0.025", "0.025"]))
    assert sequences(plan) == [("H",), ("L",)]


def test_the_rest_of_three_types_runs_whole_models():
    instance = cluster(
        ("H", 1), ("L", 2), ("X", 1), H=["0.02", "0.02"], L=["0.022", "0.1"], X=["0.03", "0.03"], transfer_s="0.001"
    )
    assert sequences(run(instance)[0]) == [("L", "H"), ("X",)]


def test_one_type_is_served_as_by_no_partitioning():
    instance = cluster(("H", 3), H=["0.02", "0.02"])
    plan, _ = run(instance)
    assert plan == solve_no_partitioning(instance, NO_PARTITIONING_SPACE, Limits()).plan


def test_gpus_are_divided_in_proportion_with_the_largest_remainders_first():
    assert proportional(10, {"a": 1, "b": 1, "c": 1}) == {"a": 4, "b": 3, "c": 3}


def test_a_model_keeps_the_low_class_gpus_that_its_throughput_needs():
    """One model meets its SLO on L alone and gets no H; all L in proportion to H would leave it without."""
    profiles = [BlockProfile("L", 1, [["0.02"], ["0.02"]])]
    one = lopsided(high=2, low=2)
    both = Cluster("both", one.gpus, [*one.models, Model("n", "0.1", ["0.001"], profiles)])
    assert run(both)[1].value == run(both, NO_PARTITIONING_SPACE)[1].value > 0


@pytest.mark.parametrize("seed", range(24))
def test_an_allocation_that_the_limit_cuts_short_is_divided_as_well(seed):
    """Such an allocation names only pairs of a model and a GPU type that have GPUs."""
    instance = small_cluster(seed)
    answer = solve_dart_r(instance, dart_space(instance, DART_SPACE), Limits(time_limit_s=0.0))
    assert answer.plan is None or evaluate(instance, answer.plan, dart_space(instance, DART_SPACE)).feasible


def test_where_whole_models_have_no_plan_it_has_none():
    instance = cluster(("H", 1), ("L", 1), H=["0.2", "0.2"], L=["0.2", "0.2"])
    answer = solve_dart_r(instance, DART_SPACE, Limits())
    assert (answer.plan, answer.infeasible) == (None, False)  # a chain might serve what no whole model does
    assert "meets its SLO whole" in answer.reason


def test_least_cost_does_not_apply():
    """It maximises throughput, and its record says so."""
    least_cost = replace(DART_SPACE, objective=Objective.COST)
    assert [demand.name for demand in solvers()["dart-r"].uncovered(lopsided(), least_cost)] == ["least_cost"]


@pytest.mark.fifth("name")
@measured
@pytest.mark.parametrize("name", TRIOS)
def test_three_models_are_served_as_the_authors_plans_serve_them(name):
    expected = json.loads((FOLDER.parent / "pipelines_expected.json").read_text(encoding="utf-8"))
    _, checked = run(load_cluster(FOLDER / f"{name}.json"))
    assert float(checked.value) == pytest.approx(expected[name]["dart_r"], rel=1e-5)


@pytest.mark.fifth("name")
@measured
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_serves_at_least_as_much_as_no_partitioning(name):
    instance = load_cluster(FOLDER / f"{name}.json")
    alone = solve_no_partitioning(instance, NO_PARTITIONING_SPACE, Limits())
    assert float(run(instance)[1].value) >= alone.claimed * (1 - 1e-9)


@pytest.mark.fifth("name")
@measured
@pytest.mark.parametrize("name", TRIOS)
def test_the_plan_keeps_to_its_plan_space(name):
    assert run(load_cluster(FOLDER / f"{name}.json"))[1].feasible
