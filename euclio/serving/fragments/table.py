"""Tables of simulations for people: what became of each client's requests, and how busy the instances were."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import amount, counted, decimals, figures, full, milliseconds, percent
from euclio.serving.fragments.metrics import describe, total_attainment
from euclio.serving.fragments.record import Simulation
from euclio.serving.highest_load import highest_load_table

MOST_ROWS = 40
"""Fragments that are listed; of more, those with the least attainment."""


COLUMNS = (
    Label("fragment", "name"),
    Column("req/s", "offered_rps", figures, spare=4),
    Column("arrived", form=decimals, spare=3),
    Column("late", form=decimals),
    Column("dropped", form=decimals),
    Column("in budget", "attainment", percent),
    Column("p50 ms", "latency_p50_s", milliseconds, spare=1),
    Column("p99 ms", "latency_p99_s", milliseconds, spare=6),
    Column("max ms", "latency_max_s", milliseconds, spare=2),
    Column("budget ms", "budget_s", milliseconds, spare=5),
)


def simulation_table(simulation: Simulation) -> RenderableType:
    """A header, one row per fragment (times in ms), then utilisation, batches and waiting."""
    found = describe(simulation)
    header = (
        f"{found['instance']}: {percent(found['attainment'])} of all requests in their time budgets\n"
        f"{found['arrivals']} arrivals{_phases(found)} at load {full(found['load'])} for {full(found['seconds'])} s, "
        f"seed {found['seed']}, noise {full(found['noise'])}; {_QUEUES[found['dispatch']]}, {_DROPS[found['dropping']]}"
    )
    return Group(
        Text(header), Text(""), table_of(_listed(found["fragments"]), COLUMNS), Text(""), Text("\n".join(_lines(found)))
    )


_QUEUES = {"shared": "one queue per stage", "even": "requests to instances in turn"}
_DROPS = {"hopeless": "hopeless requests dropped", "never": "no request dropped"}


def loads_table(loads: dict[str, float]) -> RenderableType:
    """The highest load factor of each fragment at 99 % attainment, and their mean."""
    return highest_load_table(loads, "fragment")


def _phases(found: dict[str, Any]) -> str:
    return f" ({found['phases']} phases)" if found["arrivals"] == "uniform" else ""


def _listed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rows) <= MOST_ROWS:
        return rows
    by_attainment = sorted(rows, key=lambda row: 1.0 if row["attainment"] is None else row["attainment"])
    return by_attainment[:MOST_ROWS]


def _lines(found: dict[str, Any]) -> list[str]:
    number = len(found["fragments"])
    lines = [f"{MOST_ROWS} of {number} fragments are listed, those with the least attainment"] * (number > MOST_ROWS)
    lines.append(f"instances busy, by GPU share: {percent(found['utilization'], 1)}")
    if found["mean_batch"] is not None:
        lines.append(f"batches: {found['batches']:,}, requests per batch {amount(found['mean_batch'], digits=3)}")
    waits = [x for stage in found["stages"] if (x := stage["longest_wait_executions"]) is not None]
    longer = sum(x > 1 for x in waits)
    if longer:
        lines.append(
            f"waiting: longer than an execution, which the plan counts on, at {longer} of "
            f"{counted(len(waits), 'stage')}; at most {amount(max(waits), digits=3)} executions"
        )
    elif waits:
        lines.append(f"waiting: at most {amount(max(waits), digits=3)} executions; the plan counts on 1")
    return lines


def _head(found: Simulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"{percent(total_attainment(found))} in their time budgets"
    return Head(found.fleet.name, "", (share, counted(arrived, "request"), counted(len(found.stages), "stage")))


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per fragment."""
    return [{"fragment": row.pop("name"), **row} for row in describe(found)["fragments"]]


LATENCY_FIGURE = late("euclio.serving.latency_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCY_FIGURE, leads=True)
