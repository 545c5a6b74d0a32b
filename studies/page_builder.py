"""The page builder: runs a study and writes its report."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from euclio.core.progress import told
from euclio.core.system import cores
from euclio.core.versions import provenance
from euclio.experiments.results.tables import save
from euclio.report import Block, Counts, Fold, Heading, KeyNumbers, Table, html_page, markdown_page
from studies import registered
from studies.collector import Collector
from studies.page_blocks import (
    as_data,
    how_to_read,
    identified,
    population_blocks,
    posterior_blocks,
    score_frame,
    scorecard_blocks,
    settings_intervals,
    standing_number,
    verdict_lines,
)
from studies.papers.published import published_figures
from studies.proof_sample import SAMPLE, certificate_blocks, certify_sample, refuse_refuted, refuted_blocks
from studies.scorecard import Score, contradictions, scorecard
from studies.stored_reports import LAST, UNFINISHED, differences
from studies.study import NO_MEASUREMENTS, Asked, Collected, Measurements, Study, Text


def study_of(paper: str) -> Study:
    """The study of a paper."""
    return registered()[paper].study()


def reproduce(
    paper: str,
    out: Path | None = None,
    *,
    workloads: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    full: bool = False,
    certify: int = SAMPLE,
    measurements: Measurements = NO_MEASUREMENTS,
) -> Path:
    """Run a study and write its report; prints the headlines and the differences from the stored report on stdout.

    An interrupted study goes on; a finished one runs anew.

    Args:
        paper: name of the study.
        out: folder of the report; None means ``build/reports/PAPER``.
        workloads: size of the run; None means the study's own.
        seed: seed of all draws; None means the study's.
        jobs: worker processes; None means one per core.
        full: whether to run everything; the default is a sample.
        certify: number of proofs that an independent prover tries.
        measurements: measurements of others, for a study that takes them.

    Returns:
        Path of the HTML page.

    Raises:
        InputError: the folder holds no instance.
        RefutedError: a proof is refuted; the page is written.
        RunInterrupted: stopped from the keyboard; the same call goes on.
    """
    study, folder = study_of(paper), out or LAST / paper
    asked = Asked(workloads, study.seed if seed is None else seed, full, measurements)
    folder.mkdir(parents=True, exist_ok=True)
    collected = collect(study, asked, folder / UNFINISHED, jobs or cores(), certify)
    page, headlines = write(study, collected, folder)
    if measurements.kept and study.keep is not None:
        study.keep(collected, {**provenance(), "seed": asked.seed, "full": asked.full})
    if (folder / UNFINISHED).exists():  # a study may measure without runs
        shutil.rmtree(folder / UNFINISHED)
    for line in (*headlines, *differences(paper, folder)):
        print(line)
    refuse_refuted(collected.certified, page)
    return page


@told("writing the report")
def write(study: Study, collected: Collected, folder: Path) -> tuple[Path, Sequence[str]]:
    """Score the results of a study, and write its page, its scorecard and its tables.

    Args:
        study: the study.
        collected: its results.
        folder: folder of the report.

    Returns:
        Path of the HTML page, and the lines for the terminal.
    """
    paper, asked = study.paper, collected.asked
    scores = scored(study, collected)
    text = study.text(collected, scores)
    how = {**provenance(), "reproduction": paper, "seed": asked.seed, "full": asked.full, **collected.how}
    how["populations"] = as_data(collected.populations)
    for name, table in {**collected.tables, "certificates": collected.certified.table}.items():
        save(table, folder / f"{name}.parquet", how)
    took = {"seconds": sum(collected.seconds.values()), "jobs": collected.jobs, "whole": asked.workloads is None}
    how |= {"asked": asked.workloads, "proofs": collected.certified.proofs}
    save(score_frame(scores), folder / "scorecard.parquet", {**how, **took})
    page = folder / "index.html"
    page.write_text(html_page(study.title, blocks(study, collected, scores, text)), encoding="utf-8", newline="\n")
    card = markdown_page(study.title, card_blocks(study, collected, scores, text))
    (folder / "scorecard.md").write_text(card, encoding="utf-8", newline="\n")
    return page, [*text.headlines, *verdict_lines(scores)]


def scored(study: Study, collected: Collected) -> tuple[Score, ...]:
    """Every published number of a study with its measure, its why and the interval over accepted settings."""
    paper, figures = study.paper, published_figures(study.paper, study.published)
    ours, known = study.measures(collected), (settings_intervals(paper), contradictions(paper))
    return scorecard(figures, ours, study.reasons(collected), *known, study.from_artifacts(collected))


def collect(study: Study, asked: Asked, folder: Path, jobs: int, certify: int) -> Collected:
    """Run a study and try a sample of its proofs.

    Args:
        study: the study.
        asked: its settings.
        folder: folder that keeps the runs.
        jobs: worker processes.
        certify: number of proofs.
    """
    with Collector(study.paper, folder, jobs) as collector:
        found = study.collect(collector, asked)
        with collector.stage("certify a sample of the proofs", min(certify, len(found.proofs))) as advance:
            certified = certify_sample(found.proofs, certify, asked.seed, advance)
    parts = (found.tables, found.proofs, found.details, found.how, found.populations)
    return Collected(*parts, asked=asked, certified=certified, seconds=collector.seconds, jobs=jobs)


def blocks(study: Study, collected: Collected, scores: Sequence[Score], text: Text) -> list[Block]:
    """The whole page: the top, the scorecard, then the study's own sections and the run."""
    paper, known = study.paper, partial(identified, study, collected)
    return [
        *refuted_blocks(collected.certified),
        *known(opening(scores, text)),
        *text.summary[:1],
        *_folded("The numbers behind this", known(text.summary[1:])),
        *population_blocks(collected),
        Heading("Scorecard"),
        *scorecard_blocks(scores),
        how_to_read(text.tally),
        *posterior_blocks(paper),
        *known(text.sections),
        *certificate_blocks(collected.certified),
        *text.run,
        _wall_times(collected),
    ]


def card_blocks(study: Study, collected: Collected, scores: Sequence[Score], text: Text) -> list[Block]:
    """The scorecard's Markdown file: the same numbers, tables and verdicts, with the study's own part of it."""
    known = partial(identified, study, collected)
    return [
        *known(opening(scores, text)),
        *known(text.summary),
        *population_blocks(collected),
        Heading("Scorecard"),
        *scorecard_blocks(scores),
        how_to_read(text.tally),
        *known(text.card),
    ]


def opening(scores: Sequence[Score], text: Text) -> list[Block]:
    """The top of the page: the study's numbers, after the first the count of numbers that agree, and its pictures."""
    if not scores:
        return list(text.pictures)
    first, rest = tuple(text.numbers[:1]), tuple(text.numbers[1:])
    return [KeyNumbers((*first, standing_number(scores), *rest)), *text.pictures]


def _folded(summary: str, blocks: Sequence[Block]) -> list[Block]:
    """Blocks behind a fold; nothing if there are none."""
    inside = tuple(block for block in blocks if not isinstance(block, Fold | Counts | KeyNumbers))
    return [Fold(summary, inside)] if inside else []


def _wall_times(collected: Collected) -> Table:
    rows = [(name, f"{seconds:.1f}") for name, seconds in collected.seconds.items()]
    processes = "process" if collected.jobs == 1 else "processes"
    caption = f"Wall time per stage with {collected.jobs} worker {processes}"
    return Table(caption, ("stage", "seconds"), tuple(rows), frozenset({1}))
