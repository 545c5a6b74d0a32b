"""The page of an experiment: what was run, then each family and objective, then what went wrong."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.drawing import GoalRuns, goals
from euclio.analysis.references import contradictions, with_references
from euclio.core.family import find_family
from euclio.report import Block, Heading, Paragraph
from euclio.report.experiment.certificates import certificate_blocks, refuted_blocks
from euclio.report.experiment.goal_section import goal_blocks, headline
from euclio.report.experiment.goal_tables import disagreement_table
from euclio.report.experiment.outcomes import runs_without_plan
from euclio.report.experiment.overview import overview
from euclio.report.experiment.standing import Standing, standing_blocks
from euclio.runs.record import MEASURED

NOT_DRAWN = frozenset(
    (
        *("key", "solver_version", "features", "raw_status", "reason", "claimed", "warm_start", "stats", "plan"),
        *("options", "import_s", "check_s", "peak_memory_mb", "started_at", "worker", "host"),
        *("certificate", "certify_s", "certify_nodes", "certify_reason", "cpu_s", "measured"),
        *("git", "euclio", "python", "cpu", "cores", "packages"),
    )
)
"""Columns that no figure or table of a goal looks at; without them, large results are picked from a quarter faster."""


def report_blocks(found: Standing) -> list[Block]:
    """The whole report.

    Args:
        found: results against the experiment (`euclio.report.experiment.standing`), at least one run.
    """
    frame = found.current
    solved = frame[frame.status != MEASURED]  # what is measured without a solver has no plan to be compared
    table = _drawn_columns(with_references(solved))
    parts = goals(table)
    wrong = contradictions(table)
    return [
        *refuted_blocks(frame),
        *(Paragraph(headline(part)) for part in parts),
        *([Heading("Disagreements"), disagreement_table(wrong)] if len(wrong) else ()),
        Heading("What was run"),
        overview(frame),
        *standing_blocks(found),
        *(block for part in parts for block in _part(part, several=len(parts) > 1)),
        *certificate_blocks(frame),
        Heading("Runs without a plan"),
        *runs_without_plan(solved),
    ]


def _drawn_columns(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns=[name for name in table if name in NOT_DRAWN or str(name).startswith("option.")])


def _part(part: GoalRuns, *, several: bool) -> list[Block]:
    """The section of a goal; the only one needs no heading of its own, so its parts are sections."""
    if not several:
        return goal_blocks(part, level=2)
    name = f"{find_family(part.family).instances.capitalize()}: {part.objective}"
    return [Heading(name), *goal_blocks(part, level=3, prefix=f"{part.family}-{part.objective}-")]
