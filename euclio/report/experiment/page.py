"""The page of an experiment: an overview, then each family and objective, then the errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd

from euclio.core import registry
from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.fitted_table import Column, Label
from euclio.core.parameters import verb_text
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.words import counted, decimals, listed, number
from euclio.experiments.folder import ResultFolder
from euclio.experiments.record import MEASURED
from euclio.experiments.results import load, mixture
from euclio.experiments.runner import default_folder
from euclio.files.json_writing import check_outputs, write_text
from euclio.proving.certifying import EXACT, counts
from euclio.report import Block, Heading, Paragraph, Table, html_page, markdown_page
from euclio.report.analysis.panels import GoalRuns, goals
from euclio.report.analysis.references import contradictions, with_references
from euclio.report.experiment.goal_section import disagreement_table, goal_blocks, headline, table_of
from euclio.report.experiment.overview import overview

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
"""Columns that no figure or table of a goal reads; without them, picking from large results is a quarter faster."""


@told("writing the page")
def write_report(*paths: str | Path, out: str | Path | None = None, title: str | None = None) -> Path:
    """Write the page of an experiment, and next to it the same in Markdown without drawings.

    Args:
        *paths: result folders, experiment files (for the folder next to them), or files that
            `euclio.experiments.results.load` reads; several are merged.
        out: the page; None means ``report.html`` in the first folder, or next to the first file under its name.
        title: of the page; None means the names of the experiments.

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
    found = completeness(load(*places), asked_for(places))
    if found.current.empty:
        message = f"no run of the experiment is finished; make them with {verb_text('run')}"
        raise InputError(message, file=str(places[0]))
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


