"""Tests over drawn cases say what they guard: a seed that fails tells nobody what was broken by it."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent


def test_every_test_of_drawn_cases_has_a_docstring_or_a_comment():
    """It stands on a parameter or an argument with `seed` in its name."""
    unsaid = [f"{file.relative_to(ROOT)}::{name}" for file in sorted(ROOT.rglob("test_*.py")) for name in _unsaid(file)]
    assert unsaid == []


def _unsaid(file: Path) -> list[str]:
    """The tests of a file over drawn cases that have neither a docstring nor a comment."""
    text = file.read_text(encoding="utf-8")
    if "seed" not in text:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    drawn = [node for node in functions if node.name.startswith("test_") and _is_drawn(node)]
    return [
        node.name
        for node in drawn
        if not ast.get_docstring(node) and comments.isdisjoint(range(node.lineno, (node.end_lineno or 0) + 1))
    ]


def _is_drawn(node: ast.FunctionDef) -> bool:
    """Whether a test has a parameter that is a seed."""
    decorators = " ".join(ast.unparse(one) for one in node.decorator_list if "parametrize" in ast.unparse(one))
    return any("seed" in argument.arg for argument in node.args.args) or "seed'" in decorators
