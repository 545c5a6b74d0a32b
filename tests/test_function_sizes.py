"""Functions are short and take few arguments, but for those named here, each with its reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("bruteforce", "euclio", "formulations", "heuristics", "studies")

MOST_LINES = 60
"""Lines of a function without its docstring."""
MOST_ARGUMENTS = 8
"""Arguments of a function, without `self` and `cls`."""

STATE = "the state of a kernel: numbers and arrays of its caller's, of which a record would be made at every call"
SEARCH = "one loop over a stack: every part of it reads and writes the state of the search, and calls would pass it on"
TABLES = "nested loops over tables, which share arrays and bounds that every call would have to pass on"
CALLED = "public: its arguments are a contract, and most are given by name"

LONG = {
    "bruteforce/session/split_search.py:split_optimum": SEARCH,
    "studies/mlperf/sharing.py:serve": "one loop over events, all of which move the same clock",
    "formulations/fragments/columns/proof.py:shares_by_mixes": TABLES,
    "formulations/fragments/columns/gains.py:largest_gains": TABLES,
    "formulations/fragments/columns/own_budgets.py:best_own_sets": TABLES,
    "formulations/session/exact/frontier_search.py:prove_within": "one loop, each turn of which may end the proof",
    "formulations/session/module/by_share.py:_search": SEARCH,
    "formulations/session/module/charged_states.py:_with_machines": TABLES,
    "formulations/session/module/problem.py:fill_problem": "fills one record from the needs by configuration",
    "formulations/session/module/whole.py:search_cover": SEARCH,
}
"""Functions that stay long: kernels all, in which a call costs time and splitting would pass the whole state on."""

OF_MANY = {
    "euclio/core/solving.py:solve": CALLED,
    "euclio/files/plain_family.py:plain_family": CALLED,
    "euclio/workloads/fragments/clients.py:draw_clients": CALLED,
    "euclio/experiments/runner.py:run": CALLED,
    "euclio/problems/session/instance.py:__init__": CALLED,
    "euclio/problems/session/policies/c_functions.py:own_latency": STATE,
    "euclio/problems/session/policies/kernels.py:own_latency": STATE,
    "euclio/questions/sweep/question.py:question": CALLED,
    "euclio/serving/session/system.py:__init__": "the parts of one module, which its only caller has at hand",
    "euclio/workloads/session/csv_profiles.py:session_from_csv": CALLED,
    "euclio/workloads/session/random_sessions.py:random_session": CALLED,
    "studies/mlperf/sharing.py:serve": STATE,
    "studies/ppipe/serving.py:loads": "they are the key under which a study keeps its runs",
}
"""Functions that keep many arguments. The verbs (`euclio/verbs/`) are public and not looked at."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements stand within one."""


class Size(NamedTuple):
    """What is counted of a function."""

    name: str
    lines: int
    arguments: int


@cache
def sizes() -> tuple[Size, ...]:
    """All functions of the packages by file and name, read once in a process; trees of the sources are not kept."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return tuple(Size(name, lines(node), arguments(node)) for path in files for name, node in functions(path))


def functions(path: Path) -> Iterator[tuple[str, Function]]:
    """The functions of a file, named by it."""
    name = path.relative_to(ROOT).as_posix()
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield f"{name}:{node.name}", node


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node; no function is defined in an expression, of which there are ten times as many."""
    for part in BLOCKS:
        for own in getattr(node, part, ()):
            yield own
            yield from statements(own)


def lines(function: Function) -> int:
    """Lines without the docstring."""
    assert function.end_lineno is not None
    found = function.end_lineno - function.lineno + 1
    text = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        assert text.end_lineno is not None
        found -= text.end_lineno - text.lineno + 1
    return found


def arguments(function: Function) -> int:
    """Arguments without `self` and `cls`."""
    own = function.args
    named = [*own.posonlyargs, *own.args, *own.kwonlyargs]
    return len([one for one in named if one.arg not in ("self", "cls")]) + bool(own.vararg) + bool(own.kwarg)


def test_functions_are_short():
    """What does not fit on a screen is read in pieces; a name that is no longer long leaves the list."""
    assert {size.name for size in sizes() if size.lines > MOST_LINES} == set(LONG)


def test_functions_take_few_arguments():
    """Nine values in a row are mixed up by who calls; a name that no longer takes as many leaves the list."""
    many = {size.name for size in sizes() if size.arguments > MOST_ARGUMENTS}
    assert {name for name in many if not name.startswith("euclio/verbs/")} == set(OF_MANY)


def comments(path: Path, function: Function) -> int:
    """Lines of comments within the function."""
    text = path.read_text(encoding="utf-8").splitlines()
    return sum(line.lstrip().startswith("# ") for line in text[function.lineno - 1 : function.end_lineno])


def test_long_functions_say_why_at_their_turns():
    """A kernel that stays long is read by its comments: at least one for every fifteen lines."""
    files = {ROOT / name.partition(":")[0] for name in LONG}
    long = [(path, name, node) for path in files for name, node in functions(path) if name in LONG]
    assert len(long) >= len(LONG)
    assert not [name for path, name, node in long if comments(path, node) < lines(node) / 15]
