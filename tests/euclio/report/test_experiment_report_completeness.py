"""Results against the experiment: missing and outdated runs, mixed versions."""

from __future__ import annotations

from pathlib import Path

from run_frames import run, runs

from euclio.experiments.folder import ResultFolder
from euclio.report import Paragraph, Table
from euclio.report.experiment.page import asked_for, completeness, completeness_blocks

ASKED = {"one/exact/0/0": "exact", "two/exact/0/0": "exact", "one/fast/0/0": "fast"}


def test_results_that_match_the_experiment_need_no_words() -> None:
    frame = runs(run("one"), run("two"), run("one", "fast"))
    assert completeness_blocks(completeness(frame, ASKED)) == []


def test_missing_runs_are_counted_by_solver() -> None:
    found = completeness(runs(run("one")), ASKED)
    assert found.missing == {"exact": 1, "fast": 1}


def test_missing_runs_are_shown() -> None:
    text, table = completeness_blocks(completeness(runs(run("one")), ASKED))
    assert isinstance(text, Paragraph)
    assert isinstance(table, Table)
    assert (text.text, table.rows) == ("2 runs of the experiment are not finished.", (("exact", "1"), ("fast", "1")))


def test_outdated_runs_are_left_out() -> None:
    found = completeness(runs(run("one"), run("one", "old")), ASKED)
    assert (found.outdated, list(found.current.label)) == (1, ["exact"])


def test_without_an_experiment_all_runs_count() -> None:
    found = completeness(runs(run("one"), run("one", "old")), {})
    assert (len(found.current), found.outdated, found.missing) == (2, 0, {})


def test_mixed_versions_are_said() -> None:
    (text,) = completeness_blocks(completeness(runs(run("one"), run("two", python="3.12.1")), {}))
    assert isinstance(text, Paragraph)
    assert "3.12.1" in text.text


def test_a_file_next_to_a_folder_leaves_open_what_was_asked_for(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path)
    folder.write_runs(ASKED.items())
    assert (asked_for([tmp_path]), asked_for([tmp_path, tmp_path / "other.parquet"])) == (ASKED, {})
