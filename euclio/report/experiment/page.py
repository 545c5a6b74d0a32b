"""The page of an experiment: what was run, then each family and objective, then what went wrong."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pandas as pd

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.progress import told
from euclio.experiments.record import MEASURED
from euclio.experiments.results import load
from euclio.experiments.runner import default_folder
from euclio.files.json_writing import check_outputs, write_text
from euclio.report import Block, Heading, Paragraph, html_page, markdown_page
from euclio.report.analysis.drawing import GoalRuns, goals
from euclio.report.analysis.references import contradictions, with_references
from euclio.report.experiment.certificates import certificate_blocks, refuted_blocks
from euclio.report.experiment.goal_section import goal_blocks, headline
from euclio.report.experiment.goal_tables import disagreement_table
from euclio.report.experiment.outcomes import runs_without_plan
from euclio.report.experiment.overview import overview
from euclio.report.experiment.standing import Standing, asked_for, standing, standing_blocks

ENDING = ".html"
EXPERIMENT = ".toml"
NAME = "report.html"
"""Name of the page in a result folder."""
NOT_DRAWN = frozenset(
    (
        *("key", "solver_version", "features", "raw_status", "reason", "claimed", "warm_start", "stats", "plan"),
        *("options", "import_s", "check_s", "peak_memory_mb", "started_at", "worker", "host"),
        *("certificate", "certify_s", "certify_nodes", "certify_reason", "cpu_s", "measured", "population", "kernels"),
        *("git", "euclio", "python", "cpu", "cores", "packages"),
    )
)
"""Columns that no figure or table of a goal looks at; without them, large results are picked from a quarter faster."""


@told("writing the page")
def write_report(*paths: str | Path, out: str | Path | None = None, title: str | None = None) -> Path:
    """Write the page of an experiment, and next to it the same in Markdown without drawings.

    Args:
        *paths: result folders, experiment files (for the folder next to them), or files that
            `euclio.experiments.results.load` reads; several are merged.
        out: the page; None: ``report.html`` in the first folder, or next to the first file under its name.
        title: of the page; None: the names of the experiments.

    Returns:
        Path of the page.

    Raises:
        InputError: there are no results at a path, no run is finished, or the page cannot be written.
    """
    if not paths:
        raise InputError("nothing to report; name a result folder")
    places = [default_folder(path) if Path(path).suffix == EXPERIMENT else Path(path) for path in paths]
    page = _page_path(places[0], out)
    check_outputs(
        {"--out": page, "--out in Markdown": page.with_suffix(".md")},
        [path for path in map(Path, paths) if not path.is_dir()],
    )
    found = standing(load(*places), asked_for(places))
    if found.current.empty:
        raise InputError("no run of the experiment is finished; make them with `euclio run`", file=str(places[0]))
    blocks = report_blocks(found)
    name = title or f"Experiment {', '.join(sorted(found.current.experiment.astype(str).unique()))}"
    write_text(html_page(name, blocks), page)
    write_text(markdown_page(name, blocks), page.with_suffix(".md"))
    return page


def _page_path(first: Path, out: str | Path | None) -> Path:
    if out is not None:
        if Path(out).suffix.lower() != ENDING:
            raise InputError(f"must end in {ENDING}", file=str(out), field="--out")
        return Path(out)
    return first / NAME if first.is_dir() else first.with_suffix(ENDING)


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
        *(goal_blocks(parts[0].runs, level=2) if len(parts) == 1 else chain.from_iterable(map(_part, parts))),
        *certificate_blocks(frame),
        Heading("Runs without a plan"),
        *runs_without_plan(solved),
    ]


def _drawn_columns(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns=[name for name in table if name in NOT_DRAWN or str(name).startswith("option.")])


def _part(part: GoalRuns) -> list[Block]:
    """The section of one goal of several; the only one needs no heading of its own, so its parts are sections."""
    name = f"{find_family(part.family).instances.capitalize()}: {part.objective}"
    blocks = goal_blocks(part.runs, level=3, prefix=f"{part.family}-{part.objective}-")
    return [Heading(name), *blocks]
