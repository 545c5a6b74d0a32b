"""How a simulation of a cluster shows itself."""

from __future__ import annotations

from typing import Any

from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import counted, percent
from euclio.serving.pipeline.metrics import describe, mean_attainment
from euclio.serving.pipeline.record import Simulation
from euclio.serving.pipeline.table import simulation_table


def _head(found: Simulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"mean SLO attainment {percent(mean_attainment(found))}"
    return Head(
        found.cluster.name, "", (share, counted(arrived, "request"), counted(found.batches, "batch", "batches"))
    )


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per model."""
    return [{"model": row.pop("name"), **row} for row in describe(found)["models"]]


LATENCIES = late("euclio.serving.pipeline.latency_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCIES, leads=True)
