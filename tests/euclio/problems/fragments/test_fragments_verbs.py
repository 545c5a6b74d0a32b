"""The verbs on the command line, from drawing a fleet to certifying its plan."""

import json

import pytest

from euclio.cli import main
from euclio.files import load_instance
from euclio.problems.fragments.files import save_fleet
from euclio.workloads.fragments.random_fleets import small_fleet


def test_a_fleet_is_drawn_solved_verified_explained_and_certified(tmp_path, capsys):
    one, result = tmp_path / "one.json", tmp_path / "result.json"
    save_fleet(small_fleet(0), one)
    assert main(["solve", str(one), "--out", str(result)]) == 0
    assert "optimal, GPU share" in capsys.readouterr().out
    assert main(["verify", str(one), str(result)]) == 0
    assert main(["explain", str(one)]) == 0
    assert main(["certify", str(one), str(result)]) == 0
    written = json.loads(result.read_text())
    assert {"gpu_share_pct", "claimed_gpu_share_pct", "bound_pct"} <= set(written)
    written["gpu_share_pct"] -= 1
    result.write_text(json.dumps(written))
    assert main(["verify", str(one), str(result)]) == 1


def test_options_restrict_the_plan_space(tmp_path, capsys):
    one = tmp_path / "one.json"
    save_fleet(small_fleet(0), one)
    assert main(["solve", str(one), "--sharing", "alone", "--max-instances", "9", "--budgets", "own", "--json"]) == 0
    options = json.loads(capsys.readouterr().out)["options"]
    assert (options["sharing"], options["max_instances"], options["budgets"]) == ("alone", 9, "own")


def test_the_same_seed_draws_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        call = ["generate", "random-fleets", "--fragments", "30", "--layers", "4", "--seed", "5", "--count", "2"]
        assert main([*call, "--out", str(tmp_path / name)]) == 0
    first, second = ([p.read_bytes() for p in sorted((tmp_path / name).iterdir())] for name in ("a", "b"))
    assert first == second
    assert len(first) == len(set(first)) == 2
    assert len(load_instance(next((tmp_path / "a").iterdir())).fragments) == 30


def test_gslice_serves_a_drawn_fleet(tmp_path, capsys):
    one = tmp_path / "one.json"
    assert main(["generate", "random-fleets", "--fragments", "40", "--out", str(one)]) == 0
    capsys.readouterr()
    for solver in ("gslice", "gslice+"):
        assert main(["solve", str(one), "--solver", solver, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["gpu_share_pct"] > 0


@pytest.mark.slow
def test_too_much_to_enumerate_is_inapplicable(tmp_path, capsys):
    one = tmp_path / "one.json"
    assert main(["generate", "random-fleets", "--out", str(one)]) == 0
    assert main(["solve", str(one), "--solver", "fragments-bruteforce"]) == 4
