"""The widget's side in the kernel: it answers what its script asks, and says in one line what it lacks."""

import re

import pytest
from tiny_sessions import tiny_session

from euclio import solve
from euclio.core.errors import InputError
from euclio.problems.session.changes import SessionChanges
from euclio.report.what_if import widget as module
from euclio.report.what_if.parts import notebook_style
from euclio.report.what_if.widget import widget

GRID = {"rates": [5, 20], "slos": ["0.1", "0.9"], "prices": {"V100": ["1.5"]}, "stock": {"V100": [9]}}


def test_without_anywidget_one_line_says_the_remedy(monkeypatch):
    monkeypatch.setattr(module, "is_installed", lambda package: False)
    with pytest.raises(InputError) as error:
        widget(tiny_session())
    assert str(error.value) == "the widget needs anywidget, which is missing; `pip install 'euclio[widget]'`"


def test_what_the_script_asks_is_solved_and_answered():
    """The answer names the place and holds the costs that solving it alone gives."""
    pytest.importorskip("anywidget")
    shown = widget(tiny_session(), **GRID)
    shown.asked = {"place": [1, 1], "id": 7}
    session = SessionChanges(20, "0.9", stock={"V100": 9}).applied_to(tiny_session())
    assert (shown.answer["place"], shown.answer["id"]) == ([1, 1], 7)
    for entry, way in zip(shown.answer["points"], ("share", "whole"), strict=True):
        assert entry["cost_per_h"] == pytest.approx(solve(session, charging=way).cost)


def test_only_the_own_point_is_solved_at_first():
    pytest.importorskip("anywidget")
    shown = widget(tiny_session(), **GRID)
    assert list(shown.points) == ["0,1"]
    assert len(shown.swept.points) == 2


def test_where_nothing_is_given_rates_and_objectives_are_fine_and_hold_the_own_one():
    """More plans than a page may have, none of which is solved before it is looked at."""
    pytest.importorskip("anywidget")
    rate, slo, *_ = widget(tiny_session()).swept.question.axes
    assert (len(rate.values), rate.values[rate.start], slo.values[slo.start]) == (18, 10, 1)


def test_page_and_widget_share_script_and_style():
    """All colours that the shared style names are there without the page."""
    text = notebook_style()
    named = set(re.findall(r"var\((--[\w-]+)\)", text))
    defined = set(re.findall(r"(--[\w-]+):", text))
    assert named - defined == set()
