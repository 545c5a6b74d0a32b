"""Instances by kind and settings: `euclio generate`, and the draws that experiments share with it."""

from __future__ import annotations

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_instance
from euclio.workloads.generation import draw_instances, generate
from euclio.workloads.kinds import kinds as all_kinds
from euclio.workloads.session import kinds

SETTINGS = {name: dict(kind.example) for name, kind in all_kinds().items()}


@pytest.fixture(autouse=True)
def _accept_every_workload(monkeypatch):
    monkeypatch.setattr(kinds, "accept_by", lambda: lambda session: [])


@pytest.mark.fifth("kind")
@pytest.mark.parametrize("kind", all_kinds())
def test_generate_writes_readable_instances_with_the_same_bytes(kind, tmp_path):
    first = generate(kind, tmp_path / "a", seed=5, settings=SETTINGS[kind])
    again = generate(kind, tmp_path / "b", seed=5, settings=SETTINGS[kind])
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in again]
    assert [load_instance(p).name for p in first] == [p.stem for p in first]


def test_generate_writes_a_single_file(tmp_path):
    out = tmp_path / "mine.json"
    assert generate("application", out, settings=SETTINGS["application"]) == [out]


@pytest.mark.parametrize(
    ("kind", "count", "settings", "message"),
    [
        ("nothing", 1, {}, "kind: unknown kind 'nothing'; choose from application, workloads"),
        ("application", 1, {}, "application: is missing"),
        ("application", 1, {"application": "pose"}, "rate: is missing"),
        ("application", 1, {"application": "chess"}, "application: is 'chess'; choose from traffic"),
        ("application", 2, SETTINGS["application"], "count: is 2; kind 'application' has nothing to draw"),
        ("published", 1, {"models": ["resnet50"], "rate": 1.0}, "slo: is missing"),
        ("published", 1, {"models": "resnet50", "rate": 1.0, "slo": 1}, "models: is 'resnet50'; it must be a list"),
        ("random", 0, {}, "count: is 0"),
        ("random", 1, {"blocks": 3}, "blocks: is no option of kind 'random'; it takes modules, tightness, conf"),
        ("random", 1, {"modules": 0}, "modules: is 0; it must be a whole number from 1 to 1000"),
        ("random", 1, {"modules": True}, "modules: is True"),
        ("random", 1, {"tightness": float("nan")}, "tightness: is nan"),
        ("random", 1, {"shape": "star"}, "shape: is 'star'; choose from chain, fork"),
        ("random", 1, {"modules": []}, "modules: must be a value or a list of different values"),
        ("random", 1, {"modules": [2, 2]}, "modules: must be a value or a list of different values"),
        ("workloads", 1, {"rate": 3}, "rate: is no option of kind 'workloads'; it takes none"),
        ("pipelines", 1, {"margin": 1}, "margin: is 1; it must be a number from 0 to less than 1"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_drawn(kind, count, settings, message):
    with pytest.raises(InputError, match=message):
        draw_instances(kind, count, 0, settings)


def test_lists_are_grids_whose_instances_have_names_of_their_own():
    drawn = draw_instances("chain", 2, 7, {"modules": [2, 3], "tightness": 0.3})
    assert [session.name for session in drawn] == [
        "chain-2-0.3-0007-modules2",
        "chain-2-0.3-0008-modules2",
        "chain-3-0.3-0007-modules3",
        "chain-3-0.3-0008-modules3",
    ]


def test_a_list_of_lists_is_a_grid_over_lists():
    settings = {"models": [["resnet50"], ["resnet50", "bert_base_128"]], "rate": 50, "slo": 1}
    assert [len(session.modules) for session in draw_instances("published", 1, 0, settings)] == [1, 2]


def test_draws_do_not_depend_on_how_many_are_taken():
    assert next(draw_instances("random", 1000, 3)) == next(draw_instances("random", 1, 3))


def test_random_sessions_take_a_tightness():
    tight, loose = draw_instances("random", 1, 3, {"tightness": [0.2, 0.9]})
    assert tight.slo_s < loose.slo_s


def test_the_command_names_the_option_that_a_kind_does_not_take(capsys, tmp_path):
    code = main(["generate", "random", "--slo-scale", "3", "--out", str(tmp_path)])
    assert (code, capsys.readouterr().err) == (
        2,
        "euclio: --slo-scale: is no option of kind 'random'; it takes modules, tightness, configurations, hardware, "
        "concurrency, shape\n",
    )


def test_the_command_passes_its_options_on(capsys, tmp_path):
    arguments = ["--modules", "3", "--shape", "fork", "--count", "2", "--out", str(tmp_path)]
    assert main(["generate", "random", *arguments]) == 0
    paths = capsys.readouterr().out.split()
    assert [len(load_instance(path).modules) for path in paths] == [3, 3]
