"""`euclio changes`: a table, files, a figure, and what is refused."""

import json

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import TEXT

from euclio.cli import main
from euclio.files import save_instance


@pytest.fixture
def files(tmp_path, capsys):
    """A session, and a result of it on whole machines."""
    instance, result = tmp_path / "tiny.json", tmp_path / "result.json"
    instance.write_text(TEXT)
    assert main(["solve", str(instance), "--machines", "whole", "--out", str(result)]) == 0
    capsys.readouterr()
    return [str(instance), "--from", str(result)]


def test_it_prints_a_table_and_writes_files(files, tmp_path, capsys):
    out, plot = tmp_path / "table.csv", tmp_path / "figure.svg"
    asked = ["changes", *files, "--rate", "20", "--out", str(out), "--plot", str(plot)]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tiny: cost per hour by machines added and removed"
    assert "whole machines" in lines[3]
    assert out.read_text().startswith("most_changes,changes,status,cost_per_h,")
    first = plot.read_bytes()
    assert b"<svg" in first
    assert main(asked) == 0
    assert plot.read_bytes() == first


def test_nothing_to_change_is_one_row(files, capsys):
    assert main(["changes", *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (step,) = found["steps"]
    assert (step["most_changes"], step["changes"], step["cost_per_h"]) == (0, 0, found["running_cost_per_h"])
    assert found["changes"]["running"]


def test_more_load_than_few_changes_serve(files, capsys):
    assert main(["changes", *files, "--rate", "100", "--most", "0"]) == 3
    captured = capsys.readouterr()
    assert "0   infeasible" in captured.out
    assert "would do" in captured.err


def test_without_a_plan_it_is_infeasible(files, capsys):
    assert main(["changes", *files, "--slo", "0.1"]) == 3
    assert "without a limit on changes: infeasible" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--most", "-1"], "argument --most"),
        (["--solver", "harpagon"], "--solver: harpagon does not cover"),
        (["--plot", "out.txt"], "--plot"),
        (["--price", "V10=1"], "--price: unknown hardware 'V10'; did you mean V100?"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(files, capsys, options, words):
    assert main(["changes", *files, *options]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_what_runs_has_to_be_given(files, capsys):
    assert main(["changes", files[0]]) == 2
    assert "--from: is needed: the result whose plan runs" in capsys.readouterr().err


def test_other_families_are_refused(tmp_path, capsys):
    path = tmp_path / "cluster.json"
    save_instance(tiny_cluster(), path)
    assert main(["changes", str(path)]) == 2
    assert capsys.readouterr().err.endswith("is one of clusters; `euclio changes` asks about sessions only\n")
