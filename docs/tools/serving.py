"""Serves plans of fleets by simulation, and says what became of requests: `python docs/tools/serving.py`.

Sixty random fleets and fleets of Graft's clients, each planned by several systems. It prints the tables of
`docs/findings/coinciding-requests.md` and writes `docs/figures/coinciding-requests.svg` and
`docs/figures/end-to-end.svg`; the same code gives the same bytes. It takes two minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from pasting import FIGURES, OPEN, draw_plain
from safe_plans import safe_plan

from euclio import solve
from euclio.core.words import percent
from euclio.problems.fragments import Fleet, FragmentPlan, evaluate
from euclio.serving.fragments import Arrivals, Phases, Setup, simulate, total_attainment
from euclio.serving.fragments.end_to_end import ahead_of, end_to_end_ms, pooled_ms, within_objective
from euclio.serving.fragments.metrics import longest_wait, most_in_an_execution
from euclio.serving.latency_figure import draw_latencies
from euclio.serving.units import NS_PER_S
from euclio.workloads.fragments.clients import draw_clients, fleet_now
from euclio.workloads.fragments.networks import Device, find_model, model_names
from euclio.workloads.fragments.random_fleets import random_fleet

SYSTEMS = ("gslice", "gslice+", "graft", "regroup", "set-partition")
SAFE = "safe"
"""Plans of `safe_plans.py`, which are in the tables next to those of the systems."""
SEEDS, FRAGMENTS, LAYERS, SECONDS = 60, 10, 8, 20.0
ARRIVALS = {
    "even, staggered": Setup(Arrivals.UNIFORM, seconds=SECONDS, phases=Phases.STAGGERED),
    "even, random phases": Setup(Arrivals.UNIFORM, seconds=SECONDS),
    "even, together": Setup(Arrivals.UNIFORM, seconds=SECONDS, phases=Phases.TOGETHER),
    "Poisson": Setup(Arrivals.POISSON, seconds=SECONDS),
    "bursty": Setup(Arrivals.BURSTY, seconds=SECONDS),
}
COLOURS = ("#3c9a5f", "#2f6fb5", "#d9822b", "#c2506a", "#8a5aa8", "#7a7a7a")
CLIENTS, CLIENT_SECONDS = 20, 60.0
MIXED, MIXED_FLEETS = ((6, 2), (20, 5)), 10
"""Clients and how many of them are TX2; fleets of each."""


class Case(NamedTuple):
    """A fleet with a system's plan."""

    system: str
    fleet: Fleet
    plan: FragmentPlan


def cases() -> Iterator[Case]:
    """Random fleets and plans."""
    for seed in range(SEEDS):
        fleet = random_fleet(seed, FRAGMENTS, LAYERS)
        for system in SYSTEMS:
            plan = solve(fleet, system).plan
            assert plan is not None
            yield Case(system, fleet, plan)
        yield Case(SAFE, fleet, safe_plan(fleet))


def coinciding(found: list[Case]) -> Figure:
    """Prints attainment by system and arrivals; draws it next to waiting against what can coincide."""
    every = (*SYSTEMS, SAFE)
    means = {name: [_attainment(found, system, setup) for system in every] for name, setup in ARRIVALS.items()}
    print("|", "GPU share", "|", " | ".join(f"{_share(found, system)} %" for system in every), "|")
    for name, row in means.items():
        cells = (f"{percent(np.mean(own))}, all of {sum(x == 1 for x in own)}" for own in row)
        print("|", name, "|", " | ".join(cells), "|")
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, (system, colour) in enumerate(zip(every, COLOURS, strict=True)):
        heights = [100 * float(np.mean(row[k])) for row in means.values()]
        left.bar(np.arange(len(means)) + 0.14 * (k - 2.5), heights, 0.13, color=colour, label=system)
    left.set(ylabel="requests in budget (%)", ylim=(0, 128), yticks=range(0, 101, 20), xticks=range(len(means)))
    left.set_xticklabels([name.replace(", ", ",\n") for name in means])
    left.set_title(f"{SEEDS} random fleets of {FRAGMENTS} clients")
    left.legend(fontsize=8, frameon=False, ncols=3, loc="upper center")
    _waits(right, found)
    return figure


def _attainment(found: list[Case], system: str, setup: Setup) -> list[float]:
    """Share of requests within their time budgets, by fleet."""
    served = (simulate(case.fleet, case.plan, setup) for case in found if case.system == system)
    return [share for simulation in served if (share := total_attainment(simulation)) is not None]


def _share(found: list[Case], system: str) -> int:
    """GPU share of all its plans, in percent of one GPU."""
    values = (evaluate(case.fleet, case.plan).value for case in found if case.system == system)
    return int(sum(value for value in values if value is not None))


