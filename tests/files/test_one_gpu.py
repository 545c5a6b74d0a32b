"""Throughputs of models that are measured alone, and served on one machine: how many requests it takes, and no more."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import euclio
from euclio.cli import main
from euclio.core.coverage import fitting
from euclio.problems.session import PlanSpace

TABLE = "stage,alone (infer/sec)\ndecode,200\ndetect,125\nlabel,500\nall three,60\n"
"""5, 8 and 2 ms: 15 ms of one machine for each request, 200/3 = 66.67 requests per second."""
OPTIONS = ("--columns", "module=stage,throughput=alone (infer/sec)", "--where", "stage=decode|detect|label")


def session(rate, folder: Path):
    (folder / "alone.csv").write_text(TABLE)
    given = [*OPTIONS, "--rates", str(rate), "--slo", "0.2", "--prices", "gpu=1", "--out", "session.json"]
    assert main(["import", "csv", "alone.csv", *given]) == 0
    return euclio.load("session.json")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("rate", "machines"), [(20, 1), ("66.66", 1), ("66.67", 2), (100, 2)])
def test_models_share_one_machine_up_to_the_rate_that_fills_it(here, rate, machines):
    """With the solver that fits best, by the coverage table; by share 15 ms for each request, whole 3."""
    own = session(rate, here)
    space = PlanSpace(charging="packed")
    maker = fitting(own, lambda solver: solver.space_on(own, space))[0]
    assert euclio.solve(own, maker.name, machines="packed").value == machines
    assert euclio.solve(own).value == Fraction(str(rate)) * Fraction(15, 1000)
    assert euclio.solve(own, machines="whole").value == 3


def test_the_command_proposes_it_and_a_solver_that_cannot_share_names_one_that_can(here, capsys):
    session(60, here)
    assert main(["solve", "session.json", "--machines", "whole"]) == 0
    out = capsys.readouterr().out
    assert "shared machines: 1 per hour, the busiest works 90 % of the time" in out
    assert main(["solve", "session.json", "--machines", "packed", "--solver", "milp"]) == 4
    refused = capsys.readouterr().err
    assert "milp does not cover packed machines; use " in refused
    named = refused.rpartition("; use ")[2].split()[0]
    assert main(["solve", "session.json", "--machines", "packed", "--solver", named]) == 0
    assert "cost 1 per hour" in capsys.readouterr().out
