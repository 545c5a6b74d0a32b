"""Where numbers become text for people: in `euclio/core/words.py`, and nowhere in a way that may have an exponent."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHOWN = ("cli.py", "contract", "core", "experiments", "export", "files", "problems", "questions", "serving")
SHOWN += ("report/experiment", "report/what_if", "supervision", "verbs", "workloads")
EXACT = {
    "core/words.py": "makes the texts",
    "core/numbers.py": "decimals of files",
    "serving/replanning/tables.py": "settings of a study, in a page that is made once",
    "workloads/pipeline/designs.py": "names of instances",
    "workloads/session/designs.py": "names of instances",
    "workloads/session/random_sessions.py": "names of instances",
    "serving/dynamics/__main__.py": "defaults of a study",
    "core/system.py": "constants of a few seconds",
    "files/instance_files.py": "constants of a few seconds",
    "files/json_writing.py": "constants of a few seconds",
    "verbs/interface/family_keywords.py": "constants of a few seconds",
    "verbs/interface/session_questions.py": "constants of a few seconds",
    "problems/session/views.py": "coordinates of a drawing",
    "report/drawn_data.py": "rounds numbers and makes no text",
}
"""Where a format with an exponent stands on purpose, and why."""

BEFORE_A_BRACE = re.compile(r"([{}])([^{}]*[egEG])(?=\})")
"""Text that ends with e or g before a brace closes, and the brace before it."""


def may_have_one(text: str) -> bool:
    """Whether a source needs to be parsed: such a format stands after a colon, or after a width in braces."""
    return any(brace == "}" or ":" in part for brace, part in BEFORE_A_BRACE.findall(text))


def exponent_formats(file: Path) -> list[int]:
    """Lines with an f-string whose format may print an exponent: those that end with e or g."""
    text = file.read_text(encoding="utf-8")
    walked = ast.walk(ast.parse(text)) if may_have_one(text) else ()
    nodes = [node for node in walked if isinstance(node, ast.FormattedValue)]
    specs = [(node.lineno, ast.unparse(node.format_spec)) for node in nodes if node.format_spec is not None]
    return [line for line, spec in specs if spec.rstrip("'\"")[-1:] in ("e", "g", "E", "G")]


@pytest.mark.parametrize("room", SHOWN)
def test_no_text_for_people_may_have_an_exponent(room):
    """`1.06171e+06 per month` was printed; a person reads 1,061,712, and a new place may forget it again."""
    place = ROOT / "euclio" / room
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    found = {}
    for file in files:
        name = file.relative_to(ROOT / "euclio").as_posix()
        if not name.startswith(tuple(EXACT)) and (lines := exponent_formats(file)):
            found[name] = lines
    assert not found
