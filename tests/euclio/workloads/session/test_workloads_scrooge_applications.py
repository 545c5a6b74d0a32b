"""Scrooge's seven applications: what is printed of them, CPU modules, recurrent modules."""

import pytest

from euclio.core.folders import data_dir
from euclio.workloads.session.scrooge_sessions import (
    CPU,
    scrooge_applications,
    scrooge_data,
    scrooge_profile,
)

SEVEN = ("traffic", "face", "tracker", "pose", "caption", "audio", "actdet")
RECURRENT = ("s2vt", "speech_recogniser", "synthesiser")


def test_applications_are_the_papers_seven():
    assert tuple(scrooge_applications()) == SEVEN


def test_caption_has_one_cpu_module_and_two_gpu_modules():
    modules = scrooge_applications()["caption"].application.modules
    assert [{c.hardware for c in m.profile} == {CPU} for m in modules] == [False, True, False]


def test_audio_has_three_models_in_sequence_after_a_cpu_module():
    application = scrooge_applications()["audio"].application
    assert len(application.edges) == 3
    assert [{c.hardware for c in m.profile} == {CPU} for m in application.modules] == [True, False, False, False]


@pytest.mark.parametrize("name", [name for name, entry in scrooge_data()["modules"].items() if "alone_s" in entry])
def test_cpu_modules_take_one_input_at_a_time_on_machines_without_a_gpu(name):
    assert [(c.hardware, c.batch, c.concurrency) for c in scrooge_profile(name)] == [(CPU, 1, 1)]


@pytest.mark.parametrize("name", RECURRENT)
def test_recurrent_modules_take_batch_1_only(name):
    assert {c.batch for c in scrooge_profile(name)} == {1}


def test_other_gpu_modules_have_the_batches_of_figure_5():
    assert {c.batch for c in scrooge_profile("ssd_inception")} == {1, 2, 4, 8, 16, 32, 64, 128}


@pytest.mark.parametrize("name", [name for name, entry in scrooge_data()["modules"].items() if "alone_s" not in entry])
def test_concurrency_gains_less_than_machines_would(name):
    alone = {(c.hardware, c.batch): c.duration_s for c in scrooge_profile(name) if c.concurrency == 1}
    for c in scrooge_profile(name):
        assert alone[c.hardware, c.batch] <= c.duration_s <= c.concurrency * alone[c.hardware, c.batch]


@pytest.mark.parametrize("name", scrooge_data()["modules"])
def test_a_module_runs_at_the_evaluations_scale_unless_its_own_time_is_printed(name):
    scale = 1 if scrooge_data()["modules"][name].get("as_printed") else scrooge_data()["time_scale"]
    for own, drawn in zip(scrooge_profile(name), scrooge_profile(name, as_evaluated=False), strict=True):
        assert float(own.duration_s) == pytest.approx(scale * float(drawn.duration_s), rel=1e-3)


def test_prices_are_the_printed_ones():
    prices = {h["name"]: h["price_per_h"] for h in scrooge_data()["hardware"]}
    assert prices == {"P100": 2.07, "V100": 3.06, "CPU": 0.83}
    assert all(h["origin"] == "printed" for h in scrooge_data()["hardware"])


def test_every_module_is_used_and_says_what_is_ours():
    entries = scrooge_data()["modules"]
    assert {m["profile"] for a in scrooge_data()["applications"] for m in a["modules"]} == set(entries)
    assert all({"origin", "ours"} <= set(entry) for entry in entries.values())


def test_harpagons_applications_have_no_cpu_modules():
    assert CPU not in (data_dir() / "profiles" / "p100-v100.csv").read_text(encoding="utf-8")
