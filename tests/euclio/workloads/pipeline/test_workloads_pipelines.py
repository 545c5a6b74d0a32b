from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.registry import Limits, find_solver
from euclio.problems.pipeline import PipelineSpace, evaluate
from euclio.problems.pipeline.files import load_cluster
from euclio.workloads.generation import generate, write_instances
from euclio.workloads.pipeline.assembly import Terms
from euclio.workloads.pipeline.instances import (
    ClusterRequest,
    block_profiles,
    boundary_bytes,
    pipeline_cluster,
    pre_partition,
)
from euclio.workloads.pipeline.layer_models import FIRST_GROUP, groups, layer_models, layer_profile, weights
from euclio.workloads.pipeline.setups import SETUPS, with_counts


def request(name="HC1-L", models=("FCN",), blocks=10, **terms):
    return ClusterRequest(SETUPS[name], models, weights(len(models)), 0, blocks, 40, Terms(**terms))


def sizes(blocks):
    return [len(block) for block in blocks]


def test_blocks_come_as_near_as_possible_to_their_part_of_the_runtime():
    """A third of 12 is 4: 3 is as near as 5, so the next layer is taken; then 1 + 3, then the rest."""
    assert sizes(pre_partition([3, 2, 1, 3, 2, 1], 3)) == [2, 2, 2]


def test_the_last_block_takes_what_is_left_over():
    assert sizes(pre_partition([1, 1, 1, 1, 1, 1, 1], 3)) == [2, 2, 3]


def test_a_long_layer_makes_fewer_blocks():
    assert sizes(pre_partition([9, 1, 1, 1], 3)) == [1, 3]


def test_as_many_blocks_as_layers_leave_the_layers_unmerged():
    assert sizes(pre_partition([9, 1, 1], 3)) == [1, 1, 1]


@pytest.mark.parametrize("name", ["EfficientNet-B8", "Color-v2"])
def test_ten_blocks_have_near_equal_runtimes(name):
    latency = [row[0] for row in layer_profile(name).latency_ns["L4", 1]]
    parts = [sum(latency[k] for k in block) / sum(latency) for block in pre_partition(latency, 10)]
    assert parts == pytest.approx([0.1] * 10, abs=0.03)


def test_no_blocks_are_refused():
    with pytest.raises(InputError, match="at least 1"):
        pre_partition([1], 0)


def test_a_block_takes_as_long_as_its_layers():
    profile = layer_profile("FCN", layers=7)
    blocks = [range(3), range(3, 7)]
    block = next(p for p in block_profiles(profile, blocks) if p.gpu == "P4")
    assert block.latency_s[1][2] == Fraction(sum(row[2] for row in profile.latency_ns["P4", 1][3:]), 10**9)


def test_a_boundary_sends_the_feature_map_of_the_layer_before_it():
    profile = layer_profile("FCN", layers=7)
    assert boundary_bytes(profile, [range(3), range(3, 7)]) == [profile.transfer_bytes[2]]


def test_large_clusters_have_25_high_and_75_low_class_gpus():
    assert [[g.count for g in SETUPS[f"HC{k}-L"].gpus] for k in range(1, 5)] == [[25, 75]] * 4


def test_small_clusters_have_4_high_and_12_low_class_gpus():
    assert [[g.count for g in SETUPS[f"HC{k}-S"].gpus] for k in range(1, 5)] == [[4, 12]] * 4


def test_a_fifth_of_the_claimed_bandwidth_counts():
    assert [SETUPS[f"HC{k}-L"].bandwidth_gbps for k in range(1, 5)] == [Fraction("6.4"), 10, Fraction("6.4"), 10]


def test_a_transfer_takes_its_bits_over_the_bandwidth():
    profile = layer_profile("FCN", layers=40)
    model = pipeline_cluster(request("HC2-L", blocks=40)).models[0]
    assert model.transfer_s_per_request == tuple(Fraction(8 * size, 10**10) for size in profile.transfer_bytes)


def test_the_slo_is_five_times_the_latency_on_l4():
    profile = layer_profile("FCN", layers=40)
    assert pipeline_cluster(request("HC3-S")).models[0].slo_s == Fraction(5 * profile.whole_ns("L4"), 10**9)


