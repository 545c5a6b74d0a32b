"""The 18 models of Table 2 with blocks that were measured: from a table, and from the artifact's own layout."""

from fractions import Fraction
from functools import cache
from pathlib import Path

import block_tables
import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.problems.pipeline import Gpu
from euclio.problems.pipeline.files import load_cluster
from euclio.workloads.pipeline.artifact_blocks import GPUS, measured_models
from euclio.workloads.pipeline.assembly import Terms
from euclio.workloads.pipeline.layer_models import layer_models
from euclio.workloads.pipeline.setups import SETUPS, Setup, networks, published_groups, published_weights
from studies.ppipe.cases import LARGE, group_cases, measured_cluster

SHARED = Path("../shared")
LINES = cache(block_tables.rows)


def table(tmp_path, changed=lambda row: row):
    return block_tables.write_table(tmp_path / "blocks.csv", LINES(), changed)


def on(row, block, batch, gpu="L4", model="repvgg-b3", share="1"):
    """Whether a line is the one of this block and batch size."""
    given = (row["model"], row["hardware"], row["vgpu_fraction"], row["block_index"], row["batch_size"])
    return given == (model, gpu, share, str(block), str(batch))


def test_the_networks_are_those_of_table_2():
    assert list(networks()) == list(layer_models())


def test_the_latency_objectives_end_where_the_paper_says():
    """23.4 to 165.6 ms at five times the latency on L4 (§7.1)."""
    objectives = sorted(5e-6 * network.l4_ns for network in networks().values())
    assert (round(objectives[0], 1), round(objectives[-1], 1)) == (23.4, 165.6)


def test_the_groups_hold_every_model_once():
    assert sorted(name for group in published_groups() for name in group) == sorted(networks())
    assert sum(published_weights()) == 1


def test_a_table_gives_every_model_on_every_gpu_type(tmp_path):
    found = measured_models(table(tmp_path))
    assert list(found) == list(networks())
    assert {profile.gpu for model in found.values() for profile in model.profiles} == set(GPUS)


def test_a_third_of_a_gpu_is_one_however_many_digits_it_is_written_with(tmp_path):
    found = measured_models(table(tmp_path))["RepVGG"]
    assert 3 in {profile.share for profile in found.profiles}


def test_seconds_and_bytes_are_exact(tmp_path):
    def changed(row):
        return {**row, "latency_s": "0.1", "output_bytes": "7"} if on(row, 0, 1) else row

    lines = [
        row if row["model"] != "repvgg-b3" or row["block_index"] != "0" else {**row, "output_bytes": "7"}
        for row in LINES()
    ]
    found = measured_models(block_tables.write_table(tmp_path / "t.csv", lines, changed))["RepVGG"]
    whole = next(profile for profile in found.profiles if (profile.gpu, profile.share) == ("L4", 1))
    assert whole.latency_s[0][0] == Fraction(1, 10)
    assert found.boundary_bytes[0] == 7


def only_block_2(row):
    """Without the last block of one model on one GPU type."""
    gone = row["model"] == "repvgg-b3" and row["hardware"] == "P4" and row["block_index"] == "2"
    return None if gone else row


@pytest.mark.fifth("message")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (only_block_2, "repvgg-b3: on P4, share 1, has 2 blocks, but on L4"),
        (lambda row: None if row["model"] == "repvgg-b3" else row, "model: has no blocks of repvgg-b3"),
        (lambda row: None if on(row, 1, 1) else row, "batch_size: has no complete times of block 1 of repvgg-b3 on L4"),
        (
            lambda row: None if row["hardware"] == "T4" and row["vgpu_fraction"] == "1" else row,
            "hardware: has no times of convnext_large on a whole T4",
        ),
        (lambda row: {**row, "output_bytes": ""}, "output_bytes: has no bytes behind block 0"),
        (lambda row: {**row, "latency_s": "-1"} if on(row, 1, 1) else row, r"line \d+: latency_s: is -1"),
        (lambda row: {**row, "latency_s": "nan"} if on(row, 1, 1) else row, r"line \d+: latency_s: nan is not a"),
        (lambda row: {**row, "vgpu_fraction": "0.4"} if on(row, 1, 1) else row, "vgpu_fraction: is 0.4; give 1"),
        (lambda row: {**row, "batch_size": "1.5"} if on(row, 1, 1) else row, "batch_size: is 1.5; it must be a whole"),
        (lambda row: {**row, "batch_size": "1"} if on(row, 1, 2) else row, "a second time; keep one of the two"),
        (lambda row: {**row, "output_bytes": "9"} if on(row, 1, 2) else row, "the same bytes from every GPU type"),
    ],
)
def test_a_malformed_table_is_named(tmp_path, changed, message):
    with pytest.raises(InputError, match=message) as caught:
        measured_models(table(tmp_path, changed))
    assert "blocks.csv" in str(caught.value)


