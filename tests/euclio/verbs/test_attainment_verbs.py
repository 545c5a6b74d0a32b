"""`--attainment` and percentiles in all verbs that plan sessions, as users meet them."""

import csv
import json

import pytest
from tiny_sessions import TEXT

from euclio.cli import main


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "session.json"
    path.write_text(TEXT)
    return str(path)


def out_of(capsys, *arguments):
    code = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_what_if_has_a_column_of_what_is_kept(session, tmp_path, capsys):
    out = tmp_path / "points.csv"
    asked = ["what-if", session, "--slo", "1,2", "--machines", "share", "--attainment", "0.9", "--out", out]
    code, text, _ = out_of(capsys, *asked)
    assert code == 0
    assert "90 % within the SLO under poisson arrivals" in text
    assert "in time, share" in text
    rows = list(csv.DictReader(out.open()))
    assert all(float(row["attainment_at_least"]) >= 0.9 for row in rows)


def test_what_if_takes_several_objectives_of_a_percentile(session, capsys):
    code, text, _ = out_of(capsys, "what-if", session, "--p90", "1,2", "--machines", "share", "--json")
    found = json.loads(text)
    assert code == 0
    assert found["attainment"]["target"] == 0.9
    assert [float(point["slo_s"]) for point in found["points"]] == [1.0, 2.0]


@pytest.mark.slow
def test_compare_is_against_the_cheapest_plan_found(session, capsys):
    code, text, _ = out_of(capsys, "compare", session, "--solvers", "harpagon,nexus", "--p90", "1.5", "--json")
    found = json.loads(text)
    assert code == 0
    assert found["optimum_per_h"] is None
    assert found["demand"] == "90 % within the SLO under poisson arrivals"
    planned = [one for one in found["systems"] if one["cost_per_h"] is not None]
    assert min(one["gap"] for one in planned) >= 0
    assert all(one["attainment_at_least"] >= 0.9 for one in planned)


@pytest.mark.slow
def test_decompose_says_that_nothing_is_proven(session, capsys):
    code, text, _ = out_of(capsys, "decompose", session, "--solvers", "harpagon", "--attainment", "0.9", "--json")
    assert code == 0
    assert json.loads(text)["rows"][0]["demand"] == "90 % within the SLO under poisson arrivals"


@pytest.mark.slow
def test_changes_states_what_each_step_keeps(session, tmp_path, capsys):
    before = tmp_path / "before.json"
    assert main(["solve", session, "--machines", "whole", "--out", str(before)]) == 0
    capsys.readouterr()
    asked = ["changes", session, "--from", before, "--rate", "12", "--attainment", "0.9", "--json"]
    code, text, _ = out_of(capsys, *asked)
    found = json.loads(text)
    assert code == 0
    assert all(step["attainment_at_least"] >= 0.9 for step in found["steps"])


@pytest.mark.parametrize("verb", ["solve", "what-if", "changes", "compare", "plan-day"])
def test_arrivals_without_an_attainment_are_refused_in_one_line(verb, session, tmp_path, capsys):
    load = tmp_path / "load.csv"
    load.write_text("time_s,factor\n0,1\n300,2\n600,1\n")
    further = {"plan-day": ["--load", load], "changes": ["--from", session]}.get(verb, [])
    code, _, err = out_of(capsys, verb, session, *further, "--arrivals", "gamma")
    assert code == 2
    assert err.count("\n") == 1


def test_an_attainment_is_asked_of_sessions_only(tmp_path, capsys):
    from tiny_clusters import tiny_cluster

    from euclio.files import save_instance

    path = tmp_path / "cluster.json"
    save_instance(tiny_cluster(), path)
    code, _, err = out_of(capsys, "compare", path, "--attainment", "0.9")
    assert code == 2
    assert "--attainment: is an option for sessions" in err


@pytest.mark.slow
def test_every_step_of_a_day_keeps_it(session, tmp_path, capsys):
    load, result = tmp_path / "load.csv", tmp_path / "day.json"
    load.write_text("time_s,factor\n0,1\n300,2\n600,1\n900,3\n")
    asked = ["plan-day", session, "--load", load, "--attainment", "0.9", "--solvers", "day-per-step", "--out", result]
    code, text, _ = out_of(capsys, *asked)
    assert code == 0
    assert "each step keeps 90 % within the SLO under poisson arrivals" in text
    stated = json.loads(result.read_text())
    assert stated["stats"]["attainment_at_least"] >= 0.9
    assert stated["options"]["attainment"]["target"] == 0.9