def _waits(axes: Any, found: list[Case]) -> None:
    """Longest wait at a stage against the requests that can reach it within an execution."""
    counts = {}
    for name, colour in (("even, together", "#d9822b"), ("even, random phases", "#2f6fb5")):
        points = [point for case in _planned(found) for point in _points(case, ARRIVALS[name])]
        at_once, waits = np.array(points).T
        # Many stages are alike: each place is drawn once.
        drawn = np.unique(np.round(points, 2), axis=0)
        axes.scatter(*drawn.T, s=12, color=colour, alpha=0.6, label=name, linewidths=0)
        counts[name] = [(int(part.sum()), int((part & (waits > 1)).sum())) for part in (at_once <= 1, at_once > 1)]
    print("stages that fill a batch more slowly than they execute it, by load:", _slow_to_fill(found))
    print("stages, and those where a request waits longer than an execution, where N <= cb and else:", counts)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(xlabel="N / cb: most requests within an execution over requests that are taken at once")
    axes.set(ylabel="longest wait (executions)", title="Stages: at N = cb nobody waits longer than an execution")
    axes.legend(fontsize=8, frameon=False, loc="upper left")


def _slow_to_fill(found: list[Case]) -> dict[float, int]:
    """Stages at which the first request of a full batch would wait longer than an execution for the last one."""
    count = dict.fromkeys((1.0, 0.5), 0)
    for load in count:
        for case in _planned(found):
            served = simulate(case.fleet, case.plan, Setup(load=load, seconds=0.01))
            for stage in served.stages:
                rate = sum(served.offered_rps[k] for k in stage.fragments)
                count[load] += bool(stage.stage.batch - 1 > rate * stage.latency_ns[-1] / NS_PER_S)
    return count


def _planned(found: list[Case]) -> list[Case]:
    """The plans of systems."""
    return [case for case in found if case.system != SAFE]


def _points(case: Case, setup: Setup) -> Iterator[tuple[float, float]]:
    """N / cb and longest wait of each stage."""
    simulation = simulate(case.fleet, case.plan, setup)
    for stage in simulation.stages:
        wait = longest_wait(simulation, stage)
        if wait is not None:
            taken = stage.stage.batch * stage.stage.instances
            yield most_in_an_execution(simulation, stage) / taken, wait


def end_to_end() -> Figure:
    """Prints the shares within objectives of Graft's clients, and draws their latencies."""
    panels, slos = {}, {}
    for key in model_names():
        model = find_model(key)
        clients = draw_clients(model, CLIENTS, 0)
        fleet, ahead = fleet_now(f"fleet-{key}-0", clients), ahead_of(clients)
        slos[key] = [float(1000 * clients[0].slo_s)]
        panels[key] = {}
        cells = []
        for system in ("graft", "gslice+", "gslice"):
            plan = solve(fleet, system).plan
            assert plan is not None
            found = [
                simulate(fleet, plan, Setup(way, seconds=CLIENT_SECONDS))
                for way in (Arrivals.UNIFORM, Arrivals.POISSON)
            ]
            panels[key][system] = pooled_ms(end_to_end_ms(found[0], ahead))
            cells.append(" / ".join(percent(within_objective(simulation, ahead)) for simulation in found))
        print("|", model.name, "|", f"{slos[key][0]:g}", "|", " | ".join(cells), "|")
    return draw_latencies(panels, slos)


def heterogeneous() -> None:
    """Prints the shares within objectives of Nano and TX2 under Graft's plans, at random phases (Graft Figure 9)."""
    for key in model_names():
        row = []
        for number, tx2 in MIXED:
            kept: dict[Device, list[float]] = {device: [] for device in Device}
            for seed in range(MIXED_FLEETS):
                for device, share in _by_device(key, number, tx2, seed).items():
                    kept[device].append(share)
            row += [percent(float(np.mean(shares)), 1) for shares in kept.values()]
        print("|", key, "|", " | ".join(row), "|")


def _by_device(key: str, number: int, tx2: int, seed: int) -> dict[Device, float]:
    """Share of requests within their objectives, by device."""
    clients = draw_clients(find_model(key), number, seed, tx2=tx2)
    fleet, ahead = fleet_now(f"mixed-{key}-{seed}", clients), ahead_of(clients)
    plan = solve(fleet, "graft").plan
    assert plan is not None
    simulation = simulate(fleet, plan, Setup(Arrivals.UNIFORM, seconds=SECONDS))
    latencies = end_to_end_ms(simulation, ahead)
    arrived = {f.name: r.outcome.size for f, r in zip(fleet.fragments, simulation.requests, strict=True)}
    found = {}
    for device in Device:
        own = [client.name for client in clients if client.device is device]
        kept = sum(int((latencies[name] <= float(1000 * ahead[name].slo_s)).sum()) for name in own)
        found[device] = kept / sum(arrived[name] for name in own)
    return found


def write(folder: Path = FIGURES) -> None:
    """Print the tables, write the figures."""
    draw_plain(folder / "coinciding-requests.svg", lambda: coinciding(list(cases())), OPEN, salt="serving")
    draw_plain(folder / "end-to-end.svg", end_to_end, OPEN, salt="serving")
    heterogeneous()


if __name__ == "__main__":
    write()