def test_two_fifths_of_the_slo_are_left_free():
    model = pipeline_cluster(request()).models[0]
    assert model.budget_s == model.slo_s * Fraction(3, 5)


def test_batches_gather_at_the_rate_that_whole_models_serve_without_the_delay():
    cluster = pipeline_cluster(request())
    solver = find_solver("no-partitioning")
    space = solver.space_on(cluster, PipelineSpace(batch_build=False))
    served = evaluate(cluster, solver.run(cluster, space, Limits()).plan, space).models[0].throughput_rps
    assert float(cluster.models[0].batch_build.rate_rps) == pytest.approx(float(served))


def test_the_load_divides_by_the_weights():
    cluster = pipeline_cluster(request(models=("FCN", "GFL"), rate_rps=1000))
    assert [m.rate_rps / m.weight for m in cluster.models] == [1000, 1000]


def test_a_margin_of_the_whole_slo_is_refused():
    with pytest.raises(InputError, match="margin"):
        pipeline_cluster(request(margin=1))


def test_groups_hold_every_model_once():
    assert sorted(name for group in groups(3) for name in group) == sorted(layer_models())


def test_the_first_group_is_the_published_one():
    assert {groups(seed)[0] for seed in range(3)} == {FIRST_GROUP}


def test_weights_sum_to_one():
    assert sum(weights(3, 7)) == 1


def test_functions_give_the_models_uneven_weights():
    assert len(set(weights(3, 2))) > 1


def test_generate_writes_six_groups(tmp_path):
    assert len(generate("pipelines", tmp_path, settings={"layers": 20, "blocks": 4})) == 6


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    settings = {"cluster": "HC4-S", "group": 2, "layers": 20, "blocks": 4}
    texts = [generate("pipelines", tmp_path / f"{k}.json", seed=5, settings=settings)[0].read_bytes() for k in (1, 2)]
    assert texts[0] == texts[1]


def test_a_generated_cluster_reads_back(tmp_path):
    settings = {"models": ["FCN"], "layers": 20, "blocks": 4}
    path = generate("pipelines", tmp_path / "c.json", settings=settings)[0]
    assert load_cluster(path) == pipeline_cluster(
        ClusterRequest(SETUPS["HC1-L"], ("FCN",), (Fraction(1),), layers=20, blocks=4)
    )


def test_counts_of_gpus_can_be_chosen(tmp_path):
    settings = {"models": ["FCN"], "high": 3, "low": 5, "layers": 20, "blocks": 4}
    path = generate("pipelines", tmp_path, settings=settings)[0]
    assert [g.count for g in load_cluster(path).gpus] == [3, 5]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cluster": "HC9-L"}, "cluster: is 'HC9-L'; choose from HC1-L"),
        ({"group": 7}, "group: is 7"),
        ({"group": 1, "models": ["FCN"]}, "group: models are named too"),
        ({"models": ["LeNet"]}, "models: unknown model"),
        ({"models": ["FCN", "FCN"]}, "is listed twice"),
        ({"models": ["FCN"], "blocks": 9999}, "blocks: is 9999; FCN has 330 layers, so give at most 330"),
    ],
)
def test_bad_input_is_one_clear_line(tmp_path, settings, message):
    with pytest.raises(InputError, match=message):
        generate("pipelines", tmp_path, settings=settings)


def test_few_layers_make_as_many_blocks(tmp_path):
    path = generate("pipelines", tmp_path, settings={"models": ["FCN"], "layers": 4})[0]
    assert load_cluster(path).models[0].blocks == 4


@pytest.mark.parametrize(("name", "words"), [("file", "is a file; name a folder"), ("file/x", "cannot be made")])
def test_clusters_are_not_written_where_a_file_is(tmp_path, name, words):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=words):
        write_instances([pipeline_cluster(request())], tmp_path / name)


def test_models_that_cannot_be_served_together_gather_batches_at_an_even_part_of_their_own_rates():
    """One high-class GPU can run either of them whole, and no low-class one."""
    setup = with_counts(SETUPS["HC1-S"], 1, 1)

    def rates(*models):
        served = pipeline_cluster(replace(request(models=models), setup=setup)).models
        return [float(model.batch_build.rate_rps) for model in served]

    assert rates("FCN", "GFL") == pytest.approx([rates("FCN")[0] / 2, rates("GFL")[0] / 2])
