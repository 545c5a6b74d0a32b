"""Experiments whose plans keep an attainment: what is run, what results state, what is refused."""

from __future__ import annotations

import json

import pytest
from tiny_sessions import TEXT

from euclio.core.errors import InputError
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.results import load
from euclio.experiments.runner import run

MODULE = json.loads(TEXT)["modules"][0]["name"]
HEAD = 'schema = "euclio/experiment/1"\nname = "kept"\n[[instances]]\nfiles = ["tiny.json"]\n'


def experiment(folder, *lines):
    (folder / "tiny.json").write_text(TEXT)
    path = folder / "kept.toml"
    path.write_text(HEAD + "[[solvers]]\n" + 'name = "harpagon"\n' + "\n".join(lines) + "\n")
    return path


@pytest.mark.slow
def test_results_state_what_was_asked(tmp_path):
    path = experiment(tmp_path, "attainment = [0.8, 0.9]", 'arrivals = "gamma"', "cv = 1.2")
    run(path, tmp_path / "out", slots=1, quiet=True)
    rows = load(tmp_path / "out")
    assert sorted(rows.label) == ["harpagon attainment=0.8", "harpagon attainment=0.9"]
    for row in rows.itertuples():
        asked, stats = json.loads(row.options)["attainment"], json.loads(row.stats)
        assert (asked["arrivals"], asked["cv"]) == ("gamma", 1.2)
        assert stats["attainment_at_least"] >= asked["target"]


@pytest.mark.slow
def test_single_modules_are_asked_alone_or_with_the_attainment(tmp_path):
    """As of `solve`: alone they ask for the attainment of their largest share."""
    path = experiment(tmp_path, "module_p90 = { FIRST = 5 }".replace("FIRST", MODULE), "time_out = 0.01")
    run(path, tmp_path / "out", slots=1, quiet=True)
    (row,) = load(tmp_path / "out").itertuples()
    asked = json.loads(row.options)["attainment"]
    assert asked["target"] == 0.9
    (own,) = asked["modules"]
    assert (own["module"], own["share"], own["seconds"]) == (MODULE, 0.9, 5.0)
    assert own["kept_at_least"] >= 0.9


def test_tables_and_texts_ask_for_the_same(tmp_path):
    """A solver is known by what it is asked for, however that is written."""
    lines = ("module_p99 = { a = 0.050, b = 1 }", 'module_p99 = "a=5e-2, b=1.0"')
    first, second = (load_experiment(experiment(tmp_path, line)).solvers[0].keeps for line in lines)
    assert first == second == '{"module_p99": "a=0.05,b=1.0"}'


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        ("attainment = 0.2", "attainment", "a number from 0.5 to 0.9999"),
        ('arrivals = "gamma"', "arrivals", "says what `attainment` is asked under"),
        ("attainment = 0.9\ncv = 2", "cv", "is for arrivals gamma"),
        ('attainment = 0.9\narrivals = "trace"', "arrivals", "must be one of"),
        ("attainment = 0.9\nhold = 1", "hold", "true or false"),
        ('module_p99 = "detect"', "module_p99", "must be NAME=VALUE"),
        ("module_p99 = { detect = 0 }", "module_p99", "must be greater than 0"),
        ('module_p99 = { "a,b" = 1 }', "module_p99", "a comma divides modules here"),
    ],
)
def test_bad_fields_are_named(line, field, message, tmp_path):
    with pytest.raises(InputError, match=message) as refused:
        load_experiment(experiment(tmp_path, line))
    assert refused.value.field == f"solvers[0].{field}"


def test_other_runs_keep_their_keys():
    """A field that earlier versions did not have leaves the keys of runs without it as they were."""
    from euclio.experiments.experiment import DEFAULT_LIMITS
    from euclio.experiments.task import SolverSetting, _key_text

    assert "keeps" not in _key_text(SolverSetting("exact", "1", "exact"), DEFAULT_LIMITS)
