"""The tables of one goal (family and objective), and where two methods disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from euclio.core.result import Status
from euclio.core.words import decimals, full, number
from euclio.report import Table
from euclio.report.analysis.summaries import hardest_instances, summary

HARDEST = 20
MOST_DISAGREEMENTS = 50

hundredths = partial(decimals, digits=2)
"""A number with two decimals, such as a percentage; empty where there is none."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: its name in the data.
        title: its title, with the unit.
        text: a cell as text; None: a name, which is set flush left.
    """

    name: str
    title: str
    text: Callable[[Any], str] | None = None


def table_of(caption: str, rows: pd.DataFrame, columns: Iterable[Column], marked: Iterable[int] = ()) -> Table:
    """A table of some columns of a frame."""
    shown = list(columns)
    cells = [[_cell(column, value) for value in rows[column.name]] for column in shown]
    numeric = frozenset(k for k, column in enumerate(shown) if column.text is not None)
    return Table(caption, tuple(c.title for c in shown), tuple(zip(*cells, strict=True)), numeric, frozenset(marked))


def _cell(column: Column, value: Any) -> str:
    if column.text is not None:
        return column.text(value)
    return "" if pd.isna(value) else str(value)


def summary_tables(runs: pd.DataFrame) -> tuple[Table, Table]:
    """Two tables with one row per solver: gaps and times, then how many runs ended how."""
    rows = summary(runs)
    statuses = [Column(status.value, status.value, decimals) for status in Status if rows[status.value].any()]
    qualities = table_of(
        "Gaps are to the best known value of the instance, over runs with a plan; best and proven are shares of the "
        "runs on instances of which a plan is known; mean time is the geometric mean shifted by 1 s.",
        rows,
        (
            Column("label", "solver"),
            Column("runs", "runs", decimals),
            Column("best_pct", "best (%)", hundredths),
            Column("proven_pct", "proven (%)", hundredths),
            Column("gap_mean_pct", "mean gap (%)", hundredths),
            Column("gap_median_pct", "median gap (%)", hundredths),
            Column("gap_p95_pct", "95 % of gaps up to (%)", hundredths),
            Column("gap_max_pct", "largest gap (%)", hundredths),
            Column("time_sgm_s", "mean time (s)", number),
            Column("time_max_s", "longest time (s)", number),
        ),
    )
    outcomes = table_of(
        "How the runs ended. Optimal: proven in the plan space of the run. Infeasible: the solver says that there is "
        "no plan; of an exact method a proof, of a heuristic the end of its rule.",
        rows,
        (Column("label", "solver"), *statuses),
    )
    return qualities, outcomes


def hardest_table(runs: pd.DataFrame) -> Table:
    """The instances that resist most."""
    rows = hardest_instances(runs, HARDEST)
    return table_of(
        f"The {len(rows)} instances with the fewest solvers that prove their plan, then the most left open by the best "
        "bound, then the latest first proof; instances without any proof are marked.",
        rows,
        (
            Column("instance", "instance"),
            Column("best", "best value", number),
            Column("open_pct", "open (%)", hundredths),
            Column("solvers", "solvers", decimals),
            Column("with_plan", "with a plan", decimals),
            Column("with_proof", "with a proof", decimals),
            Column("first_proof_s", "first proof (s)", number),
            Column("first_proof_by", "by"),
            Column("gap_median_pct", "median gap (%)", hundredths),
        ),
        (k for k, proofs in enumerate(rows.with_proof) if proofs == 0),
    )


def disagreement_table(rows: pd.DataFrame) -> Table:
    """Bounds that a plan beats (`euclio.report.analysis.references.contradictions`)."""
    shown = rows.head(MOST_DISAGREEMENTS)
    most = f"The first {len(shown)} of {len(rows):,} bounds" if len(shown) < len(rows) else "Bounds"
    return table_of(
        f"{most} that an accepted plan of the same plan space beats: one of the two solvers is wrong",
        shown,
        (
            Column("instance", "instance"),
            Column("space", "plan space"),
            Column("label", "bound by"),
            Column("bound", "bound", full),
            Column("best", "plan", full),
            Column("found_by", "found by"),
        ),
        range(len(shown)),
    )
