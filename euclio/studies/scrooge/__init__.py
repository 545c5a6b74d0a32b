"""Scrooge §4.3 reproduced: its MILP, greedy and brute force (Figures 10 and 11), and its worked example."""

from __future__ import annotations

from pathlib import Path

from euclio.core.provenance import provenance
from euclio.report import html_page, markdown_page
from euclio.session.workloads.protocol import SEED
from euclio.studies.certifying import SAMPLE, refuse_refuted
from euclio.studies.published import published_figures
from euclio.studies.scorecard import number, score_table
from euclio.studies.scrooge.collection import collect
from euclio.studies.scrooge.example import example_table
from euclio.studies.scrooge.page import TITLE, blocks, scores_of, summary
from euclio.studies.store import save

OUT = Path("reports/scrooge")
WORKLOADS = 200


def reproduce(
    out: Path = OUT,
    *,
    workloads: int = WORKLOADS,
    seed: int = SEED,
    jobs: int | None = None,
    full: bool = False,
    certify: int = SAMPLE,
) -> Path:
    """Run Scrooge's Figures 10 and 11 and write the report; prints the headline lines on stdout.

    Args:
        out: folder of the report.
        workloads: number of workloads.
        seed: seed of the workloads, of the 30 worker types and of the sample.
        jobs: worker processes; None: one, because times are measured.
        full: the brute force with 30 worker types on all workloads, not on a sample.
        certify: how many proofs an independent prover tries.

    Returns:
        Path of the HTML page.

    Raises:
        RefutedError: a proof is refuted; the page is written.
    """
    out.mkdir(parents=True, exist_ok=True)
    collected = collect(workloads, seed, jobs or 1, full, certify)
    scores = scores_of(collected.runs, published_figures("scrooge"))
    how = {**provenance(), "reproduction": "scrooge", "workloads": workloads, "seed": seed, "full": full}
    save(collected.runs, out / "runs.parquet", how)
    save(collected.certified.table, out / "certificates.parquet", how)
    page = out / "index.html"
    page.write_text(html_page(TITLE, blocks(collected, scores, seed)), encoding="utf-8")
    card = markdown_page(TITLE, [*summary(collected), score_table(scores), example_table()])
    (out / "scorecard.md").write_text(card, encoding="utf-8")
    for score in scores:
        p, m = score.published, score.measured
        print(f"{p.what}: {number(m.value, p.unit)} (published {number(p.value, p.unit)})")
    refuse_refuted(collected.certified, page)
    return page
