"""What the source of kernels and of their makers must not contain; quick, as it is read and not compiled."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKERS = {
    "euclio/core/machine_code.py",
    "euclio/problems/session/policies/c_functions.py",
}
"""The modules that need numba, or its parts; the last two hold what is compiled in the place of a kernel."""


def test_nothing_else_imports_numba():
    """An import of it takes most of a second, wherever it stands."""
    found = set()
    for package in ("euclio", "studies", "heuristics", "formulations", "bruteforce"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_bytes())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                brings = any(name.split(".")[0] in {"numba", "llvmlite"} for name in names)
                if brings or "euclio.core.machine_code" in names:
                    found.add(path.relative_to(ROOT).as_posix())
    assert found - {"euclio/core/compiled.py", "euclio/core/background_compiler.py"} == MAKERS


ADDS_IN_PAIRS = {"sum", "mean", "prod", "dot", "std", "var", "nansum"}
UNSTABLE = {"argsort", "argpartition", "partition"}
WHOLE_NUMBERS = {
    ("euclio/serving/session/engine/loop.py", "_fits"),
    ("formulations/session/exact/mode_resolution.py", "with_search_room"),
    ("heuristics/session/price_of_time.py", "give_again"),
}
"""Kernels that add whole numbers, whose order does not matter."""


def test_kernels_add_and_sort_alike_either_way():
    """Numpy adds floats in pairs and breaks ties as it likes; numba adds one after the other: answers would differ."""
    found = set()
    for package in ("euclio", "studies", "heuristics", "formulations", "bruteforce"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "@compiled" not in text:
                continue
            place = path.relative_to(ROOT).as_posix()
            found |= {(place, name, what) for name, what in _told_otherwise(ast.parse(text))}
    assert {(place, name) for place, name, _ in found} <= WHOLE_NUMBERS, found


def _told_otherwise(tree):
    for function in tree.body:
        marks = [ast.unparse(mark) for mark in getattr(function, "decorator_list", ())]
        if not any(mark.startswith("compiled") for mark in marks):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                yield function.name, "@"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = node.func.attr
                sorted_so = any(
                    word.arg == "kind" and ast.unparse(word.value) == "'mergesort'" for word in node.keywords
                )
                if name in ADDS_IN_PAIRS or (name in UNSTABLE and not sorted_so):
                    yield function.name, name
