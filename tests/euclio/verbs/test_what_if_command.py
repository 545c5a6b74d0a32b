"""`euclio what-if`: a table, a file, a figure, and what is refused."""

import csv
import json
from pathlib import Path

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import TEXT

from euclio.cli import main
from euclio.files import save_instance

GRID = ["--rate", "5,20", "--slo", "0.35,0.7"]


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


def test_it_prints_a_table_and_writes_files(instance, tmp_path, capsys):
    out, plot = tmp_path / "table.csv", tmp_path / "figure.svg"
    asked = ["what-if", instance, *GRID, "--solver", "harpagon", "--out", str(out), "--plot", str(plot)]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tiny: cost per hour by rate and SLO"
    assert len(out.read_text().splitlines()) == 1 + 2 * 2 * 2
    first = plot.read_bytes()
    assert b"<svg" in first
    assert main(asked) == 0
    assert plot.read_bytes() == first


def test_json_states_the_changes(instance, capsys):
    asked = ["what-if", instance, *GRID, "--machines", "share", "--price", "V100=3", "--headroom", "0.2", "--json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["changes"] == {"price_per_h": {"V100": 3}, "headroom": 0.2}
    assert [point["charging"] for point in found["points"]] == ["share"] * 4


def test_a_way_of_charging_that_the_solver_does_not_cover_is_left_out_and_said(instance, capsys):
    assert main(["what-if", instance, "--solver", "milp", "--machines", "share,packed"]) == 0
    captured = capsys.readouterr()
    assert "--machines packed is left out: milp does not cover packed machines" in captured.err
    assert "packed" not in captured.out
    assert main(["what-if", instance, "--solver", "milp", "--machines", "packed"]) == 2


def test_each_capacity_of_a_resource_has_a_table_and_is_said(tmp_path, capsys):
    """A power cap is asked about as rates are; the file says what machines take, and a figure is of one capacity."""
    data = json.loads(TEXT)
    data["hardware"][0]["takes"] = {"power": 300}
    path, out = tmp_path / "capped.json", tmp_path / "table.csv"
    path.write_text(json.dumps(data))
    asked = ["what-if", str(path), "--machines", "whole", "--resource", "power=0,1e6"]
    assert main([*asked, "--out", str(out)]) == 0
    assert capsys.readouterr().out.count("of power in all") == 2
    rows = csv.DictReader(out.read_text().splitlines())
    assert [row["resource_power"] for row in rows] == ["0", "1000000"]
    assert main([*asked, "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["resources"] for point in points] == [{"power": 0}, {"power": 1000000}]
    assert main([*asked, "--plot", str(tmp_path / "a.svg")]) == 2
    assert "draws one capacity" in capsys.readouterr().err


def test_a_resource_that_only_the_command_line_knows_has_several_capacities(instance, capsys):
    """Its name comes with `--resource` and the amounts with `--takes`, so neither may be read before the other."""
    asked = ["what-if", instance, "--machines", "whole", "--resource", "watts=0,1e6", "--takes", "watts=V100:72"]
    assert main([*asked, "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["resources"] for point in points] == [{"watts": 0}, {"watts": 1000000}]
    assert main([*asked, "--takes", "power=V100:72"]) == 2
    assert "--takes" in capsys.readouterr().err


def test_without_a_plan_anywhere_it_is_infeasible(instance, capsys):
    assert main(["what-if", instance, "--slo", "0.1,0.2", "--machines", "share"]) == 3
    assert capsys.readouterr().out.count("infeasible") == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rate", "5,0"], "argument --rate: is 0; it must be greater than 0"),
        (["--slo", "0.1;0.2"], "argument --slo: '0.1;0.2' must be a number greater than 0"),
        (["--machines", "hole"], "--machines: is 'hole'; it must be one of share, whole, packed"),
        (["--price", "V10=1"], "--price: unknown hardware 'V10'; did you mean V100?"),
        (["--plot", "out.txt"], "--plot"),
        (["--resource", "power"], "argument --resource: 'power' must be NAME=VALUE,VALUE"),
        (["--resource", "power=3"], "--resource: is taken by no hardware"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(instance, capsys, options, words):
    assert main(["what-if", instance, *options]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_other_families_are_refused(tmp_path, capsys):
    path = tmp_path / "cluster.json"
    save_instance(tiny_cluster(), path)
    assert main(["what-if", str(path)]) == 2
    assert capsys.readouterr().err.endswith("is one of clusters; `euclio what-if` asks about sessions only\n")


def test_a_file_that_is_read_is_not_overwritten(instance, capsys):
    assert main(["what-if", instance, "--out", instance]) == 2
    assert Path(instance).read_text() == TEXT
