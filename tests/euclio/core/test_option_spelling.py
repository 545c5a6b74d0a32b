"""Errors name options and verbs as whoever is told of them writes these."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from euclio.core.parameters import option_text, spelling, verb_text

ROOT = Path(__file__).parents[3]
WRITTEN_OUT = re.compile(r"--[a-z]|`euclio [a-z-]+[ `]")
SAID = [
    (lambda: option_text("--rate"), "--rate", "rate"),
    (lambda: option_text("--from", placeholder="RESULT"), "--from RESULT", "from_=RESULT"),
    (lambda: option_text("--arrivals", "gamma"), "--arrivals gamma", "arrivals='gamma'"),
    (lambda: option_text("--attainment", 0.99), "--attainment 0.99", "attainment=0.99"),
    (lambda: verb_text("what-if"), "`euclio what-if`", "`euclio.what_if()`"),
    (lambda: option_text("--to", "triton", "csv"), "--to triton or csv", "to='triton' or 'csv'"),
    (lambda: verb_text("bench-set check"), "`euclio bench-set check`", "`euclio.check_bench_set()`"),
    (lambda: verb_text("what-if", "--rate"), "`euclio what-if --rate`", "`euclio.what_if()` with `rate`"),
]


@pytest.mark.parametrize(("text", "typed", "called"), SAID)
def test_options_and_verbs_are_spelled_for_who_is_told(text, typed, called):
    """Where nobody has said who that is, an option is as it is typed."""
    with spelling(typed=True):
        assert text() == typed
    with spelling(typed=False):
        assert text() == called
    assert text() == typed


def test_the_first_caller_decides():
    """The command calls the verb that a call in Python calls."""
    with spelling(typed=True), spelling(typed=False):
        assert option_text("--rate") == "--rate"
    with spelling(typed=False):
        with spelling(typed=True):
            assert option_text("--rate") == "rate"
        assert option_text("--rate") == "rate"


ALONE = {
    "euclio/verbs/decompose.py": "_instances, which reads what was typed",
    "euclio/verbs/export.py": "print_exported",
    "euclio/verbs/reproduce.py": "print_reproduced",
    "euclio/verbs/simulate.py": "print_simulation",
    "euclio/verbs/what_if.py": "what asks for a page, which the command alone writes",
    "euclio/verbs/interface/parser.py": "the parser",
}
"""Files in which the command alone raises errors that name options as they are typed, and what raises them."""


def written_out(path: Path) -> Iterator[str]:
    """Texts of the errors that a file raises which name an option or a verb in one spelling."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            parts = [one for one in ast.walk(node.exc.args[0]) if isinstance(one, ast.Constant)]
            given = {one for call in ast.walk(node.exc.args[0]) if isinstance(call, ast.Call) for one in call.args}
            yield from (str(one.value) for one in parts if one not in given and WRITTEN_OUT.search(str(one.value)))


def test_no_error_spells_an_option_for_one_caller_alone():
    """A call in Python would be told of an option, which it does not have."""
    files = sorted((ROOT / "euclio").rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): list(written_out(path)) for path in files}
    assert {name for name, texts in found.items() if texts} == set(ALONE)
