"""`euclio plan-day` as a command."""

from __future__ import annotations

import json

import pytest

from euclio.cli import main
from euclio.files import save_instance
from euclio.problems.day.family import small
from euclio.problems.session import Configuration, Hardware, Module, Session


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    day = small(2)
    save_instance(day.session, "session.json")
    save_instance(day, "day.json")
    rows = [f"{300 * k},{float(step.rates_rps[0])}" for k, step in enumerate(day.steps)]
    (tmp_path / "load.csv").write_text("\n".join(["time_s,rate_rps", *rows]))
    return tmp_path


def call(capsys, *arguments):
    code = main(["plan-day", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_session_and_a_load_are_planned_drawn_and_written(capsys, folder):
    options = ("--warm-up", 120, "--keep-alive", 120, "--price-per-change", 0.04)
    files = ("--plot", "day.svg", "--out", "result.json", "--day-out", "again.json")
    code, out, _ = call(capsys, "session.json", "--load", "load.csv", *options, *files)
    assert code == 0
    for word in ("day-peak", "day-per-machine", "day-thresholds", "day-per-step", "day-exact", "regret", "proven"):
        assert word in out
    assert (folder / "again.json").read_text() == (folder / "day.json").read_text()
    assert "<svg" in (folder / "day.svg").read_text()
    assert main(["verify", "again.json", "result.json"]) == 0


def test_a_day_with_a_quiet_night_is_planned_written_and_verified(capsys, folder):
    """A real day of ten-minute steps was refused at its first quiet one."""
    rates = [0, 0, 20, 55, 0, 10]
    (folder / "night.csv").write_text("\n".join(["time_s,rate_rps", *(f"{600 * k},{r}" for k, r in enumerate(rates))]))
    files = ("--plot", "night.svg", "--out", "result.json", "--day-out", "night.json")
    code, out, _ = call(capsys, "session.json", "--load", "night.csv", "--warm-up", 30, *files)
    assert code == 0
    assert "proven" in out
    assert main(["verify", "night.json", "result.json"]) == 0
    capsys.readouterr()
    code, out, _ = call(capsys, "night.json", "--json")
    best = next(row for row in json.loads(out)["solvers"] if row["solver"] == "day-exact")
    assert (code, best["regret"]) == (0, 0)


def test_a_log_of_requests_is_counted_and_planned(capsys, folder):
    """The same log by dates and by numbers is the same load; its quiet step stays one."""
    seconds = [0, 3, 5, 9, 31, 33, 40]
    (folder / "iso.csv").write_text("\n".join(["at,n", *(f"2026-01-31 23:59:{second:02d},1" for second in seconds)]))
    (folder / "ms.csv").write_text("\n".join(["at,n", *(f"{1000 * second},1" for second in seconds)]))
    for name, unit, column in (("iso", "timestamps-iso", ()), ("ms", "timestamps-ms", ("--load-column", "at"))):
        how = ("--load-unit", unit, "--load-step", "10", *column)
        code, out, _ = call(capsys, "session.json", "--load", f"{name}.csv", *how, "--day-out", f"{name}.json")
        assert code == 0
        assert "4 steps" in out
    assert (folder / "iso.json").read_text() == (folder / "ms.json").read_text()
    steps = json.loads((folder / "ms.json").read_text())["steps"]
    assert [step["rates_rps"] for step in steps] == [[0.4], [0], [0], [0.3]]


def test_the_same_figure_is_the_same_bytes(capsys, folder):
    for name in ("one.svg", "two.svg"):
        call(capsys, "day.json", "--solvers", "day-exact,day-peak", "--plot", name)
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()


def test_json_has_every_figure(capsys, folder):
    code, out, _ = call(capsys, "day.json", "--json")
    data = json.loads(out)
    assert (code, data["schema"], data["steps"]) == (0, "euclio/day-comparison/1", 6)
    by_solver = {row["solver"]: row for row in data["solvers"]}
    assert by_solver["day-exact"]["regret"] == 0
    assert by_solver["day-exact"]["cost_in_all"] == data["optimum_in_all"]
    assert all(row["regret"] >= 0 for row in data["solvers"])
    assert set(by_solver["day-peak"]["machine_hours"]) == {"large", "small"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("session.json",), "--load: is needed with a session"),
        (("day.json", "--load", "load.csv"), "--load: the file has a load of its own"),
        (("session.json", "--load", "none.csv"), "none.csv: cannot be read"),
        (("session.json", "--load", "session.json"), "session.json"),
        (("session.json", "--load", "load.csv", "--load-unit", "timestamps-s"), "--load-step: is needed with a log"),
        (("session.json", "--load", "load.csv", "--load-step", "0"), "--load-step: is 0; it must be greater than 0"),
        (("day.json", "--load-unit", "timestamps-s"), "--load-unit: says what the file of --load has; give that too"),
        (("day.json", "--solvers", "exact"), "is for sessions"),
        (("day.json", "--solvers", "day-exat"), "did you mean day-exact"),
        (("day.json", "--warm-up", "-1"), "must be a number of at least 0"),
        (("day.json", "--plot", "day.doc"), ".svg"),
        (("day.json", "--out", "day.json"), "would be lost"),
        (("session.json", "--load", "load.csv", "--out", "load.csv"), "would be lost"),
    ],
)
def test_bad_input_is_one_line(capsys, folder, arguments, said):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_load_that_nothing_serves_is_infeasible(capsys, folder):
    session = json.loads((folder / "session.json").read_text())
    (folder / "late.json").write_text(json.dumps(session | {"slo_s": 0.05}))
    code, out, err = call(capsys, "late.json", "--load", "load.csv")
    assert code == 3
    assert "step 1 of 6 has no plan" in out
    assert "infeasible" in err


