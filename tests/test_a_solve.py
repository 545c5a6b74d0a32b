"""A solve, file by file: what stands in the architecture is what one reads, from the command line to the algorithm."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from places import ROOT
from tiny_sessions import TEXT

PAGE = ROOT / "docs" / "architecture.md"
MOST = 18
"""Files that one reads from `euclio solve` to Harpagon's first line and back."""

TRACED = """
import sys
from euclio.cli import main

ROOT, FIRST, *WORDS = sys.argv[1:]
POINTS = {
    "euclio/problems/session/instance.py": "__init__",
    FIRST: None,
    "euclio/problems/session/evaluate.py": "evaluate",
    "euclio/problems/session/table.py": "plan_table",
    "euclio/files/result_files.py": "result_to_text",
}

def called(frame, event, argument):
    code = frame.f_code
    file = code.co_filename.removeprefix(ROOT)
    if event != "call" or file not in POINTS or code.co_name == "<module>":
        return
    stack = []
    while frame is not None:
        stack.append((frame.f_code.co_filename.removeprefix(ROOT), frame.f_code.co_name))
        frame = frame.f_back
    needed = {FIRST: "answer", "euclio/problems/session/evaluate.py": "check"}.get(file)
    if needed is not None and ("euclio/core/solving.py", needed) not in stack:
        return  # a solver warms up on a tiny session before, and may ask the checker itself
    if POINTS[file] not in (None, code.co_name):
        return
    del POINTS[file]
    with open("stacks", "a") as out:
        out.writelines(f"{file}\\n" for file, name in reversed(stack) if file.endswith(".py") and "/" != file[0])

sys.setprofile(called)
main(WORDS)
"""
"""Notes the files of the calls that are under way where a session is made, an algorithm begins, its plan is checked,
printed and written; in the process of the solver too."""


@pytest.fixture
def read(tmp_path):
    """What reads the files of a solve, in the order in which one comes to them."""
    (tmp_path / "s.json").write_text(TEXT)

    def files(first: str, *words: str) -> list[str]:
        asked = [f"{ROOT}/", first, "solve", "s.json", *words, "--out", "r.json"]
        subprocess.run([sys.executable, "-c", TRACED, *asked], cwd=tmp_path, check=True, capture_output=True)
        found = (tmp_path / "stacks").read_text().split()
        (tmp_path / "stacks").unlink()
        return list(dict.fromkeys(found))

    return files


def test_the_page_names_the_files_that_a_solve_goes_through(read):
    """A reader who follows it comes from the command to Harpagon, and back to what is printed."""
    section = PAGE.read_text(encoding="utf-8").partition("## A solve, file by file")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `([^`]+\.py)` \|", section, re.MULTILINE)
    found = read("heuristics/session/solver.py", "--solver", "harpagon")
    assert sorted(named) == sorted(found)
    assert len(found) <= MOST


def test_the_way_to_the_exact_solver_is_the_same(read):
    """Up to the algorithm, one solver is as near as the other."""
    harpagon = read("heuristics/session/solver.py", "--solver", "harpagon")
    exact = read("formulations/session/exact/solver.py")
    assert [file for file in exact if file not in harpagon] == ["formulations/session/exact/solver.py"]
