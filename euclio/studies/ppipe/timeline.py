"""Figures 11 and 12: the plan for FCN on HC3-S, and how it serves."""

from __future__ import annotations

from euclio.pipeline.simulation.setup import Setup
from euclio.pipeline.simulation.simulation import simulate
from euclio.pipeline.simulation.timeline_figure import draw
from euclio.report import Figure, Table, figure_style, svg_text
from euclio.studies.ppipe.cases import Case
from euclio.studies.ppipe.systems import PPIPE, SYSTEMS

LOAD = 0.95
"""Load factor that the paper's testbed reaches with this plan."""
SECONDS = 4.0
PUBLISHED = (
    ("published", "1", "V100", "1 × 1/1", "2", "all", "12.3", "162"),
    ("published", "2", "P4", "12 × 1/1", "1", "first part", "", "1082"),
    ("published", "2", "V100", "6 × 1/2", "1", "second part", "", "1050"),
)


def plan_and_timeline(case: Case) -> tuple[Table, Figure]:
    """The plan as a table next to the published one, and a stretch of its timeline."""
    cluster = case.cluster()
    result = SYSTEMS[PPIPE].plan(cluster)
    assert result.plan is not None
    assert result.evaluation is not None
    model = cluster.models[0]
    rows = []
    for i, (pipeline, priced) in enumerate(zip(result.plan.pipelines, result.evaluation.pipelines, strict=True), 1):
        for p, rate in zip(pipeline.partitions, priced.partition_rps, strict=True):
            latency = model.latency_s(p.gpu, p.share, p.first_block, p.last_block, p.batch) or 0
            blocks = f"{p.first_block} to {p.last_block}"
            pool = f"{p.gpus} × 1/{p.share}"
            rows.append(
                (
                    "ours",
                    str(i),
                    p.gpu,
                    pool,
                    str(p.batch),
                    blocks,
                    f"{1000 * float(latency):.1f}",
                    f"{float(rate):.0f}",
                )
            )
    table = Table(
        f"Figure 11. The plan for {case.group} on {case.setup}, SLO {1000 * float(model.slo_s):.1f} ms; ours serves "
        f"{result.cost or 0:.0f} requests per second, the published one 162 + 1050",
        ("plan", "pipeline", "GPU", "pool", "batch", "blocks", "latency (ms)", "requests/s"),
        (*rows, *PUBLISHED),
        frozenset({1, 4, 6, 7}),
    )
    found = simulate(cluster, result.plan, Setup(load=LOAD, seconds=SECONDS, seed=case.seed, full_load_rps=result.cost))
    drawing = draw(found)
    with figure_style():
        svg = svg_text(drawing, "figure-12", "Figure 12. Timeline of batched inferences")
    caption = (
        "Figure 12. How do batches pass through the pools? Each row is a virtual GPU, each box a batched inference; "
        f"Poisson arrivals at load factor {LOAD:g}."
    )
    return table, Figure("figure-12", svg, caption)
