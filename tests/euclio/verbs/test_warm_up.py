"""`euclio warm-up` and how results say whether their kernels ran interpreted."""

from __future__ import annotations

import json
import os
import time

import pytest
from tiny_sessions import TEXT

from euclio import solve
from euclio.cli import main
from euclio.core import warm_up
from euclio.core.compiled import using
from euclio.core.registry import find_solver, solvers
from euclio.core.ways import Way
from euclio.core.words import took
from euclio.problems.session.family import FAMILY


@pytest.mark.slow
def test_solvers_that_are_named_are_compiled_and_no_others(capsys):
    """Somebody who compares two heuristics need not wait for all searches."""
    assert main(["warm-up", "clipper", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said["done_s"]) == ["clipper"]
    assert said["folder"]


@pytest.mark.parametrize("words", [["nobody"], ["clipper", "--jobs", "0"]])
def test_bad_input_is_one_line(words, capsys):
    assert main(["warm-up", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_all_solvers_provers_and_simulators_are_parts_of_it():
    """Otherwise the first simulation or certificate would compile the kernels that no solver reaches."""
    names = [name for name, _, _ in warm_up.parts()]
    assert {"exact", "harpagon", "columns", "regroup"} <= set(names)
    assert sum(name.startswith("prover and simulator") for name in names) >= 3


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", [name for name in solvers() if find_solver(name).compile is not None])
def test_what_a_solver_compiles_on_its_own_runs(name):
    """Warming up goes on after an error, so an error in these functions would pass unnoticed."""
    find_solver(name).compile()


def test_machine_code_that_nothing_reads_is_removed(tmp_path):
    """Each version of a function leaves a file; those that are in use are touched when they are read."""
    folder = tmp_path / "py311"
    for name, days in (("old", 61), ("used", 59)):
        file = tmp_path / "py310" / f"{name}.machine"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"")
        then = time.time() - days * warm_up.DAY_S
        os.utime(file, (then, then))
    for name in ("left.machine-lock", "making.lock"):
        (tmp_path / "py310" / name).touch()
        os.utime(tmp_path / "py310" / name, (0, 0))
    other = tmp_path / "notes.txt"
    other.write_text("mine", encoding="utf-8")
    assert warm_up.prune(folder) == 2
    # A process that compiles in the background may hold that one, however old it is.
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["making.lock", "notes.txt", "used.machine"]


@pytest.mark.parametrize(("way", "said"), [(Way.INTERPRETED, ", interpreted"), (Way.COMPILED, "")])
def test_a_result_says_how_its_kernels_ran(way, said):
    """Times of interpreted and compiled runs cannot be compared, so tables say which they are."""
    instance, space = FAMILY.tiny(FAMILY.full_space)
    with using(way):
        result = solve(instance, "exact", space=space)
    assert result.provenance["kernels"] == way.value
    assert took(1.0, result.provenance) == f"1 s{said}"


def test_a_comparison_says_that_times_are_interpreted(tmp_path, capsys):
    """Otherwise users of a fresh installation would cite the times of interpreted code."""
    file = tmp_path / "s.json"
    file.write_text(TEXT, encoding="utf-8")
    line = "times: interpreted"
    with using(Way.INTERPRETED):
        assert main(["compare", str(file), "--solvers", "harpagon"]) == 0
    assert line in capsys.readouterr().out
    assert main(["compare", str(file), "--solvers", "harpagon"]) == 0
    assert line not in capsys.readouterr().out
