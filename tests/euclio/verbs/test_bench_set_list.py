"""`euclio bench-set list`: a table for people, paths for pipes, all that is known as JSON."""

import json
from pathlib import Path

import pytest

import euclio
from euclio.cli import main
from euclio.problems.session.family import FAMILY


def listed(capsys, *words):
    assert main(["bench-set", "list", "--class", "open", *words]) == 0
    return capsys.readouterr().out


def test_a_pipe_is_given_paths_alone(capsys):
    """Scripts read a path per line, as they always did."""
    paths = listed(capsys).splitlines()
    assert paths == [str(path) for path in euclio.list_bench_set(class_="open")]
    assert all(Path(path).is_file() for path in paths)


def test_a_terminal_is_given_a_table(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert listed(capsys) == listed(capsys, "--table")


def test_the_table_has_what_one_chooses_by(capsys):
    """The gap of an open instance, and its sizes, a table for each family."""
    out = listed(capsys, "--table")
    assert [line.strip() for line in out.splitlines() if line.strip() in ("sessions", "clusters", "fleets")]
    (head,) = [line.split() for line in out.splitlines() if line.startswith("instance") and "tightness" in line]
    assert {"class", "modules", "configurations", "rate_rps", "tightness", "value", "gap"} <= set(head)


def test_json_is_the_manifest_with_paths(capsys):
    found = json.loads(listed(capsys, "--json"))
    assert found["schema"] == "euclio/bench-list/1"
    assert [one["path"] for one in found["instances"]] == listed(capsys).splitlines()
    assert {"name", "family", "design", "difficulty", "value", "bound"} <= set(found["instances"][0])


def test_the_frame_says_of_a_session_what_other_frames_say():
    """The same names and units: tightness is a share of 1, and near what is measured of the instance."""
    found = euclio.list_bench_set(family="session", class_="medium")
    rows = found.frame()
    assert list(rows.path) == [str(path) for path in found]
    sizes = FAMILY.features(euclio.load(found[0]))
    assert rows.tightness[0] == pytest.approx(sizes["tightness"], abs=0.01)
    assert rows.modules[0] == sizes["modules"]
