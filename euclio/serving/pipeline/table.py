"""Tables of simulations for people: what became of each model's requests, and how busy the cluster was."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.tables import new_table
from euclio.core.words import amount, figures, full, milliseconds, percent
from euclio.serving.pipeline import Simulation, describe


def simulation_table(simulation: Simulation) -> RenderableType:
    """A header, one row per model (times in ms), then utilisation, batches and transfers."""
    found = describe(simulation)
    numbers = ("req/s", "arrived", "late", "dropped", "within SLO", "p99 ms", "SLO ms")
    table = new_table("model", *numbers, numbers=numbers)
    for model, row in zip(simulation.cluster.models, found["models"], strict=True):
        counts = [f"{row[key]:,}" for key in ("arrived", "late", "dropped")]
        times = [milliseconds(row["latency_p99_s"]), milliseconds(float(model.slo_s))]
        cells = (row["name"], figures(row["offered_rps"]), *counts, percent(row["attainment"]), *times)
        table.add_row(*(Text(cell) for cell in cells))
    header = (
        f"{found['instance']}: mean SLO attainment {percent(found['attainment'])}\n"
        f"{found['scheduler']} scheduler, {found['arrivals']} arrivals at load {full(found['load'])} for "
        f"{full(found['seconds'])} s, seed {found['seed']}, noise {full(found['noise'])}"
    )
    return Group(Text(header), Text(""), table, Text(""), Text("\n".join(_lines(found))))


def _lines(found: dict[str, object]) -> list[str]:
    busy, transfers = found["utilization"], found["transfers"]
    assert isinstance(busy, dict)
    assert isinstance(transfers, dict)
    lines = ["GPUs busy: " + ", ".join(f"{name} {percent(share, 1)}" for name, share in busy.items())]
    batch, probes = found["mean_batch"], found.get("probes_per_batch")
    if isinstance(batch, float):
        lines.append(f"batches: {found['batches']:,}, requests per batch {amount(batch, digits=3)}")
    if isinstance(probes, float):
        lines[-1] += f", probe() calls per batch {amount(probes, digits=3)}"
    if transfers["count"]:
        lines.append(
            f"transfers: {transfers['count']:,}, mean {milliseconds(transfers['mean_s'])} ms, 99th percentile "
            f"{milliseconds(transfers['p99_s'])} ms, without waiting {milliseconds(transfers['alone_mean_s'])} ms"
        )
    return lines
