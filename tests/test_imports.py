"""Imports stand at the top of files, but for those that a start-up needs late; start-ups load no more than they did."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter

import pytest
from places import ROOT
from tiny_sessions import TEXT

PACKAGES = ("bruteforce", "euclio", "formulations", "heuristics", "studies")

LATE = {
    "euclio": 1,
    "euclio/core": 23,
    "euclio/experiments": 7,
    "euclio/files": 5,
    "euclio/problems": 7,
    "euclio/questions": 1,
    "euclio/report": 2,
    "euclio/serving": 1,
    "euclio/supervision": 2,
    "euclio/verbs": 44,
    "formulations": 16,
    "heuristics": 4,
    "studies": 1,
}
"""Imports inside functions by room, at most: of large libraries, of those not always there, of what few runs need."""


def late_imports() -> Counter[str]:
    """Imports inside functions, by room."""
    found: Counter[str] = Counter()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        room = "/".join(path.relative_to(ROOT).parts[:-1][: 2 if path.is_relative_to(ROOT / "euclio") else 1])
        tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        functions = [node for node in tree if isinstance(node, ast.FunctionDef)]
        inside = {node for function in functions for node in ast.walk(function)}
        found[room] += sum(isinstance(node, ast.Import | ast.ImportFrom) for node in inside)
    return found


def test_imports_inside_functions_do_not_become_more() -> None:
    """A room that has fewer gets its new number here."""
    assert {room: count for room, count in late_imports().items() if count > LATE.get(room, 0)} == {}


LARGE = {
    *("dask", "distributed", "highspy", "matplotlib", "numba", "numpy", "ortools", "pandas", "pulp", "pyarrow"),
    *("pydantic", "rich", "scipy", "yaml"),
}
SOLVES = {"numpy", "pydantic", "rich"}
STARTS = {
    "import euclio": (7, set()),
    "--help": (29, set()),
    "solve s.json": (190, SOLVES),
    "solve s.json --solver harpagon": (203, SOLVES),
    "solve s.json --solver milp-split": (198, SOLVES | {"highspy", "pulp"}),
    "compare s.json": (187, SOLVES | {"pandas", "pyarrow"}),
    "curve s.json --slo 0.5,1": (158, SOLVES),
    "what-if s.json --rate 10 --solver harpagon": (148, SOLVES),
}
"""Commands: how many files of ours they load at most, and which large libraries, in all of their processes."""

WATCHED = """
import os, sys

class Watch:
    @staticmethod
    def find_spec(name, path=None, target=None):
        os.write(log, f"{name}\\n".encode())

log = os.open("loaded", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
sys.meta_path.insert(0, Watch)
"""
"""Notes what is imported, in forked processes too."""


@pytest.mark.parametrize(
    "start", [pytest.param(one, marks=[pytest.mark.slow] * (".json" in one and "solve" not in one)) for one in STARTS]
)
def test_a_start_loads_no_more_than_it_did(start, tmp_path) -> None:
    (tmp_path / "s.json").write_text(TEXT)
    run = start if start.startswith("import") else f"from euclio.cli import main; main({start.split()!r})"
    unset = {name: value for name, value in os.environ.items() if name != "EUCLIO_KERNELS"}
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-c", WATCHED + run]
    subprocess.run(command, cwd=tmp_path, env=unset | {"PYTHONPATH": paths}, capture_output=True, check=True)
    loaded = set((tmp_path / "loaded").read_text().split())
    most, large = STARTS[start]
    # Whether a library is there at all is asked for without loading it.
    assert {name.partition(".")[0] for name in loaded if "." in name} & LARGE == large
    assert len([name for name in loaded if name.partition(".")[0] in PACKAGES]) <= most