def report_blocks(found: Completeness) -> list[Block]:
    """The whole report.

    Args:
        found: results against the experiment (`euclio.report.experiment.page`), at least one run.
    """
    frame = found.current
    solved = frame[frame.status != MEASURED]  # a measurement without a solver has no plan to compare
    table = _drawn_columns(with_references(solved))
    parts = goals(table)
    wrong = contradictions(table)
    return [
        *refuted_blocks(frame),
        *(Paragraph(headline(part)) for part in parts),
        *([Heading("Disagreements"), disagreement_table(wrong)] if len(wrong) else ()),
        Heading("What was run"),
        overview(frame),
        *completeness_blocks(found),
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


MOST_REFUTED = 50


def refuted_blocks(frame: pd.DataFrame) -> list[Block]:
    """The refuted proofs, with which a page begins; none if there are none."""
    rows = frame[frame.certificate.astype(object) == Verdict.REFUTED]
    if rows.empty:
        return []
    shown = rows.head(MOST_REFUTED)
    cells = tuple((row["label"], row["instance"], row["reason"]) for row in shown.to_dict("records"))
    caption = "Proofs that an independent prover refuted; the solver is wrong, and the runs count as errors"
    if len(shown) < len(rows):
        caption += f"; the first {len(shown)} of {len(rows):,}"
    return [
        Heading("Refuted proofs"),
        Paragraph(f"{counted(len(rows), 'proof is', 'proofs are')} REFUTED: a plan is better than they say."),
        Table(caption, ("solver", "instance", "why"), cells, marked=frozenset(range(len(cells)))),
    ]


def certificate_blocks(frame: pd.DataFrame) -> list[Block]:
    """Number of certified proofs, by solver."""
    table = frame.assign(verdict=frame.certificate.astype(object))
    proofs = table[_are_proofs(table)]
    if proofs.empty:
        return []
    tried = proofs.verdict.notna()
    text = f"{counts(len(proofs), _of(proofs.verdict))} by an independent prover in exact arithmetic."
    if not tried.all():
        text += (
            f" {int((~tried).sum()):,} were not tried: a table [certify] in the experiment file asks for all of them "
            "or a sample."
        )
    blocks: list[Block] = [Heading("Which proofs are certified?"), Paragraph(f"Proofs: {text}")]
    return [*blocks, _certificate_table(proofs)] if tried.any() else blocks


def _certificate_table(proofs: pd.DataFrame) -> Table:
    rows = []
    for label, runs in proofs.groupby(proofs.label.astype(str)):
        verdicts = _of(runs.verdict)
        seconds = pd.to_numeric(runs.certify_s).dropna()
        rows.append(
            (
                str(label),
                f"{len(runs):,}",
                f"{len(verdicts):,}",
                *(f"{verdicts.count(verdict):,}" for verdict in Verdict),
                number(float(seconds.median())) if len(seconds) else "",
                number(float(seconds.max())) if len(seconds) else "",
            )
        )
    return Table(
        "Proofs by solver: optimal, or infeasible by an exact solver; tried by the prover, and what became of them",
        ("solver", "proofs", "tried", *Verdict, "median time (s)", "longest time (s)"),
        tuple(rows),
        frozenset(range(1, 8)),
        frozenset(k for k, row in enumerate(rows) if row[4] != "0"),
    )


def _of(verdicts: pd.Series[str]) -> list[Verdict]:
    return [Verdict(word) for word in verdicts.dropna()]


def _are_proofs(table: pd.DataFrame) -> pd.Series[bool]:
    exact = [solver.name for solver in registry.solvers().values() if solver.kind == EXACT]
    infeasible = (table.status == Status.INFEASIBLE) & table.solver.isin(exact)
    found: pd.Series[bool] = (table.status == Status.OPTIMAL) | infeasible | table.verdict.notna()
    return found


@dataclass(frozen=True, slots=True)
class Completeness:
    """Results against the experiment.

    Attributes:
        current: the runs that the experiment has now; all runs if these are unknown.
        outdated: number of runs that it no longer has.
        missing: number of runs that are not finished yet, by label.
    """

    current: pd.DataFrame
    outdated: int
    missing: Mapping[str, int]


def asked_for(paths: Iterable[str | Path]) -> dict[str, str]:
    """Label by key of the runs of the experiments in some result folders; empty if unknown for one of them."""
    asked: dict[str, str] = {}
    for path in paths:
        labels = ResultFolder(Path(path)).labels() if Path(path).is_dir() else {}
        if not labels:
            return {}
        asked |= labels
    return asked


def completeness(frame: pd.DataFrame, asked: Mapping[str, str]) -> Completeness:
    """Results against the runs that are asked for.

    Args:
        frame: results.
        asked: from `asked_for`.
    """
    if not asked:
        return Completeness(frame, 0, {})
    wanted = frame.key.isin(list(asked))
    done = set(frame.key)
    missing = Counter(label for key, label in asked.items() if key not in done)
    current = frame[wanted].reset_index(drop=True) if not wanted.all() else frame
    return Completeness(current, int((~wanted).sum()), missing)


def completeness_blocks(found: Completeness) -> list[Block]:
    """Warnings before a comparison: mixed versions, outdated runs, missing runs; often none."""
    blocks: list[Block] = []
    differing = mixture(found.current)
    if differing:
        blocks.append(Paragraph(f"Mind that {differing}. Times compare only where they are the same."))
    if found.outdated:
        blocks.append(
            Paragraph(
                f"{counted(found.outdated, 'further run')} that the experiment no longer asks for "
                f"{'is' if found.outdated == 1 else 'are'} left out of all that follows."
            )
        )
    if found.missing:
        total = sum(found.missing.values())
        blocks.append(
            Paragraph(f"{counted(total, 'run')} of the experiment {'is' if total == 1 else 'are'} not finished.")
        )
        rows = tuple((label, f"{count:,}") for label, count in sorted(found.missing.items()))
        blocks.append(Table("Runs that are missing", ("solver", "runs"), rows, frozenset({1})))
    return blocks


WITHOUT_PLAN = ("error", "unknown", "inapplicable", "infeasible")
"""Statuses without an accepted plan, the worst first."""
MOST_ROWS = 60
NUMBERS = r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?"


def runs_without_plan(frame: pd.DataFrame) -> list[Block]:
    """Runs without a plan by solver, status and reason; reasons that differ in numbers alone count as one."""
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
    return [Paragraph(text), _outcome_table(groups.head(MOST_ROWS))]


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


def _outcome_table(groups: pd.DataFrame) -> Table:
    rows = groups.assign(status=groups["rank"].map(WITHOUT_PLAN.__getitem__))
    return table_of(
        "Runs without an accepted plan by solver and reason, errors marked; of reasons that differ in numbers alone "
        "the first is shown",
        rows,
        (
            Label("solver", "label"),
            Label("status", "status"),
            Label("its own word", "raw_status"),
            Column("runs", "runs", decimals),
            Label("reason", "reason"),
            Label("instances", "instances"),
        ),
        (k for k, status in enumerate(rows.status) if status == "error"),
    )
