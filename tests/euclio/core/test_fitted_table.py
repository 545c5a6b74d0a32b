"""Tables in narrow windows: no number is broken or cut, and what is hidden is named."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rich.text import Text

from euclio.core.fitted_table import Column, Label, Sentence, folded, table_of
from euclio.core.tables import to_text

NAMES = ("segmentation-head", "A100-SXM4-80GB")


COLUMNS = (Label("module"), Label("hardware"), Column("cost/h"), Column("share", spare=1), Sentence("said"))
SAID = [*NAMES, "0.281", "100.0 %", "a sentence that may go on in the next line"]


def table(*more):
    return table_of([SAID, *map(list, more)], COLUMNS)


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_names_and_numbers_stay_whole_where_there_is_room(width):
    text = to_text(table(), width)
    for whole in (*NAMES, "0.281"):
        assert whole in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_window(width):
    assert max(map(len, to_text(table(), width).splitlines())) <= width


@pytest.mark.fifth("number")
@pytest.mark.parametrize("width", [20, 40, 60, 80, 100])
@pytest.mark.parametrize("number", ["491.0745", "1,234,567.891", "1.2345678e-05", "0 + 0.123456789", "≤ 491.0745"])
def test_a_number_is_whole_or_its_column_is_hidden(width, number):
    found = table(("x" * 100, "h", number, number, "said"))
    text = to_text(found, width)
    hidden = " ".join(text.split()).partition("hidden at this width: ")[2]
    rounded = {"491.0745": "491.1", "1,234,567.891": "1,234,568"}.get(number, number)
    for heading in ("cost/h", "share"):
        assert heading in hidden or any(one in line for line in text.splitlines() for one in (number, rounded))


def test_the_least_needed_column_gives_way_and_is_named():
    narrow, wide = (to_text(table(), width) for width in (50, 120))
    assert "100.0 %" in wide
    assert "hidden" not in wide
    assert "100.0 %" not in narrow
    assert "hidden at this width: share" in " ".join(narrow.split())


def test_a_long_name_is_folded_before_a_column_is_hidden():
    """A name of 200 signs would leave no room for any number."""
    found = table(("n" * 200, "h", "491.0745", "1 %", ""))
    text = to_text(found, 100)
    assert "hidden" not in text
    assert text.count("n" * 24) >= 2


def test_a_heading_may_take_more_lines_than_one():
    found = table_of([["x", "1.5"]], (Label("a"), Column("req/s per weight")))
    lines = to_text(found, 14).splitlines()
    assert {"req/s", "per", "weight", "1.5"} <= {word for line in lines for word in line.split()}
    assert max(map(len, lines)) <= 14


def test_sentences_are_wrapped_between_words():
    lines = to_text(table(), 90).splitlines()
    assert max(map(len, lines)) <= 90
    assert not any(line.rstrip().endswith(("sente", "lin")) for line in lines)


def test_the_table_is_as_before_after_it_was_drawn():
    found = table()
    assert to_text(found, 50) == to_text(found, 50)
    assert "100.0 %" in to_text(found, 120)


@pytest.mark.parametrize(("columns", "width"), [("70", 70), ("x", 500), ("", 500), ("40", 40)])
def test_a_pipe_honours_columns(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, to_text(Text("word " * 100)).splitlines())) in range(width - 4, width + 1)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("two words", 6, ["two", "words"]),
        ("A100-SXM4-80GB", 10, ["A100-SXM4-", "80GB"]),
        ("ab491.0745", 6, ["ab", "491.0745"]),
        ("x491.07 y", 4, ["x", "491.07", "y"]),
        ("語語語", 4, ["語語", "語"]),
        ("", 4, [""]),
        ("a\nb", 4, ["a", "b"]),
    ],
)
def test_long_words_are_broken_at_signs_and_outside_numbers(text, width, lines):
    assert folded(Text(text), width).plain.split("\n") == lines


@pytest.mark.parametrize(
    ("number", "narrow"),
    [
        ("491.074", "491.1"),
        ("12,345.678", "12,346"),
        ("0.012345", "0.01234"),
        ("58.333 %", "58.33 %"),
        ("2 + 0.500", "2 + 0.500"),
    ],
)
def test_numbers_are_rounded_before_a_column_is_hidden(number, narrow):
    """491.074 was printed as 491.07 and a 4 in the next line."""
    found = table_of([["m" * 20, number]], (Label("module"), Column("cost/h")))
    wide = 20 + 3 + len(number)
    assert number in to_text(found, wide)
    tight = to_text(found, 20 + 2 + max(len(narrow), len("cost/h")))
    assert narrow in tight
    assert "hidden" not in tight


def test_a_legend_explains_the_columns_that_are_shown():
    columns = (Label("module"), Column("util.", means="busy"), Column("share", spare=1, means="of the cost"))
    found = table_of([["m" * 12, "1", "100"]], columns)
    assert to_text(found, 60).splitlines()[-1] == "util.: busy; share: of the cost"
    assert to_text(found, 20).splitlines()[-3:] == ["util.: busy", "hidden at this", "width: share"]


def test_a_pipe_has_no_window(monkeypatch):
    """A row is a line there, so that a program can take the lines apart; COLUMNS asks for a width."""
    found = table(("n" * 300, "h", "1", "2", "a sentence " * 30))
    monkeypatch.delenv("COLUMNS", raising=False)
    assert len(to_text(found).splitlines()) == 4
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, to_text(found).splitlines())) <= 60


def test_a_column_shows_a_field_of_mappings_and_of_objects_alike():
    """A row that lacks a field, as the second row of a group may, has an empty cell."""
    column = Column("latency ms", "latency_s", lambda seconds: f"{1000 * seconds:g}")
    assert [column.cell(row).plain for row in ({"latency_s": 0.25}, {})] == ["250", ""]
    assert column.cell(SimpleNamespace(latency_s=0.5)).plain == "500"
    assert Column("twice", lambda row: 2 * row).cell(4).plain == "8"
