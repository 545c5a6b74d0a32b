"""How a simulation of a session shows itself."""

from __future__ import annotations

from typing import Any

from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import counted, milliseconds, percent
from euclio.serving.session.metrics import describe
from euclio.serving.session.record import Simulation
from euclio.serving.session.table import simulation_table


def _head(found: Simulation) -> Head:
    share = f"{percent(found.attainment)} within {milliseconds(found.session.slo_s)} ms"
    p99 = f"p99 {milliseconds(found.latencies.quantile_s(0.99))} ms"
    lost = f"{found.late:,} late, {found.dropped:,} dropped"
    return Head(found.session.name, "", (share, counted(found.arrived, "request"), p99, lost))


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per module."""
    return [{"module": row.pop("name"), **row} for row in describe(found)["modules"]]


LATENCIES = late("euclio.serving.session.latency_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCIES, leads=True)
