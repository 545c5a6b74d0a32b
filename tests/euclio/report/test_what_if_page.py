"""The what-if page: one file without anything from outside, whose data and table are what the solver said."""

import json
import re
from dataclasses import replace

import pytest
from tiny_sessions import tiny_session

from euclio.questions.sweep.description import describe
from euclio.questions.sweep.question import sweep
from euclio.report.what_if.page import DATA, page, what_if_page

GRID = {"rates": [5, 20], "slos": ["0.1", "0.9"], "prices": {"V100": ["1.5", 3]}, "stock": {"V100": [1, None]}}
NASTY = "</script><img src=x onerror=alert(1)>&\u2028<!--"


def data_of(text):
    """What the page's script reads."""
    return json.loads(re.search(rf'<script type="application/json" id="{DATA}">(.*?)</script>', text)[1])


@pytest.fixture(scope="module")
def found():
    return sweep(tiny_session(), **GRID)


def test_the_page_holds_what_the_solver_said(found):
    """Costs of all points, read back from the page, against the checked results."""
    data, said = data_of(page(found)), describe(found)
    assert data["points"].keys() == said["points"].keys()
    for name, entries in data["points"].items():
        for entry, way in zip(entries, found.question.chargings, strict=True):
            value = found.points[tuple(map(int, name.split(","))), way].result.value
            cost = entry["cost_per_h"]
            assert cost is None if value is None else cost == pytest.approx(float(value), rel=1e-14)


def test_without_scripts_there_is_a_row_for_every_place(found):
    """16 places, each with its values and the cost of both ways of charging."""
    body = re.search(r"<tbody>(.*?)</tbody>", page(found), re.DOTALL)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", body)
    assert len(rows) == 16
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", rows[-1])]
    share, whole = (found.points[(1, 1, 1, 1), way] for way in found.question.chargings)
    assert cells[:4] == ["20", "0.9", "3", "no limit"]
    assert (cells[4], cells[7]) == (share.cost_in_words(), whole.cost_in_words())


def test_the_page_says_the_currency(found):
    """EUR for all prices and costs of a session that names it; without a name the page says so."""
    named = what_if_page(replace(tiny_session(), currency="EUR"), **GRID)
    assert "price of V100 (EUR per hour)" in named
    assert "Cost per hour, in EUR at" in named
    assert "an unnamed currency" in page(found)


def test_the_page_loads_nothing(found):
    """No address but the name of SVG's namespace, and a policy that has the browser refuse any."""
    text = page(found)
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|iframe|img)\b|\bsrc=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_names_are_text_wherever_they_stand():
    """A name that would end the script element, were it not escaped, is read back as it is."""
    session = replace(tiny_session(), name=NASTY)
    text = what_if_page(session, rates=[10], slos=[1, 2], prices={"V100": [1]}, stock={"V100": [9]})
    assert "<img" not in text
    assert data_of(text)["grid"]["instance"] == NASTY


def test_the_same_session_gives_the_same_page(found):
    assert page(found) == what_if_page(tiny_session(), **GRID)


def test_the_default_grid_is_a_page_below_a_megabyte():
    assert 50_000 < len(what_if_page(tiny_session()).encode()) < 1_000_000
