import json
from dataclasses import replace

import pytest
from tiny_clusters import TEXT, answering, tiny_cluster, tiny_plan
from tiny_sessions import answering as session_solver
from tiny_sessions import tiny_session

from euclio import evaluate, load, solve
from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.objective import LEAST_COST, MOST_THROUGHPUT
from euclio.core.result import Status, TracePoint
from euclio.core.tables import to_text
from euclio.files import load_result, result_to_text, save_instance, save_result
from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model, Partition, Pipeline, PipelinePlan, PipelineSpace
from euclio.problems.pipeline.family import explain_latencies, least_latency_s, why_no_pipeline
from euclio.problems.pipeline.files import cluster_from_text
from euclio.serving.pipeline.system import build_system

VALUE = 200 / 3
"""Weighted throughput of the tiny plan."""


def solved(**answer):
    return solve(tiny_cluster(), answering(tiny_plan(), **answer))


@pytest.mark.parametrize(
    ("bound", "status"),
    [
        (VALUE, "optimal"),
        (VALUE * (1 + 9e-10), "optimal"),
        (VALUE * (1 - 9e-10), "optimal"),
        (VALUE * (1 + 2e-9), "feasible"),
        (None, "feasible"),
        (VALUE * (1 - 2e-9), "error"),
    ],
)
def test_the_status_follows_from_the_upper_bound(bound, status):
    assert solved(bound=bound).status.value == status


@pytest.mark.parametrize(("bound", "status"), [(8, "optimal"), (7, "feasible"), (9, "error")])
def test_the_status_follows_from_the_lower_bound_on_the_cost(bound, status):
    space = PipelineSpace(objective="cost")
    result = solve(tiny_cluster(), answering(tiny_plan(), bound=bound, space=space))
    assert result.status.value == status


def test_a_contradicted_bound_is_an_error_that_says_so():
    result = solved(bound=60.0)
    assert result.value is None
    assert result.reason == "the solver's bound is wrong: bound_rps is 60, below the checked throughput of 66.6666667"


def test_a_refused_plan_is_an_error_with_the_reason():
    result = solve(tiny_cluster(), answering(tiny_plan()), max_partitions=1)
    assert (result.status, result.value) == (Status.ERROR, None)
    assert result.reason.startswith("the checker refused the plan: pipeline 0 of see: has 2 partitions")


def test_no_plan_is_infeasible_only_where_the_solver_says_so():
    assert solve(tiny_cluster(), answering(None)).status is Status.UNKNOWN
    assert solve(tiny_cluster(), answering(None, infeasible=True)).status is Status.INFEASIBLE


def test_least_cost_without_prices_names_the_field():
    cluster = cluster_from_text(TEXT.replace(', "price_per_h": 1}', "}"))
    with pytest.raises(InputError, match=r"gpus\[1\].price_per_h: is missing; the least-cost objective needs it"):
        solve(cluster, answering(tiny_plan()), objective="cost")


def test_a_solver_of_another_family_is_refused_with_those_that_fit():
    with pytest.raises(InputError, match=r"solver 'exact' is for sessions; those for clusters are: .*no-partitioning"):
        solve(tiny_cluster(), "exact")


def test_what_is_no_instance_is_refused():
    with pytest.raises(InputError, match="int is no instance of a problem; give one of Session, Cluster"):
        solve(3)


@pytest.mark.parametrize("instance", [tiny_session(), tiny_cluster()])
def test_load_reads_the_instances_of_every_family(tmp_path, instance):
    save_instance(instance, tmp_path / "instance.json")
    assert load(tmp_path / "instance.json") == instance


def test_evaluate_is_the_checker_of_the_instances_family():
    assert evaluate(tiny_cluster(), tiny_plan()).value == solved().value


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_familys_tiny_instance_survives_its_files(tmp_path, family):
    instance, space = family.tiny(family.full_space)
    save_instance(instance, tmp_path / "tiny.json")
    assert load(tmp_path / "tiny.json") == instance
    assert family_of(instance) is family
    assert space == family.full_space


def test_fields_of_the_goals():
    fields = [(g.value_field, g.claimed_field, g.bound_field) for g in (MOST_THROUGHPUT, LEAST_COST)]
    assert fields[0] == ("throughput_rps", "claimed_throughput_rps", "bound_rps")
    assert fields[1] == ("cost_per_h", "claimed_cost_per_h", "bound_per_h")


def test_a_value_of_zero_is_proven_by_a_bound_of_zero():
    assert MOST_THROUGHPUT.proven(0, 0.0)
    assert not MOST_THROUGHPUT.proven(0, 1.0)


def test_written_result_gives_the_same_plan_and_space(tmp_path):
    cluster = tiny_cluster()
    result = solve(cluster, answering(tiny_plan(), bound=70.0), one_per_sequence=True, max_partitions=2)
    save_result(result, cluster, tmp_path / "r.json")
    read = load_result(tmp_path / "r.json", cluster)
    assert (read.plan, read.space, read.bound) == (result.plan, result.space, 70)
    assert float(read.value) == pytest.approx(VALUE, rel=1e-14)


