"""The importer on small files of ours in the layout of PPipe's artifact."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_result
from euclio.problems.pipeline import Partition, evaluate
from euclio.problems.pipeline.files import load_cluster
from euclio.workloads.pipeline.artifact_blocks import artifact_cluster, artifact_models, read_model
from euclio.workloads.pipeline.assembly import Terms
from euclio.workloads.pipeline.importers import artifact_plan
from euclio.workloads.pipeline.setups import SETUPS

NAME = "net_r10-512x1024"
SETUP = replace(SETUPS["HC1-S"], bandwidth_gbps=Fraction(8))
TIMINGS = "data/models/block-timing-tf32"
SIZES = f"data/prepartition_mappings/{NAME}/contraction_trans-size_ilpprepart10"
RUNS = f"data/models/model-profile-tf32/{NAME}/L4-1/1/{NAME}-L4.engine.timing.json"


def write(folder, path, text):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


@pytest.fixture
def artifact(tmp_path):
    """Three blocks: 10 ms each on L4, 20, 30 and 40 ms on P4 at batch 1; 1 and 2 MB between them."""
    write(tmp_path, "data/model_list.txt", f"{NAME}\n")
    write(tmp_path, f"{TIMINGS}/{NAME}-L4-1.csv", "10000,18000\n10000,18000\n10000,18000\n")
    write(tmp_path, f"{TIMINGS}/{NAME}-L4-2.csv", "21000\n21000\n21000\n")
    write(tmp_path, f"{TIMINGS}/{NAME}-P4-1.csv", "20000,38000\n30000,56000\n40000,77000\n")
    write(tmp_path, f"{SIZES}-0.5-1.5.csv", "1000000\n2000000\n")
    write(tmp_path, f"{SIZES}-0.5-3.0.csv", "7\n7\n")
    write(tmp_path, RUNS, '[{"computeMs": 29.5, "latencyMs": 30}, {"computeMs": 30.5}]')
    return tmp_path


def cluster(artifact, **terms):
    return artifact_cluster(artifact, SETUP, [NAME], [Fraction(1)], Terms(**terms))


def plan_file(artifact, **changes):
    """A plan: blocks 0 on P4, 1 and 2 on halves of L4."""
    first = {"dnn": NAME, "layers": [0, 1], "gpu": "P4", "mps": 0, "bs": 1, "num_gpu": 2.0}
    second = {"dnn": NAME, "layers": [1, 3], "gpu": "L4", "mps": 1, "bs": 1, "num_gpu": 1.4999999999}
    path = artifact / "plan.json"
    entry = {"pipelines": [{"partitions": [first, {**second, **changes}]}]}
    path.write_text(json.dumps([entry]), encoding="utf-8")
    return path


def test_models_are_listed(artifact):
    assert artifact_models(artifact) == [NAME]


def test_timings_are_microseconds(artifact):
    assert cluster(artifact).models[0].latency_s("P4", 1, 0, 2, 2) == Fraction("0.171")


def test_every_share_with_a_file_is_read(artifact):
    assert cluster(artifact).models[0].latency_s("L4", 2, 0, 0, 1) == Fraction("0.021")


def test_bytes_become_seconds_on_the_link(artifact):
    """8 Gbit/s are 10^9 bytes a second."""
    assert cluster(artifact).models[0].transfer_s_per_request == (Fraction("0.001"), Fraction("0.002"))


def test_the_sizes_of_the_tightest_pre_partitioning_count(artifact):
    assert read_model(artifact, NAME, ["L4"]).boundary_bytes == (1000000, 2000000)


def test_the_slo_is_five_times_the_mean_run_on_l4(artifact):
    assert cluster(artifact).models[0].slo_s == Fraction("0.15")


def test_gpu_types_that_the_setup_lacks_are_not_read(artifact):
    assert {p.gpu for p in read_model(artifact, NAME, ["P4"]).profiles} == {"P4"}


def test_a_plan_becomes_pools_of_virtual_gpus(artifact):
    plan = artifact_plan(plan_file(artifact), cluster(artifact))
    assert plan.pipelines[0].partitions == (Partition("P4", 1, 2, 0, 0, 1), Partition("L4", 2, 3, 1, 2, 1))


def test_a_plan_is_priced_by_the_checker(artifact):
    """Blocks 1 and 2 on three halves of L4: 3 / 0.042 s; block 0 on two P4: 2 / 0.020 s."""
    instance = cluster(artifact, margin=0)
    assert evaluate(instance, artifact_plan(plan_file(artifact), instance)).value == 3 / Fraction("0.042")


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (f"{TIMINGS}/{NAME}-P4-1.csv", "1\nfast\n3\n", r"P4-1\.csv: row 2: fast is not a finite number"),
        (f"{TIMINGS}/{NAME}-P4-1.csv", "1\n-2\n3\n", r"P4-1\.csv: row 2: is -2; it must be greater than 0"),
        (f"{TIMINGS}/{NAME}-P4-1.csv", "", r"P4-1\.csv: has no numbers"),
        (f"{TIMINGS}/{NAME}-P4-1.csv", "1\n2\n", r"has 2 blocks, but .* 3 blocks"),
        (f"{TIMINGS}/{NAME}-P4-1.csv", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (f"{SIZES}-0.5-1.5.csv", "1000000\n", "has 1 sizes for the 2 boundaries of 3 blocks"),
        (RUNS, "{}", "list of runs"),
        (RUNS, '[{"computeMs": null}]', "positive numbers"),
    ],
)
def test_a_malformed_file_is_named(artifact, path, text, message):
    write(artifact, path, text)
    with pytest.raises(InputError, match=message):
        cluster(artifact)


@pytest.mark.parametrize("path", [f"{TIMINGS}/{NAME}-L4-1.csv", f"{SIZES}-0.5-1.5.csv", RUNS])
def test_a_missing_file_is_named(artifact, path):
    for file in (artifact / path).parent.glob("*"):
        file.unlink()
    with pytest.raises(InputError, match=NAME):
        cluster(artifact)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_gpu": 1.3}, r"partitions\[1\]\.num_gpu: times 2 is 2.6; virtual GPUs are whole"),
        ({"num_gpu": "many"}, "num_gpu: is 'many'"),
        ({"layers": [1]}, r"layers: must be the first block"),
        ({"layers": None}, "layers: must be a list"),
        ({"bs": 1.5}, "bs: is 1.5; it must be a whole number"),
        ({"mps": -1}, "mps: is -1; it must be a number of at least 0"),
        ({"dnn": "other"}, "partitions: names .*other"),
    ],
)
def test_a_malformed_plan_is_named(artifact, changes, message):
    with pytest.raises(InputError, match=message):
        artifact_plan(plan_file(artifact, **changes), cluster(artifact))


def run_import(artifact, *options):
    out, result = artifact / "c.json", artifact / "r.json"
    arguments = ["import", "ppipe", str(artifact), "--out", str(out), "--models", NAME, "--cluster", "HC1-S"]
    return main([*arguments, "--bandwidth", "8", *options]), out, result


def test_the_verb_writes_the_cluster(artifact):
    code, out, _ = run_import(artifact)
    assert (code, load_cluster(out).models) == (0, cluster(artifact).models)


def test_the_verb_writes_a_plan_as_a_result(artifact):
    result = str(artifact / "r.json")
    code, out, _ = run_import(artifact, "--margin", "0", "--plan", str(plan_file(artifact)), "--plan-out", result)
    assert (code, float(load_result(result, load_cluster(out)).value)) == (0, pytest.approx(3 / 0.042))


def test_a_plan_that_the_checker_refuses_ends_with_1(artifact, capsys):
    path = plan_file(artifact, num_gpu=50)
    code, _, _ = run_import(artifact, "--margin", "0", "--plan", str(path), "--plan-out", str(artifact / "r.json"))
    assert (code, "50 GPUs of type L4 are used" in capsys.readouterr().err) == (1, True)


def test_without_models_the_verb_lists_them(artifact, capsys):
    code = main(["import", "ppipe", str(artifact), "--out", str(artifact / "c.json")])
    assert (code, NAME in capsys.readouterr().err) == (2, True)


def test_a_weight_for_each_model(artifact, capsys):
    assert run_import(artifact, "--weights", "1,2")[0] == 2
