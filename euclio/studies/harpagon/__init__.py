"""Harpagon §IV reproduced: all workloads, all systems and both optima, then scorecard, figures and findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from euclio.core.provenance import provenance
from euclio.report import Figure, html_page, markdown_page
from euclio.session.workloads.protocol import PUBLISHED_WORKLOADS, SEED
from euclio.studies.certifying import SAMPLE, refuse_refuted
from euclio.studies.harpagon.collection import Collected, collect
from euclio.studies.harpagon.decomposition import decomposition_blocks
from euclio.studies.harpagon.page import TITLE, blocks, scores_of, summary
from euclio.studies.harpagon.theorems import find_counterexample
from euclio.studies.published import published_figures
from euclio.studies.scorecard import Score, number, score_table, tally
from euclio.studies.store import save

OUT = Path("reports/harpagon")
HEADLINES = ("optimal_share", "optimal_gap_max", "baseline_mean_extra_min", "baseline_mean_extra_max")


def reproduce(
    out: Path = OUT,
    *,
    workloads: int = PUBLISHED_WORKLOADS,
    seed: int = SEED,
    jobs: int | None = None,
    full: bool = False,
    certify: int = SAMPLE,
) -> Path:
    """Run Harpagon §IV and write the report; prints the headline lines on stdout.

    Args:
        out: folder of the report.
        workloads: number of workloads (published: 1131).
        seed: seed of the protocol and of all samples.
        jobs: worker processes; None: one per core.
        full: the finer grids of the split optimum on all workloads, not on a sample.
        certify: how many proofs an independent prover tries.

    Returns:
        Path of the HTML page.

    Raises:
        RefutedError: a proof is refuted; the page is written.
    """
    out.mkdir(parents=True, exist_ok=True)
    collected = collect(workloads, seed, jobs, full, certify)
    scores = scores_of(collected.tables, published_figures("harpagon"))
    how = {**provenance(), "reproduction": "harpagon", "workloads": workloads, "seed": seed, "full": full}
    _save_tables(collected, out, how)
    page = out / "index.html"
    page.write_text(html_page(TITLE, blocks(collected, scores, find_counterexample(seed), seed)), encoding="utf-8")
    split = [b for b in decomposition_blocks(collected.tables.runs, collected.draws) if not isinstance(b, Figure)]
    card = markdown_page(TITLE, [*summary(collected, scores), score_table(scores), *split])
    (out / "scorecard.md").write_text(card, encoding="utf-8")
    for line in headlines(collected, scores):
        print(line)
    refuse_refuted(collected.certified, page)
    return page


def headlines(collected: Collected, scores: tuple[Score, ...]) -> list[str]:
    """The lines that a reader of the terminal wants."""
    lines = [
        f"{s.published.what}: {number(s.measured.value, s.published.unit)} "
        f"(published {number(s.published.value, s.published.unit)})"
        for s in scores
        if s.published.key in HEADLINES
    ]
    counts = tally(scores)
    met = ", ".join(f"{hit} of {all_} {role}" for role, (hit, all_) in counts.items())
    first = summary(collected, scores)[0]
    return [getattr(first, "text", ""), *lines, f"figures without visible difference: {met}"]


def _save_tables(collected: Collected, out: Path, how: dict[str, Any]) -> None:
    save(collected.tables.runs, out / "runs.parquet", how)
    save(collected.tables.allocations, out / "allocations.parquet", how)
    save(collected.tables.timings, out / "timings.parquet", how)
    save(collected.certified.table, out / "certificates.parquet", how)
