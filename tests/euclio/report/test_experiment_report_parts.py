"""What the report says of runs before anything is drawn."""

from __future__ import annotations

import math

import pytest
from run_frames import run, runs, two_solvers

from euclio.core.words import counted, listed, number, percent
from euclio.report import Paragraph, Table
from euclio.report.experiment.overview import overview
from euclio.report.experiment.page import MOST_ROWS, runs_without_plan


def facts(*rows: dict[str, object]) -> dict[str, str]:
    return dict(overview(runs(*rows)).pairs)


def table_of(*rows: dict[str, object]) -> Table:
    (found,) = (block for block in runs_without_plan(runs(*rows)) if isinstance(block, Table))
    return found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (math.nan, ""),
        (math.inf, "∞"),
        (0.0, "0"),
        (0.012345, "0.01235"),
        (1234.5, "1234"),
        (1234567.0, "1,234,567"),
        (1.5e-7, "0.00000015"),
        (2.5e12, "2,500,000,000,000"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert number(value) == text


def test_percent_of_nothing_is_empty() -> None:
    assert (percent(None, none=""), percent(math.nan), percent(0.125, sign="")) == ("", "-", "12.50")


def test_counts_agree_with_their_noun() -> None:
    assert (counted(1, "run"), counted(1200, "run")) == ("1 run", "1,200 runs")


def test_long_lists_are_cut_short() -> None:
    assert listed(range(9), most=2) == "0, 1 and 7 more"


def test_overview_counts_statuses() -> None:
    assert facts(run(), run("two"), run("three", value=None))["outcomes"] == "2 optimal, 1 unknown"


def test_overview_counts_instances_of_each_family() -> None:
    pipeline = run("c", family="pipeline", objective="throughput", maximised=True)
    assert facts(run(), run("two"), pipeline)["instances"] == "1 cluster, 2 sessions"


def test_overview_names_every_version() -> None:
    found = facts(run(), run("two", git="fedcba9876543210"))["versions"]
    assert "0123456789" in found
    assert "fedcba9876" in found


def test_overview_says_where_no_time_limit_was_given() -> None:
    assert facts(run(time_limit_s=None))["limits"].startswith("given to solvers: none")


def test_reasons_that_differ_in_numbers_alone_are_one() -> None:
    rows = [run(f"i{k}", value=None, reason=f"killed after {k}.5 s") for k in range(3)]
    assert [row[3:5] for row in table_of(*rows).rows] == [("3", "killed after 0.5 s")]


def test_errors_come_first_and_are_marked() -> None:
    rows = [run(f"i{k}", value=None, reason="no plan") for k in range(3)]
    table = table_of(*rows, run("x", "fast", None, status="error", reason="ValueError: no"))
    assert (table.rows[0][1], table.marked) == ("error", frozenset({0}))


def test_kills_and_crashes_are_counted() -> None:
    rows = [run("a", value=None, raw_status="killed"), run("b", value=None, raw_status="crashed", status="error")]
    text = runs_without_plan(runs(*rows))[0]
    assert isinstance(text, Paragraph)
    assert "1 of them was killed at a limit and in 1 the process died" in text.text


def test_many_reasons_are_cut_short() -> None:
    letters = [chr(97 + k // 26) + chr(97 + k % 26) for k in range(MOST_ROWS + 5)]
    assert len(table_of(*(run(name, value=None, reason=name) for name in letters)).rows) == MOST_ROWS


def test_no_run_without_a_plan_is_said() -> None:
    assert runs_without_plan(two_solvers()) == [Paragraph("Every run ended with an accepted plan.")]
