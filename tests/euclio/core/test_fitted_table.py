"""Tables in narrow windows: no name and no number loses a character."""

from __future__ import annotations

import pytest
from rich.text import Text

from euclio.core.tables import new_table, to_text

NAMES = ("segmentation-head", "A100-SXM4-80GB")


def table(spare=("share",)):
    found = new_table(
        "module", "hardware", "cost/h", "share", "said", numbers=("cost/h", "share"), wrapped=("said",), spare=spare
    )
    found.add_row(*map(Text, (*NAMES, "0.281", "100.0 %", "a sentence that may go on in the next line")))
    return found


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_names_and_numbers_stay_whole(width):
    text = to_text(table(), width)
    for whole in (*NAMES, "0.281"):
        assert whole in text


def test_the_least_needed_column_gives_way_and_is_named():
    narrow, wide = (to_text(table(), width) for width in (50, 120))
    assert "100.0 %" in wide
    assert "left out" not in wide
    assert "100.0 %" not in narrow
    assert "left out, as the window is narrow: share" in " ".join(narrow.split())


def test_sentences_are_wrapped_between_words():
    lines = to_text(table(spare=()), 90).splitlines()
    assert max(map(len, lines)) <= 90
    assert not any(line.rstrip().endswith(("sente", "lin")) for line in lines)


def test_the_table_is_as_before_after_it_was_drawn():
    found = table()
    assert to_text(found, 50) == to_text(found, 50)
    assert "100.0 %" in to_text(found, 120)


@pytest.mark.parametrize(("columns", "width"), [("70", 70), ("x", 100), ("", 100)])
def test_a_pipe_honours_columns(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, to_text(Text("word " * 100)).splitlines())) in (width, width - 1)
