"""Tables of simulations for people: what became of each model's requests, and how busy the cluster was."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import amount, counted, decimals, figures, full, milliseconds, percent
from euclio.serving.pipeline.metrics import describe, mean_attainment
from euclio.serving.pipeline.record import Simulation

COLUMNS = (
    Label("model", "name"),
    Column("req/s", "offered_rps", figures),
    Column("arrived", form=decimals),
    Column("late", form=decimals),
    Column("dropped", form=decimals),
    Column("within SLO", "attainment", percent),
    Column("p99 ms", "latency_p99_s", milliseconds),
    Column("SLO ms", "slo_s", milliseconds),
)


def simulation_table(simulation: Simulation) -> RenderableType:
    """A header, one row per model (times in ms), then utilisation, batches and transfers."""
    found = describe(simulation)
    models = zip(simulation.cluster.models, found["models"], strict=True)
    table = table_of([{**row, "slo_s": float(model.slo_s)} for model, row in models], COLUMNS)
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


def _head(found: Simulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"mean SLO attainment {percent(mean_attainment(found))}"
    return Head(
        found.cluster.name, "", (share, counted(arrived, "request"), counted(found.batches, "batch", "batches"))
    )


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per model."""
    return [{"model": row.pop("name"), **row} for row in describe(found)["models"]]


LATENCY_FIGURE = late("euclio.serving.latency_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCY_FIGURE, leads=True)
