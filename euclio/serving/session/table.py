"""Tables of simulations for people: latencies against the checked ones, then how busy machines were."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import counted, decimals, figures, full, milliseconds, percent
from euclio.serving.highest_load import highest_load_table
from euclio.serving.session.metrics import describe
from euclio.serving.session.record import Simulation
from euclio.serving.session.slack import never_in_words, overloaded

MOST_ROWS = 40
"""Modules and allocations that are listed."""
SEEN = Fraction(1, 10**6)
"""Durations that are rounded by a larger share are spoken of."""


def in_percent(share: float | None) -> str:
    """A share as a percentage under a heading that says so."""
    return percent(share, 1, sign="")


LATENCY_COLUMNS = (
    Label("module", "name"),
    Column("mean ms", "latency_mean_s", milliseconds, spare=1),
    Column("p50 ms", "latency_p50_s", milliseconds, spare=2),
    Column("p90 ms", "latency_p90_s", milliseconds, spare=4),
    Column("p99 ms", "latency_p99_s", milliseconds),
    Column("p99.9 ms", "latency_p99_9_s", milliseconds, spare=7),
    Column("max ms", "latency_max_s", milliseconds, spare=5),
    Column("worst case", "worst_case_s", milliseconds, means="as checked, of evenly spaced invocations"),
    Column("within %", "within_worst_case", in_percent, spare=6, means="requests within it"),
    Column("batch", "mean_batch", figures, spare=3, means="mean requests of a batch"),
)
MACHINE_COLUMNS = (
    Label("module"),
    Label("hardware", spare=5),
    Column("batch", spare=4),
    Column("conc.", "concurrency", spare=1, means="executions at a time"),
    Column("count", form=decimals, means="machines"),
    Column("plan %", "planned", in_percent, means="share of the time that they work, as planned"),
    Column("busy %", "busy", in_percent, means="as simulated"),
    Column("most %", "most", in_percent, spare=2, means="of the busiest one"),
    Column("mean batch", form=figures),
    Column("queue", form=decimals, spare=3, means="most requests that waited"),
)


def simulation_table(simulation: Simulation) -> RenderableType:
    """A header, latencies by module and from end to end (in ms), machines by allocation."""
    found = describe(simulation)
    header = Text("\n".join(_header(found, simulation)))
    return Group(header, Text(""), _latency_table(found), Text(""), _machine_table(found), *_left_out(found))


def loads_table(loads: dict[str, float]) -> RenderableType:
    """The highest load factor of the session at 99 % attainment."""
    return highest_load_table(loads, "session")


def _header(found: dict[str, Any], simulation: Simulation) -> list[str]:
    lines = [
        f"{found['instance']}: {percent(found['attainment'])} of {counted(found['arrived'], 'request')} {_kept(found)}",
        *(_objective(one) for one in found.get("objectives", [])[:MOST_ROWS]),
        f"{_arrivals(found)} for {full(found['seconds'])} s, seed {found['seed']}, noise {full(found['noise'])}",
        f"dispatch {found['dispatch']}{_extras(found)}",
    ]
    shared = {tuple(machine["shared_by"]) for machine in found["machines"] if "shared_by" in machine}
    lines += [f"one machine is shared by {', '.join(names)}" for names in sorted(shared)[:MOST_ROWS]]
    lines += _rounding(simulation)
    missed = [f"{found[key]:,} {key}" for key in ("late", "dropped") if found[key]]
    never = never_in_words(overloaded(simulation.system, simulation.setup))
    if never:
        missed.append(f"{never}, so that fewer are in time the longer they come")
    if missed:
        lines.append(", ".join(missed))
    return lines


def _kept(found: dict[str, Any]) -> str:
    """The words for requests in time."""
    if "objectives" in found:
        return "kept all of their objectives"
    return f"answered within the SLO of {milliseconds(found['slo_s'])} ms"


def _objective(one: dict[str, Any]) -> str:
    """How many requests kept an objective of a module."""
    return (
        f"{one['name']}: {percent(one['attainment'])} of {counted(one['arrived'], 'request')} through {one['to']} "
        f"within {milliseconds(one['slo_s'])} ms"
    )


def _rounding(simulation: Simulation) -> list[str]:
    """By how much durations are shorter than they are written, where ticks are too coarse for them."""
    clock, plan = simulation.system.clock, simulation.plan
    rounded = Fraction(0)
    for machine in simulation.system.machines:
        exactly = plan.modules[machine.module].allocations[machine.allocation].configuration.duration_s
        taken = Fraction(machine.duration_ticks[-1], clock.ticks_per_s)
        rounded = max(rounded, abs(exactly - taken) / exactly)
    if rounded <= SEEN:
        return []
    return [
        f"times are whole ticks of 1/{clock.ticks_per_ns} ns; durations are off by up to "
        f"{full(100 * rounded, digits=2)} %"
    ]


def _arrivals(found: dict[str, Any]) -> str:
    if found.get("clients"):
        return f"{counted(found['clients'], 'client')}, who wait for their answers,"
    return f"{found['arrivals']} arrivals at load {full(found['load'])} ({figures(found['offered_rps'])} req/s)"


def _extras(found: dict[str, Any]) -> str:
    """How requests are served, as the options say it; what hardly anybody asks for only where it is."""
    words = []
    if found["timeout_s"] is None:
        words.append("time-outs as planned")
    else:
        none = found["timeout_s"] == "none"
        words.append("no time-out" if none else f"time-out {milliseconds(found['timeout_s'])} ms")
    words.append("dummies sent" if found["dummies"] else "no dummies")
    words.append(f"partial machines {found['partial']}")
    words += ["modules hold requests"] * found["hold"]
    words += ["hopeless requests dropped"] * (found["dropping"] == "hopeless")
    return "".join(f", {word}" for word in words)


def _latency_table(found: dict[str, Any]) -> RenderableType:
    end_to_end = {**found, "name": "end to end"}
    objectives = [{**one, "name": f"until {one['name']}"} for one in found.get("objectives", [])[:MOST_ROWS]]
    return table_of([*found["modules"][:MOST_ROWS], *objectives, end_to_end], LATENCY_COLUMNS)


def _machine_table(found: dict[str, Any]) -> RenderableType:
    return table_of(map(_machines_row, _allocations(found)[:MOST_ROWS]), MACHINE_COLUMNS)


def _machines_row(machines: list[dict[str, Any]]) -> dict[str, Any]:
    """What machines of one allocation are, and how busy they were."""
    busy = [machine["utilization"] for machine in machines]
    batches = sum(machine["batches"] for machine in machines)
    served = sum(machine["batches"] * (machine["mean_batch"] or 0) for machine in machines)
    return {
        **machines[0],
        "count": len(machines),
        "planned": sum(machine["planned_utilization"] for machine in machines) / len(machines),
        "busy": sum(busy) / len(busy),
        "most": max(busy),
        "mean batch": served / batches if batches else None,
        "queue": max(machine["most_waiting"] for machine in machines),
    }


def _allocations(found: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Machines of one allocation together."""
    alike = groupby(found["machines"], key=lambda machine: (machine["module"], machine["allocation"]))
    return [list(group) for _, group in alike]


def _left_out(found: dict[str, Any]) -> list[RenderableType]:
    most = max(len(found["modules"]), len(_allocations(found)))
    return [Text(f"the first {MOST_ROWS} of {most} rows are listed, all by --json")] if most > MOST_ROWS else []


def _head(found: Simulation) -> Head:
    within = "keep all objectives" if found.objectives else f"within {milliseconds(found.session.slo_s)} ms"
    share = f"{percent(found.attainment)} {within}"
    p99 = f"p99 {milliseconds(found.latencies.quantile_s(0.99))} ms"
    lost = f"{found.late:,} late, {found.dropped:,} dropped"
    return Head(found.session.name, "", (share, counted(found.arrived, "request"), p99, lost))


def _rows(found: Simulation) -> list[dict[str, Any]]:
    """A row per module."""
    return [{"module": row.pop("name"), **row} for row in describe(found)["modules"]]


LATENCY_FIGURE = late("euclio.serving.latency_figure", "draw_on")
SIMULATION = View(_head, simulation_table, rows=_rows, draw=LATENCY_FIGURE, leads=True)
