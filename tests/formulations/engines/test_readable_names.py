"""Names in LP files: short, of plain letters, and never two alike."""

from __future__ import annotations

import pytest

from euclio import solve
from euclio.problems.session import Configuration, Hardware, Module, Session
from formulations.engines.milp import LONGEST_NAME, readable


def session(names):
    profile = [Configuration("gpu", batch, 1, f"0.{batch}") for batch in (1, 2)]
    edges = [(names[0], names[1]), (names[2], names[3])]
    return Session("n", 9, [Hardware("gpu", 1)], [Module(name, 3, profile) for name in names], edges)


def test_names_that_look_alike_are_numbered():
    assert readable(["a b", "a-b", "a b", "a_b_2"]) == ["a_b", "a_b_2", "a_b_3", "a_b_2_2"]


def test_long_names_are_cut_and_still_differ():
    found = readable(["x" * 200 + end for end in "abc"])
    assert len(set(found)) == 3
    assert max(map(len, found)) <= LONGEST_NAME + 2


@pytest.mark.parametrize("solver", ["milp", "milp-split", "scrooge-milp"])
@pytest.mark.parametrize("names", [("x_y", "z", "x", "y_z"), [f"{'n' * 190}{k}" for k in range(4)], "éüöä"])
def test_models_take_any_names(tmp_path, solver, names):
    """`x_y` calls `z` and `x` calls `y_z`: both rows would be after_x_y_z. LP files have names of 100 characters."""
    found = solve(session(list(names)), solver, export_lp=tmp_path / "model.lp")
    assert found.value is not None, found.reason
    assert (tmp_path / "model.lp").read_text().rstrip().endswith("End")