@pytest.mark.parametrize("files", [("session.json", "--load", "load.csv"), ("day.json",)])
@pytest.mark.parametrize("option", ["--warm-up", "--keep-alive", "--price-per-change"])
def test_a_number_out_of_range_names_its_option(capsys, folder, files, option):
    code, _, err = call(capsys, *files, option, "1e300")
    assert code == 2
    assert err.splitlines() == [
        f"euclio: {option}: is 1e+300; magnitudes from 1e-12 to 1e12 are supported, check the unit"
    ]


def test_days_whose_modules_share_machines(capsys, folder):
    """Three modules at night on one machine; the rules that cannot share are left out unless they are named."""
    profile = [Configuration("h", 1, 1, "0.02")]
    session = Session("three", "0.5", [Hardware("h", 1)], [Module(name, 5, profile) for name in "abc"])
    save_instance(session, "three.json")
    (folder / "factor.csv").write_text("time_s,factor\n0,1\n3600,2\n7200,9\n")
    given = ("three.json", "--load", "factor.csv")
    code, out, _ = call(
        capsys, *given, "--machines", "packed", "--out", "result.json", "--day-out", "d.json", "--plot", "d.svg"
    )
    assert code == 0
    assert "day-exact" in out
    assert "day-thresholds" not in out
    assert main(["verify", "d.json", "result.json"]) == 0
    assert "partial ones packed" in capsys.readouterr().out
    whole, packed = (
        json.loads(call(capsys, *given, "--machines", machines, "--json")[1]) for machines in ("whole", "packed")
    )
    least = [min(row["cost_in_all"] for row in found["solvers"]) for found in (whole, packed)]
    assert least == [9, 5]
    assert ("charging" in whole, packed["charging"]) == (False, "packed")
    assert whole == without_times(json.loads(call(capsys, *given, "--json")[1]), whole)
    code, out, _ = call(capsys, *given, "--machines", "packed", "--solvers", "day-per-machine")
    assert code == 4
    assert "day-per-machine does not cover packed machines; use day-exact or day-peak" in out


def without_times(found, other):
    """The same with the wall times of another answer."""
    rows = zip(found["solvers"], other["solvers"], strict=True)
    return {**found, "solvers": [{**row, "wall_s": known["wall_s"]} for row, known in rows]}
