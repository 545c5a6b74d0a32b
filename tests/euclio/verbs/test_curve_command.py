"""`euclio curve`: a table, files, a figure, and what is refused."""

import json

import pytest
from tiny_sessions import TEXT

import euclio
from euclio.cli import main


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


def test_it_prints_a_table_and_writes_files(file, tmp_path, capsys):
    out, plot = tmp_path / "table.csv", tmp_path / "figure.svg"
    asked = ["curve", file, "--out", str(out), "--plot", str(plot)]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["tiny: cost per hour by SLO", "SLO from 500.000 to 2,000.0 ms"]
    assert any(line.startswith("proven: ") for line in lines)
    assert out.read_text().startswith("from_slo_s,below_slo_s,status,cost_per_h,bound_per_h,latency_s,reason,machines_")
    first = plot.read_bytes()
    assert b"<svg" in first
    assert main(asked) == 0
    assert plot.read_bytes() == first


@pytest.mark.parametrize(
    ("options", "fields"), [([], ("from_slo_s", "below_slo_s")), (["--over", "rate"], ("above_rps", "up_to_rps"))]
)
def test_json_says_what_the_frame_does(file, capsys, options, fields):
    assert main(["curve", file, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    frame = euclio.curve(file, over=options[-1] if options else "slo").frame()
    assert found["schema"] == "euclio/cost-curve/1"
    assert (found["complete"], found["proven"]) == (True, True)
    for field, column in ((fields[0], fields[0]), (fields[1], fields[1]), ("cost_per_h", "cost")):
        assert [step[field] for step in found["steps"]] == pytest.approx(frame[column].tolist())


def test_without_a_plan_it_is_infeasible(file, capsys):
    assert main(["curve", file, "--slo", "0.01,0.02"]) == 3
    assert "infeasible" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--slo", "1"], "--slo: takes two values, the least and the largest"),
        (["--slo", "1,0.5"], "--slo: takes two values above 0, the lesser one first"),
        (["--rate", "5,10"], "--rate: takes one value; the cost is a function of the SLO"),
        (["--over", "rate", "--machines", "share"], "--over: over the rate the cost is a step function only"),
        (["--solver", "harpagon"], "--solver: harpagon proves nothing between two points"),
    ],
)
def test_bad_options_are_one_line(file, capsys, options, words):
    assert main(["curve", file, *options]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error
