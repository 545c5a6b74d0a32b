"""Results as frames: loaded, merged, saved, compared."""

import warnings
from dataclasses import replace

import pandas as pd
import pytest
from fake_runs import experiment, fake_record

from euclio.core.errors import InputError
from euclio.experiments import results
from euclio.experiments.columns import SCHEMA, to_table, write_table
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.folder import ResultFolder
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.journal import Journal, read_journal
from euclio.experiments.results import VersionsDiffer
from euclio.experiments.runner import Expansion


@pytest.fixture
def records(tmp_path):
    """Six records of one experiment."""
    loaded = load_experiment(experiment(tmp_path), [tmp_path / "own.py"])
    index = InstanceIndex(loaded)
    index.look_at_files()
    return [fake_record(task) for task in Expansion(loaded, index.entries).tasks()]


def journal(folder, records, number=1):
    """A journal in a folder that holds an experiment."""
    folder.mkdir(exist_ok=True)
    (folder / "experiment.toml").write_text('name = "fake"\n')
    made = Journal(folder / f"journal-{number}.jsonl")
    for record in records:
        made.append(record)
    made.close()
    return made.path


def test_a_journal_and_what_it_is_compacted_to_load_alike(records, tmp_path):
    path = journal(tmp_path / "out", records)
    before = results.load(tmp_path / "out")
    ResultFolder(tmp_path / "out").compact(path)
    pd.testing.assert_frame_equal(results.load(tmp_path / "out"), before)


def test_columns_are_as_documented(records, tmp_path):
    journal(tmp_path / "out", records)
    frame = results.load(tmp_path / "out")
    columns = list(frame.columns)
    assert columns[: len(SCHEMA.names) + 1] == [*SCHEMA.names, "experiment"]
    assert set(columns[len(SCHEMA.names) + 1 :]) == {"option.objective", "option.seed", "option.time_limit_s"}


def test_a_value_comes_back_as_it_was_written(records, tmp_path):
    odd = replace(
        records[0],
        value=0.1 + 0.2,
        bound=None,
        reason="é\ud800",
        trace=((0.5, None, 1.0),),
        options={"hardware": ["A"]},
    )
    journal(tmp_path / "out", [odd])
    row = results.load(tmp_path / "out").iloc[0]
    assert row["value"] == 0.1 + 0.2
    assert pd.isna(row["bound"])
    assert row["reason"] == "é?"
    assert row["trace"] == [[0.5, None, 1.0]]
    assert row["option.hardware"] == '["A"]'


@pytest.mark.parametrize("text", ["", "name = 1", "other = 'fake'", "name ="])
def test_a_folder_whose_experiment_says_no_name_is_called_by_its_own(tmp_path, text):
    """What is said of a folder needs a name of it, whatever has become of the file."""
    folder = ResultFolder(tmp_path)
    folder.experiment_file.write_text(text)
    assert folder.name() == tmp_path.name


def test_a_saved_frame_is_loaded_as_it_was(records, tmp_path):
    journal(tmp_path / "out", records)
    frame = results.load(tmp_path / "out")
    results.save(frame, tmp_path / "saved.parquet")
    pd.testing.assert_frame_equal(results.load(tmp_path / "saved.parquet"), frame)


def test_results_of_two_folders_merge_with_each_run_once(records, tmp_path):
    journal(tmp_path / "a", records[:4])
    journal(tmp_path / "b", records[2:])
    both = results.load(tmp_path / "a", tmp_path / "b")
    assert sorted(both["key"]) == sorted(record.key for record in records)


def test_canonical_is_the_same_whatever_the_order_and_the_times(records, tmp_path):
    journal(tmp_path / "a", records)
    other = [replace(r, wall_s=9.0, started_at="2000", worker=1, peak_memory_mb=7.0, host="x") for r in records]
    journal(tmp_path / "b", other[::-1])
    first, second = (results.canonical(results.load(tmp_path / name)).to_csv(index=False) for name in "ab")
    assert first == second


def test_canonical_differs_where_a_value_does(records, tmp_path):
    journal(tmp_path / "a", records)
    journal(tmp_path / "b", [replace(records[0], value=1e9), *records[1:]])
    first, second = (results.canonical(results.load(tmp_path / name)).to_csv(index=False) for name in "ab")
    assert first != second


