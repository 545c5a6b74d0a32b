"""A problem family that another package offers is served by every verb."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).with_name("toy_family")
INSTANCE = {
    "schema": "euclio/covering/1",
    "name": "two machines",
    "load_rps": 10.5,
    "machines": [
        {"name": "small", "rate_rps": 3, "price_per_h": 1},
        {"name": "large", "rate_rps": 8, "price_per_h": 2.5},
    ],
}
EXPERIMENT = """schema = "euclio/experiment/1"
name = "toy"
[[instances]]
files = ["covering.json"]
[[solvers]]
name = "covering-enumeration"
[[solvers]]
name = "covering-greedy"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "covering.json").write_text(json.dumps(INSTANCE))
    return tmp_path


def euclio(folder, *arguments):
    """Exit code, standard output and standard error of the command, with the package on the path."""
    path = os.pathsep.join([str(PACKAGE), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from euclio.cli import main; sys.exit(main())", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """What solving printed, and the folder with instance and result, once: each process takes a second to start."""
    folder = tmp_path_factory.mktemp("solved")
    (folder / "covering.json").write_text(json.dumps(INSTANCE))
    return euclio(folder, "solve", "covering.json", "--out", "result.json"), folder


def test_it_is_solved_and_verified(solved):
    (code, out, _), folder = solved
    assert code == 0
    assert "two machines: optimal, cost 3.5 per hour" in out
    code, out, _ = euclio(folder, "verify", "covering.json", "result.json")
    assert (code, out.splitlines()[0]) == (0, "accepted: cost 3.5 per hour")


def test_a_worse_claim_is_refused(folder, solved):
    written = json.loads((solved[1] / "result.json").read_text())
    written["plan"]["counts"] = [4, 0]
    (folder / "result.json").write_text(json.dumps(written))
    assert euclio(folder, "verify", "covering.json", "result.json")[0] == 1


@pytest.mark.slow
def test_systems_are_compared_and_decomposed(folder):
    code, out, err = euclio(folder, "compare", "covering.json")
    assert (code, "covering-greedy" in out) == (0, True), err
    code, out, err = euclio(folder, "decompose", "covering.json")
    assert (code, "covering-greedy" in out) == (0, True), err


@pytest.mark.slow
def test_it_is_run_in_batches(folder):
    (folder / "toy.toml").write_text(EXPERIMENT)
    code, _, err = euclio(folder, "run", "toy.toml", "--slots", 1)
    assert code == 0, err
    code, out, err = euclio(folder, "status", "toy.toml")
    assert (code, "covering-greedy" in out) == (0, True), err


@pytest.mark.slow
def test_its_solvers_are_tried(folder):
    code, out, err = euclio(folder, "check-solver", "covering-greedy", "--samples", 3)
    assert code == 0, out + err


def test_bad_input_is_one_line(folder):
    wrong = {**INSTANCE, "load": 3}
    (folder / "covering.json").write_text(json.dumps(wrong))
    code, _, err = euclio(folder, "solve", "covering.json")
    assert code == 2
    assert "load: has no unit" in err or "load: is an unknown field" in err


@pytest.mark.slow
def test_what_it_has_not_is_said(folder):
    euclio(folder, "solve", "covering.json", "--out", "result.json")
    code, _, err = euclio(folder, "simulate", "covering.json", "result.json")
    assert (code, "is a covering; `euclio simulate` serves sessions" in err) == (2, True)
    assert euclio(folder, "certify", "covering.json", "result.json")[0] == 4
    assert euclio(folder, "explain", "covering.json")[0] == 0