def test_a_table_without_a_column_is_named(tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("model,hardware\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: lacks the column vgpu_fraction"):
        measured_models(path)


@pytest.mark.parametrize("name", ["absent", "binary.csv"])
def test_what_is_no_table_is_named(tmp_path, name):
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=name):
        measured_models(tmp_path / name)


def test_a_folder_without_the_artifact_is_named(tmp_path):
    with pytest.raises(InputError, match="is this the artifact's folder"):
        measured_models(tmp_path)


def test_the_verb_refuses_an_artifact_that_is_none_before_anything_runs(tmp_path, capsys):
    assert main(["reproduce", "ppipe", "--artifact", str(tmp_path / "absent"), "--out", str(tmp_path / "out")]) == 2
    assert "absent" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "graft", "--artifact", "x"], "--artifact: graft takes no artifact"),
        (["reproduce", "ppipe", "--artifact", "x", "--accept", "--workloads", "1"], "--accept: stores rows of everyth"),
        (["reproduce", "--claims", "--artifact", "x"], "artifact has no meaning"),
    ],
)
def test_options_that_do_not_go_together_are_named(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_import_takes_a_table_where_it_takes_a_checkout(tmp_path):
    """The same options, and the names of the artifact."""
    path, out = table(tmp_path), tmp_path / "c.json"
    words = ["import", "ppipe", str(path), "--out", str(out), "--cluster", "HC1-S", "--models", "repvgg-b3"]
    assert main(words) == 0
    (model,) = load_cluster(out).models
    assert model.slo_s == Fraction(5 * networks()["RepVGG"].l4_ns, 10**9)


@pytest.mark.parametrize(
    ("words", "message"),
    [([], "the artifact lists convnext_large"), (["--models", "cyclegan"], "cyclegan has no known time on L4")],
)
def test_the_import_names_a_model_that_a_table_cannot_give(tmp_path, capsys, words, message):
    assert main(["import", "ppipe", str(table(tmp_path)), "--out", str(tmp_path / "c.json"), *words]) == 2
    assert message in capsys.readouterr().err


def test_measured_groups_are_the_authors_on_four_clusters(tmp_path):
    cases = group_cases(6, 0, measured_models(table(tmp_path)))
    assert [case.models for case in cases if case.setup == LARGE[0]] == list(published_groups())
    assert len(cases) == 24


def least_rate(cluster):
    """The least rate per weight of the batches that gather: NP's objective without that delay."""
    return min(float(model.batch_build.rate_rps / model.weight) for model in cluster.models)


@pytest.mark.fifth("file")
@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="the authors' measurements are not here")
@pytest.mark.parametrize("file", sorted((SHARED / "instances" / "pipelines").glob("ppipe-trio-*.json")), ids=str)
def test_measured_clusters_are_the_authors_own(file):
    """Twelve instances of theirs, made again from the table: blocks, objectives, links, and what NP serves."""
    theirs = load_cluster(file)
    by_artifact = {network.artifact: name for name, network in networks().items()}
    setup = SETUPS["HC1-L" if theirs.gpus[0].name == "L4" else "HC3-L"]
    measured = measured_models(SHARED / "data" / "profiles" / "ppipe_blocks.csv")
    names = [by_artifact[model.name] for model in theirs.models]
    case = next(case for case in group_cases(6, 0, measured) if case.setup == setup.name and list(case.models) == names)
    cluster = case.cluster()
    # What NP serves above the least rate per weight, its objective, is any of several plans'.
    assert least_rate(cluster) == pytest.approx(least_rate(theirs), rel=1e-6)
    for own, given in zip(cluster.models, theirs.models, strict=True):
        assert own.weight == given.weight
        assert [p.latency_s for p in own.profiles] == [p.latency_s for p in given.profiles]
        assert [float(x) for x in own.transfer_s_per_request] == pytest.approx(
            [float(x) for x in given.transfer_s_per_request], rel=1e-12
        )
        # The whole latency is kept in nanoseconds, the authors' objective in five of them; their margin in thousandths.
        assert float(own.slo_s) == pytest.approx(float(given.slo_s), abs=3e-9)


def test_a_cluster_of_several_types_has_the_slowest_link(tmp_path):
    """6 Gbit/s with P4 among the types, 10 with T4 alone."""
    measured = measured_models(table(tmp_path))
    bytes_ = measured["FCN"].boundary_bytes[0]
    for gpus, gbps in ((("L4", "T4", "P4"), 6), (("L4", "T4"), 10)):
        setup = Setup("x", tuple(Gpu(gpu, 4, 1, 1) for gpu in gpus), Fraction(1))
        (model,) = measured_cluster(setup, ["FCN"], measured, Terms()).models
        assert model.transfer_s_per_request[0] == Fraction(8 * bytes_, gbps * 10**9)
