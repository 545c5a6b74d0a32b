"""PPipe §7 reproduced: its systems planned and served in simulation, on synthetic models and measured instances."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from euclio.core.provenance import provenance
from euclio.report import html_page, markdown_page
from euclio.studies.certifying import SAMPLE, refuse_refuted
from euclio.studies.ppipe.collection import collect
from euclio.studies.ppipe.page import TITLE, blocks, scores_of, summary
from euclio.studies.ppipe.sampling import FULL, SAMPLED
from euclio.studies.published import published_figures
from euclio.studies.scorecard import number, score_table
from euclio.studies.store import save
from euclio.supervision.cores import cores

OUT = Path("reports/ppipe")
SEED = 0


def reproduce(
    out: Path = OUT,
    *,
    workloads: int | None = None,
    seed: int = SEED,
    jobs: int | None = None,
    full: bool = False,
    certify: int = SAMPLE,
    instances: Path | None = None,
) -> Path:
    """Run PPipe's evaluation and write the report; prints the headline lines on stdout.

    Args:
        out: folder of the report.
        workloads: groups of models per cluster, and as many single models; None: six and 18.
        seed: seed of layers, groups, weights, samples and arrivals.
        jobs: worker processes; None: one per core.
        full: 30 simulated seconds per load, as the paper has, and more time for the printed MILP.
        certify: how many proofs an independent prover tries.
        instances: folder of measured instances; None: the default one where it is present.

    Returns:
        Path of the HTML page.

    Raises:
        InputError: the named folder holds no instance.
        RefutedError: a proof is refuted; the page is written.
    """
    sampling = FULL if full else SAMPLED
    if workloads is not None:
        sampling = replace(sampling, groups=workloads, models=workloads)
    out.mkdir(parents=True, exist_ok=True)
    collected = collect(sampling, seed, jobs or cores(), instances, certify)
    scores = scores_of(collected, published_figures("ppipe"))
    how = {**provenance(), "reproduction": "ppipe", "seed": seed, "full": full, "groups": sampling.groups}
    for name in ("plans", "serving", "planning", "instances"):
        save(getattr(collected, name), out / f"{name}.parquet", how)
    save(collected.certified.table, out / "certificates.parquet", how)
    page = out / "index.html"
    page.write_text(html_page(TITLE, blocks(collected, scores, seed)), encoding="utf-8")
    card = markdown_page(TITLE, [*summary(collected), score_table(scores)])
    (out / "scorecard.md").write_text(card, encoding="utf-8")
    for score in scores:
        p, m = score.published, score.measured
        print(f"{p.what}: {number(m.value, p.unit)} (published {number(p.value, p.unit)})")
    refuse_refuted(collected.certified, page)
    return page