def with_git(record, revision):
    return replace(record, provenance={**record.provenance, "git": revision})


def test_revisions_that_differ_are_seen(records, tmp_path):
    journal(tmp_path / "a", [with_git(record, "a" * 40) for record in records[:4]])
    journal(tmp_path / "b", [with_git(record, "b" * 40) for record in records[4:]])
    with pytest.warns(VersionsDiffer, match=r"2 of git \(aaaaaaaaaaaa in 4, bbbbbbbbbbbb in 2 runs\)"):
        frame = results.load(tmp_path / "a", tmp_path / "b")
    assert results.versions(frame)[["git", "runs"]].values.tolist() == [["a" * 40, 4], ["b" * 40, 2]]


def test_versions_of_a_solver_that_differ_are_seen(records, tmp_path):
    journal(tmp_path / "a", [replace(records[0], solver_version="old"), *records[1:]])
    with pytest.warns(VersionsDiffer, match="2 versions of solver 'one'"):
        results.load(tmp_path / "a")


def test_one_version_gives_no_warning(records, tmp_path):
    journal(tmp_path / "a", records)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert results.mixture(results.load(tmp_path / "a")) == ""


def test_a_run_that_came_out_differently_elsewhere_is_seen(records, tmp_path):
    journal(tmp_path / "a", records)
    journal(tmp_path / "b", [replace(records[0], value=None, status="unknown"), *records[1:]])
    with pytest.warns(VersionsDiffer, match="1 run has different outcomes"):
        frame = results.load(tmp_path / "a", tmp_path / "b")
    assert set(frame["status"]) == {"feasible"}


def test_a_folder_without_finished_runs_is_an_empty_frame(tmp_path):
    journal(tmp_path / "a", [])
    assert results.load(tmp_path / "a").shape[0] == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none", "no such file or folder"),
        ("empty", "holds no results"),
        ("text.parquet", "is no Parquet file"),
        ("other.parquet", "has no column 'key'"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(tmp_path, name, words):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("text")
    write_table(to_table([]).select(["seed"]), tmp_path / "other.parquet")
    with pytest.raises(InputError, match=words):
        results.load(tmp_path / name)


def test_a_frame_is_saved_as_parquet_only(records, tmp_path):
    journal(tmp_path / "a", records)
    with pytest.raises(InputError, match=r"end in .parquet"):
        results.save(results.load(tmp_path / "a"), tmp_path / "x.csv")


def test_a_line_of_the_journal_is_json_with_schema_and_checksum(records, tmp_path):
    path = journal(tmp_path / "a", records[:1])
    row = pd.read_json(path, lines=True).iloc[0]
    assert row["schema"] == "euclio/record/1"
    assert row["record"]["key"] == records[0].key
    assert [found["key"] for found in read_journal(path)] == [records[0].key]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"maximised": "yes"}, "maximised: holds what no record has there"),
        ({"value": [1]}, "value: holds what no record has there"),
        ({"seed": 2**70}, "seed: holds what no record has there"),
        ({"instance": None}, "instance: is missing in a row"),
        ({"options": [1]}, "options: holds no object in JSON"),
        ({"provenance": {"packages": 1}}, "provenance: holds what no record has there"),
        ({"certificate": "sure"}, "certificate: is 'sure', no verdict of a prover"),
    ],
)
def test_a_record_of_others_is_held_to_what_records_are(records, tmp_path, changes, problem):
    """The checksum of a line says that it is whole, not who wrote it."""
    journal(tmp_path / "out", [replace(records[0], **changes)])
    with pytest.raises(InputError) as caught:
        results.load(tmp_path / "out")
    assert str(caught.value).startswith(f"{tmp_path / 'out'}: {problem}; move the file away")


@pytest.mark.parametrize("changes", [{"key": 1}, {"status": ["optimal"]}])
def test_a_record_without_key_or_status_is_no_record(records, tmp_path, changes):
    """It is left out as a torn line is, so that its run is made again."""
    journal(tmp_path / "out", [replace(records[0], **changes), records[1]])
    assert list(results.load(tmp_path / "out")["key"]) == [records[1].key]
