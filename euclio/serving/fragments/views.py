"""How a simulation of a fleet shows itself."""

from __future__ import annotations

from typing import Any

from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import counted, percent
from euclio.serving.fragments.metrics import describe, total_attainment
from euclio.serving.fragments.record import Simulation
from euclio.serving.fragments.table import simulation_table


def _head(found: Simulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"{percent(total_attainment(found))} in their time budgets"
    return Head(found.fleet.name, "", (share, counted(arrived, "request"), counted(len(found.stages), "stage")))


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per fragment."""
    return [{"fragment": row.pop("name"), **row} for row in describe(found)["fragments"]]


LATENCIES = late("euclio.serving.fragments.distribution_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCIES, leads=True)
