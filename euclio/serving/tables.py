"""Tables of simulations for people: fates of requests, and utilization of machines, GPUs and instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.showing import Head, View
from euclio.core.words import amount, counted, decimals, figures, full, milliseconds, percent
from euclio.serving.fragments import metrics as of_fleet
from euclio.serving.fragments.record import Simulation as FleetSimulation
from euclio.serving.pipeline import metrics as of_cluster
from euclio.serving.pipeline.record import Simulation as ClusterSimulation
from euclio.serving.session import metrics as of_session
from euclio.serving.session.glance import never_in_words, overloaded
from euclio.serving.session.record import Simulation as SessionSimulation

MOST_ROWS = 40
"""Fragments, modules and allocations that are listed; of more fragments, those with the least attainment."""
SEEN = Fraction(1, 10**6)
"""The page mentions durations that are rounded by a larger share."""


def _page(header: Sequence[str], table: RenderableType, lines: Sequence[str]) -> Group:
    """A header, the streams of requests, and the lines below them."""
    return Group(Text("\n".join(header)), Text(""), table, Text(""), Text("\n".join(lines)))


def _view(head: Callable[[Any], Head], table: Callable[[Any], RenderableType], describe: Any, stream: str) -> View:
    """How a simulation shows itself: rows are those of its streams of requests, or modules."""

    def rows(found: Any) -> list[dict[str, Any]]:
        return [{stream: row.pop("name"), **row} for row in describe(found)[f"{stream}s"]]

    return View(head, table, rows=rows, draw=late("euclio.serving.latency_figure", "draw_on"), leads=True)


# Clusters: fates of each model's requests, and utilization of the GPUs.

MODEL_COLUMNS = (
    Label("model", "name"),
    Column("req/s", "offered_rps", figures),
    Column("arrived", form=decimals),
    Column("late", form=decimals),
    Column("dropped", form=decimals),
    Column("within SLO", "attainment", percent),
    Column("p99 ms", "latency_p99_s", milliseconds),
    Column("SLO ms", "slo_s", milliseconds),
)


def cluster_table(simulation: ClusterSimulation) -> RenderableType:
    """A header, one row per model (times in ms), then utilisation, batches and transfers."""
    found = of_cluster.describe(simulation)
    models = zip(simulation.cluster.models, found["models"], strict=True)
    table = table_of([{**row, "slo_s": float(model.slo_s)} for model, row in models], MODEL_COLUMNS)
    header = (
        f"{found['instance']}: mean SLO attainment {percent(found['attainment'])}",
        f"{found['scheduler']} scheduler, {found['arrivals']} arrivals at load {full(found['load'])} for "
        f"{full(found['seconds'])} s, seed {found['seed']}, noise {full(found['noise'])}",
    )
    return _page(header, table, _cluster_lines(found))


def _cluster_lines(found: dict[str, object]) -> list[str]:
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


def _cluster_head(found: ClusterSimulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"mean SLO attainment {percent(of_cluster.mean_attainment(found))}"
    return Head(
        found.cluster.name, "", (share, counted(arrived, "request"), counted(found.batches, "batch", "batches"))
    )


CLUSTER = _view(_cluster_head, cluster_table, of_cluster.describe, "model")


# Fleets: fates of each client's requests, and utilization of the instances.

FRAGMENT_COLUMNS = (
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


def fleet_table(simulation: FleetSimulation) -> RenderableType:
    """A header, one row per fragment (times in ms), then utilisation, batches and waiting."""
    found = of_fleet.describe(simulation)
    phases = f" ({found['phases']} phases)" if found["arrivals"] == "uniform" else ""
    header = (
        f"{found['instance']}: {percent(found['attainment'])} of all requests in their time budgets",
        f"{found['arrivals']} arrivals{phases} at load {full(found['load'])} for {full(found['seconds'])} s, "
        f"seed {found['seed']}, noise {full(found['noise'])}; "
        f"{_QUEUES[found['dispatch']]}, {_DROPS[found['dropping']]}",
    )
    return _page(header, table_of(_listed(found["fragments"]), FRAGMENT_COLUMNS), _fleet_lines(found))


_QUEUES = {"shared": "one queue per stage", "even": "requests to instances in turn"}
_DROPS = {"hopeless": "hopeless requests dropped", "never": "no request dropped"}


def _listed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rows) <= MOST_ROWS:
        return rows
    by_attainment = sorted(rows, key=lambda row: 1.0 if row["attainment"] is None else row["attainment"])
    return by_attainment[:MOST_ROWS]


def _fleet_lines(found: dict[str, Any]) -> list[str]:
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


def _fleet_head(found: FleetSimulation) -> Head:
    arrived = sum(requests.arrival_ns.size for requests in found.requests)
    share = f"{percent(of_fleet.total_attainment(found))} in their time budgets"
    return Head(found.fleet.name, "", (share, counted(arrived, "request"), counted(len(found.stages), "stage")))


FLEET = _view(_fleet_head, fleet_table, of_fleet.describe, "fragment")


# Sessions: latencies against the checked ones, then how busy machines were.


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


def session_table(simulation: SessionSimulation) -> RenderableType:
    """A header, latencies by module and from end to end (in ms), machines by allocation."""
    found = of_session.describe(simulation)
    header = Text("\n".join(_header(found, simulation)))
    allocations = _allocations(found)
    machines = table_of(map(_machines_row, allocations[:MOST_ROWS]), MACHINE_COLUMNS)
    most = max(len(found["modules"]), len(allocations))
    left_out = [Text(f"the first {MOST_ROWS} of {most} rows are listed, all by --json")] if most > MOST_ROWS else []
    return Group(header, Text(""), _latency_table(found), Text(""), machines, *left_out)


def _header(found: dict[str, Any], simulation: SessionSimulation) -> list[str]:
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


def _rounding(simulation: SessionSimulation) -> list[str]:
    """A line with the largest rounding of durations, if ticks are too coarse for them."""
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
    """How requests are served, in the words of the options; rare options only if they are used."""
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


def _machines_row(machines: list[dict[str, Any]]) -> dict[str, Any]:
    """The row of an allocation's machines: configuration, utilization and batches."""
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


def _session_head(found: SessionSimulation) -> Head:
    within = "keep all objectives" if found.objectives else f"within {milliseconds(found.session.slo_s)} ms"
    share = f"{percent(found.attainment)} {within}"
    p99 = f"p99 {milliseconds(found.latencies.quantile_s(0.99))} ms"
    lost = f"{found.late:,} late, {found.dropped:,} dropped"
    return Head(found.session.name, "", (share, counted(found.arrived, "request"), p99, lost))


SESSION = _view(_session_head, session_table, of_session.describe, "module")
