"""Runs without a plan: who, how often, and why."""

from __future__ import annotations

import pandas as pd

from euclio.core.words import counted, decimals, listed
from euclio.report import Block, Paragraph, Table
from euclio.report.experiment.goal_tables import Column, table_of

WITHOUT_PLAN = ("error", "unknown", "inapplicable", "infeasible")
"""Statuses without an accepted plan, the worst first."""
MOST_ROWS = 60
NUMBERS = r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?"


def runs_without_plan(frame: pd.DataFrame) -> list[Block]:
    """Runs without a plan by solver, status and reason; reasons that differ in numbers alone are one."""
    without = frame[frame.status.isin(WITHOUT_PLAN)]
    if without.empty:
        return [Paragraph("Every run ended with an accepted plan.")]
    groups = _groups(without)
    killed = int((without.raw_status == "killed").sum())
    crashed = int((without.raw_status == "crashed").sum())
    text = (
        f"{counted(len(without), 'run')} of {len(frame):,} ended without an accepted plan; {killed:,} of them "
        f"{'was' if killed == 1 else 'were'} killed at a limit and in {crashed:,} the process died."
    )
    if len(groups) > MOST_ROWS:
        text += f" The table has the {MOST_ROWS} most frequent of {len(groups):,} reasons, errors first."
    return [Paragraph(text), _table(groups.head(MOST_ROWS))]


def _groups(without: pd.DataFrame) -> pd.DataFrame:
    """One row per solver, status and kind of reason, errors first, then the frequent ones."""
    kinds = pd.DataFrame(
        {
            "label": without.label.astype(str),
            "rank": without.status.astype(str).map(WITHOUT_PLAN.index),
            "raw_status": without.raw_status.astype(str),
            "reason": without.reason.fillna("").astype(str),
            "instance": without.instance.astype(str),
        }
    )
    kinds["kind"] = kinds.reason.str.replace(NUMBERS, "#", regex=True)
    found = kinds.groupby(["rank", "label", "raw_status", "kind"], as_index=False).agg(
        runs=("reason", "size"), reason=("reason", "first"), instances=("instance", names)
    )
    return found.sort_values(["rank", "runs", "label"], ascending=[True, False, True], kind="stable")


def names(instances: pd.Series[str]) -> str:
    """A few of the instances, by name."""
    return listed(sorted(set(instances)), most=3)


def _table(groups: pd.DataFrame) -> Table:
    rows = groups.assign(status=groups["rank"].map(WITHOUT_PLAN.__getitem__))
    return table_of(
        "Runs without an accepted plan by solver and reason, errors marked; of reasons that differ in numbers alone "
        "the first is shown",
        rows,
        (
            Column("label", "solver"),
            Column("status", "status"),
            Column("raw_status", "its own word"),
            Column("runs", "runs", decimals),
            Column("reason", "reason"),
            Column("instances", "instances"),
        ),
        (k for k, status in enumerate(rows.status) if status == "error"),
    )
