"""Experiments whose plans keep an attainment: what is run, what results state, what is refused."""

from __future__ import annotations

import json

import pytest
from tiny_sessions import TEXT

from euclio.core.errors import InputError
from euclio.results import load
from euclio.runs.experiment_files import load_experiment
from euclio.runs.runner import run

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


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        ("attainment = 0.2", "attainment", "a number from 0.5 to 0.9999"),
        ('arrivals = "gamma"', "arrivals", "says what `attainment` is asked under"),
        ("attainment = 0.9\ncv = 2", "cv", "is for arrivals gamma"),
        ('attainment = 0.9\narrivals = "trace"', "arrivals", "must be one of"),
        ("attainment = 0.9\nhold = 1", "hold", "true or false"),
    ],
)
def test_bad_fields_are_named(line, field, message, tmp_path):
    with pytest.raises(InputError, match=message) as refused:
        load_experiment(experiment(tmp_path, line))
    assert refused.value.field == f"solvers[0].{field}"


def test_other_runs_keep_their_keys():
    """A field that earlier versions did not have leaves the keys of runs without it as they were."""
    from euclio.runs.experiment import DEFAULT_LIMITS
    from euclio.runs.task import SolverSetting, _key_text

    assert "keeps" not in _key_text(SolverSetting("exact", "1", "exact"), DEFAULT_LIMITS)
