"""Numbers that stay unexplained say what was tried."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from euclio.analysis.statistics import Measured
from euclio.papers.published import Published
from euclio.posterior.moving import Moved
from euclio.studies.scorecard import Score
from euclio.studies.unexplained import tried, unexplained_fold
from euclio.studies.verdicts import Contradiction, Evidence, OtherReading, Quotation

REPORTS = Path(__file__).parents[3] / "reports"
PAPERS = ("harpagon", "piccolo", "scrooge", "ppipe", "graft")
BARE = re.compile(r"^\| (?P<number>[^|]+) \|.*\| unexplained \| Role ")
"""A row whose last column begins with the number's role: nothing of what the runs say stands before it."""


@pytest.mark.parametrize("paper", PAPERS)
def test_each_unexplained_number_says_what_the_runs_say_of_it(paper):
    """A reader has to see what was tried: a bare difference would be the same as not having looked."""
    rows = (REPORTS / paper / "scorecard.md").read_text(encoding="utf-8").splitlines()
    assert [found["number"] for row in rows if (found := BARE.match(row))] == []


def score(measured, **evidence):
    published = Published("key", 10.0, "%", "Graft §5.3, Tab. III", "check", "share saved")
    return Score(
        published, Measured(measured, measured - 0.1, measured + 0.1, 9), "Shares: 1 and 2.", Evidence(**evidence)
    )


def test_all_that_was_tried_stands_in_one_row():
    """The strongest parameters come first, and those that are not shown are counted."""
    moved = tuple(Moved(f"p{k} (0 to 1)", 0.9, 20.0, 20.0 + k) for k in range(6))
    readings = (OtherReading("What is counted", "all", Measured(33.0)),)
    quotes = (Contradiction("differ", (Quotation("Graft", "§5.3", "by 7 %"),), "They differ."),)
    own = score(50.0, moved=moved, readings=readings, contradictions=quotes)
    text = tried(own)
    assert text.startswith("Shares: 1 and 2. What is counted: all: 33.0 %. With p5 (0 to 1): 20.0 % to 25.0 %.")
    assert "p1 " not in text
    assert "2 more parameters move it less." in text
    assert text.endswith("In print next to it: “by 7 %” (Graft §5.3). They differ.")


def test_the_table_has_the_unexplained_numbers_and_no_other():
    (fold,) = unexplained_fold([score(10.0), score(50.0), score(60.0)])
    (table,) = fold.blocks
    assert fold.summary == "2 unexplained numbers, with what was tried"
    assert [row[2] for row in table.rows] == ["50.0 %", "60.0 %"]
    assert table.rows[0][0] == "share saved (§5.3, Tab. III)"
    assert unexplained_fold([score(10.0)]) == []