def test_written_cost_result_gives_the_same_value(tmp_path):
    cluster = tiny_cluster()
    result = solve(cluster, answering(tiny_plan(), bound=8), objective="cost")
    save_result(result, cluster, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["bound_per_h"] == 8
    assert load_result(tmp_path / "r.json", cluster).value == 8


def test_figures_of_a_result_have_the_unit_of_the_goal():
    result = replace(solved(claimed=66.66666667, bound=70.0), trace=(TracePoint(0.1, 60.0, 80.0),))
    data = json.loads(result_to_text(result, tiny_cluster()))
    assert (data["claimed_throughput_rps"], data["bound_rps"]) == (66.66666667, 70.0)
    assert data["trace"] == [{"wall_s": 0.1, "incumbent_rps": 60.0, "bound_rps": 80.0}]
    assert "cost_per_h" not in data


def test_a_pipeline_is_written_with_its_rate_and_pools():
    data = json.loads(result_to_text(solved(), tiny_cluster()))
    assert data["plan"]["pipelines"][0] == {
        "model": "see",
        "batch": 1,
        "rate_rps": pytest.approx(400 / 7),
        "partitions": [
            {"gpu": "small", "share": 1, "gpus": 2, "first_block": 0, "last_block": 0},
            {"gpu": "big", "share": 2, "gpus": 2, "first_block": 1, "last_block": 1},
        ],
    }


def test_batches_that_differ_are_written_and_read(tmp_path):
    parts = (Partition("big", 1, 1, 0, 0, 2), Partition("big", 2, 2, 1, 1, 1))
    plan = PipelinePlan((Pipeline("see", parts),))
    whole = tiny_cluster()
    cluster = Cluster("tiny", whole.gpus, whole.models[:1], 2)
    result = solve(cluster, answering(plan), unify_batch=False)
    save_result(result, cluster, tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert [p.get("batch") for p in data["plan"]["pipelines"][0]["partitions"]] == [None, 1]
    assert load_result(tmp_path / "r.json", cluster).plan == plan


def test_result_without_plan_is_read(tmp_path):
    cluster = tiny_cluster()
    save_result(solve(cluster, answering(None, infeasible=True)), cluster, tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", cluster).plan is None


def test_a_result_of_a_session_is_none_of_a_cluster(tmp_path):
    session = tiny_session()
    save_result(solve(session, session_solver(None)), session, tmp_path / "r.json")
    with pytest.raises(InputError, match=r"options\.policy: is an unknown field"):
        load_result(tmp_path / "r.json", tiny_cluster())


def in_pipeline(**changes):
    return lambda d: d["plan"]["pipelines"][0].update(changes)


def in_partition(**changes):
    return lambda d: d["plan"]["pipelines"][0]["partitions"][0].update(changes)


def many_gpus():
    """A million GPUs in thirds, all in one pool, which is three million virtual ones."""
    model = Model("m", 1, [], [BlockProfile("g", 1, [["0.01"]]), BlockProfile("g", 3, [["0.01"]])])
    cluster = Cluster("many", [Gpu("g", 10**6)], [model])
    plan = PipelinePlan((Pipeline("m", (Partition("g", 3, 3 * 10**6, 0, 0, 1),)),))
    return cluster, solve(cluster, answering(plan))


def test_pool_of_any_size_is_read(tmp_path):
    """Virtual GPUs are more than GPUs, of which a cluster has up to a million."""
    cluster, result = many_gpus()
    assert result.reason == ""
    save_result(result, cluster, tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", cluster).plan == result.plan


def test_more_virtual_gpus_than_are_simulated_are_refused():
    """Each has a place in the simulator's memory."""
    cluster, result = many_gpus()
    with pytest.raises(InputError, match="has 3000000 virtual GPUs; up to 1000000 are simulated"):
        build_system(cluster, result.plan)


def test_limit_of_any_size_is_read_as_the_command_takes_it(tmp_path):
    result = solve(tiny_cluster(), answering(tiny_plan()), max_partitions=2_000_000)
    save_result(result, tiny_cluster(), tmp_path / "r.json")
    assert load_result(tmp_path / "r.json", tiny_cluster()).space == result.space


PIPELINE = "plan.pipelines[0]"

BAD_RESULTS = {
    "another instance": (lambda d: d.update(instance="other"), "instance", "give the result of this instance"),
    "unknown objective": (
        lambda d: d["options"].update(objective="luck"),
        "options.objective",
        "is 'luck'; it must be one of throughput, cost",
    ),
    "unknown option": (lambda d: d["options"].update(polcy=1), "options.polcy", "unknown field"),
    "no partitions allowed": (lambda d: d["options"].update(max_partitions=0), "options.max_partitions", "at least 1"),
    "flag as a text": (
        lambda d: d["options"].update(one_per_sequence="no"),
        "options.one_per_sequence",
        "it must be true or false",
    ),
    "figures of another goal": (lambda d: d.update(cost_per_h=1), "cost_per_h", "unknown field"),
    "throughput without unit": (lambda d: d.update(throughput=1), "throughput", "is an unknown field"),
    "unknown status": (lambda d: d.update(status="done"), "status", "one of optimal"),
    "unknown model": (in_pipeline(model="smell"), f"{PIPELINE}.model", "model 'smell' is not in the instance"),
    "unknown type": (in_partition(gpu="huge"), f"{PIPELINE}.partitions[0].gpu", "GPU type 'huge' is not in the"),
    "no partitions": (in_pipeline(partitions=[]), f"{PIPELINE}.partitions", "is empty"),
    "share as a fraction": (in_partition(share=0.5), f"{PIPELINE}.partitions[0].share", "whole number"),
    "share 0": (in_partition(share=0), f"{PIPELINE}.partitions[0].share", "from 1"),
    "no GPUs": (in_partition(gpus=0), f"{PIPELINE}.partitions[0].gpus", "at least 1"),
    "block before the first": (in_partition(first_block=-1), f"{PIPELINE}.partitions[0].first_block", "from 0"),
    "batch 0": (in_pipeline(batch=0), f"{PIPELINE}.partitions[0].batch", "from 1"),
    "first batch differs": (in_partition(batch=2), f"{PIPELINE}.partitions[0].batch", "is 2, but the batch of the"),
    "plan of a session": (lambda d: d.update(plan={"modules": []}), "plan.modules", "unknown field"),
}


@pytest.mark.parametrize("case", BAD_RESULTS)
def test_bad_result_names_file_field_and_remedy(tmp_path, case):
    change, field, words = BAD_RESULTS[case]
    data = json.loads(result_to_text(solved(), tiny_cluster()))
    change(data)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError) as caught:
        load_result(path, tiny_cluster())
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert words in caught.value.message


def test_least_latency_takes_the_best_type_block_by_block():
    """10 ms on a big GPU for block 0, 20 ms for block 1, no transfer as they stay there."""
    cluster = tiny_cluster()
    assert float(least_latency_s(cluster, cluster.models[0])) == 0.03


def test_least_latency_crosses_types_where_that_is_faster():
    """The small GPU takes 1 ms for block 1 where the big one takes 20 ms: 10 + 1 + 1 ms."""
    data = json.loads(TEXT)
    data["models"][0]["block_latency_s"]["small"]["1"] = [[0.03], [0.001]]
    cluster = cluster_from_text(json.dumps(data))
    assert float(least_latency_s(cluster, cluster.models[0])) == 0.012
    assert float(least_latency_s(cluster, cluster.models[0], PipelineSpace(max_partitions=1))) == 0.03


def test_a_model_that_no_pipeline_serves_is_named():
    cluster = cluster_from_text(TEXT.replace('"slo_s": 0.05', '"slo_s": 0.02'))
    line = "no pipeline of model hear fits its SLO: the least latency is 0.03 s, the SLO without its margin 0.02 s"
    assert why_no_pipeline(cluster, PipelineSpace()) == line
    assert explain_latencies(cluster, PipelineSpace())[0] is Status.INFEASIBLE


def test_whether_the_gpus_carry_given_loads_is_left_open():
    assert explain_latencies(tiny_cluster(), PipelineSpace())[0] is Status.FEASIBLE
    assert explain_latencies(tiny_cluster(), PipelineSpace(objective="cost"))[0] is Status.UNKNOWN


def table(**answer):
    cluster = tiny_cluster()
    return to_text(family_of(cluster).table(cluster, solved(**answer)))


def test_table_says_throughput_gpus_models_and_pools():
    lines = table(bound=70.0).splitlines()
    assert lines[0] == "tiny: feasible, throughput 66.6666667 req/s per weight, bound 70 (gap 5.00 %)"
    assert lines[1] == "GPUs used: 2 of 2 big, 2 of 3 small"
    rows = [line.split() for line in lines]
    assert ["0", "see", "1", "80.000", "57.143", "0.5", "114.286", "50.000"] in rows
    assert ["0", "0", "0-0", "2", "x", "small", "1", "66.000", "82.5", "%", "66.667", "57.143"] in rows
    assert ["1-1", "2", "x", "1/2", "big", "1", "57.143"] in rows


def test_table_without_plan_is_its_header():
    cluster = tiny_cluster()
    lines = to_text(family_of(cluster).table(cluster, solve(cluster, answering(None)))).splitlines()
    assert lines[0] == "tiny: unknown"
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (PipelineSpace(), "most throughput"),
        (PipelineSpace("cost", 1, virtual_gpus=False), "least cost, at most 1 partition, whole GPUs only"),
        (
            PipelineSpace(unify_batch=False, one_per_sequence=True, batch_build=False),
            "most throughput, batch sizes of their own, no batch-build delay, one pipeline per sequence",
        ),
    ],
)
def test_plan_space_in_words(space, words):
    assert family_of(tiny_cluster()).describe_space(space) == words


def test_explain_leaves_open_whether_few_gpus_serve_all_models():
    """One GPU, two models that each fit their SLO."""
    profiles = [BlockProfile("big", 1, [["0.01"]])]
    cluster = Cluster("one", [Gpu("big", 1)], [Model(name, "0.1", [], profiles) for name in ("a", "b")])
    assert explain_latencies(cluster, PipelineSpace())[0] is Status.UNKNOWN
