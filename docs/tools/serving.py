"""Serves plans of fleets by simulation, prints what became of the requests, and draws it: `python docs/tools/serving.py`.

Sixty random fleets and fleets of Graft's clients, each planned by several systems. It prints the tables of
`docs/findings/coinciding-requests.md` and writes `docs/figures/coinciding-requests.svg` and
`docs/figures/end-to-end.svg`; the same code gives the same bytes. It takes about three minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from euclio import solve
from euclio.core.words import percent
from euclio.fragments import Fleet, FragmentPlan
from euclio.fragments.simulation import Setup, simulate, total_attainment
from euclio.fragments.simulation.coincidence import most_in_an_execution
from euclio.fragments.simulation.end_to_end import ahead_of, end_to_end_ms, pooled_ms, within_objective
from euclio.fragments.simulation.latency_figure import draw_latencies
from euclio.fragments.simulation.metrics import longest_wait
from euclio.fragments.workloads.clients import draw_clients, fleet_now
from euclio.fragments.workloads.networks import Device, find_model, model_names
from euclio.fragments.workloads.random_fleets import random_fleet

FIGURES = Path(__file__).resolve().parents[1] / "figures"
SYSTEMS = ("gslice", "gslice+", "graft", "set-partition")
SEEDS, FRAGMENTS, LAYERS, SECONDS = 60, 10, 8, 20.0
ARRIVALS = {
    "even, staggered": Setup("uniform", seconds=SECONDS, phases="staggered"),  # type: ignore[arg-type]
    "even, random phases": Setup("uniform", seconds=SECONDS),  # type: ignore[arg-type]
    "even, together": Setup("uniform", seconds=SECONDS, phases="together"),  # type: ignore[arg-type]
    "Poisson": Setup("poisson", seconds=SECONDS),  # type: ignore[arg-type]
    "bursty": Setup("bursty", seconds=SECONDS),  # type: ignore[arg-type]
}
COLOURS = ("#3c9a5f", "#2f6fb5", "#d9822b", "#8a5aa8")
CLIENTS, CLIENT_SECONDS = 20, 60.0


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


def coinciding(found: list[Case]) -> Figure:
    """Prints attainment by system and arrivals; draws it next to waiting against what can coincide."""
    means = {name: [_attainment(found, system, setup) for system in SYSTEMS] for name, setup in ARRIVALS.items()}
    for name, row in means.items():
        cells = (f"{percent(np.mean(own))}, all of {sum(x == 1 for x in own)}" for own in row)
        print("|", name, "|", " | ".join(cells), "|")
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, (system, colour) in enumerate(zip(SYSTEMS, COLOURS, strict=True)):
        heights = [100 * float(np.mean(row[k])) for row in means.values()]
        left.bar(np.arange(len(means)) + 0.2 * (k - 1.5), heights, 0.19, color=colour, label=system)
    left.set(ylabel="requests in budget (%)", ylim=(0, 105), xticks=range(len(means)))
    left.set_xticklabels([name.replace(", ", ",\n") for name in means])
    left.set_title(f"{SEEDS} random fleets of {FRAGMENTS} clients")
    left.legend(fontsize=8, frameon=False, ncols=2, loc="lower left")
    _waits(right, found)
    return figure


def _attainment(found: list[Case], system: str, setup: Setup) -> list[float]:
    served = (simulate(case.fleet, case.plan, setup) for case in found if case.system == system)
    return [share for simulation in served if (share := total_attainment(simulation)) is not None]


def _waits(axes: Any, found: list[Case]) -> None:
    """Longest wait at a stage against the requests that can reach it within an execution."""
    counts = {}
    for name, colour in (("even, together", "#d9822b"), ("even, random phases", "#2f6fb5")):
        points = [point for case in found for point in _points(case, ARRIVALS[name])]
        at_once, waits = np.array(points).T
        axes.scatter(at_once, waits, s=9, color=colour, alpha=0.5, label=name, linewidths=0)
        counts[name] = [(int(part.sum()), int((part & (waits > 1)).sum())) for part in (at_once <= 1, at_once > 1)]
    print(counts)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set(xlabel="most requests within an execution, over those that all instances take at once (N / cb)")
    axes.set(ylabel="longest wait (executions)", title="Stages: nobody waits longer left of 1, as proven")
    axes.legend(fontsize=8, frameon=False, loc="upper left")


def _points(case: Case, setup: Setup) -> Iterator[tuple[float, float]]:
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
        slos[model.name] = [float(1000 * clients[0].slo_s)]
        panels[model.name] = {}
        cells = []
        for system in ("graft", "gslice+", "gslice"):
            plan = solve(fleet, system).plan
            assert plan is not None
            found = [
                simulate(fleet, plan, Setup(way, seconds=CLIENT_SECONDS))  # type: ignore[arg-type]
                for way in ("uniform", "poisson")
            ]
            panels[model.name][system] = pooled_ms(end_to_end_ms(found[0], ahead))
            cells.append(" / ".join(percent(within_objective(simulation, ahead)) for simulation in found))
        print("|", model.name, "|", f"{slos[model.name][0]:g}", "|", " | ".join(cells), "|")
    return draw_latencies(panels, slos)


def write(folder: Path = FIGURES) -> None:
    """Print the tables, write the figures."""
    style = {
        "svg.hashsalt": "serving",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        for name, figure in (("coinciding-requests", coinciding(list(cases()))), ("end-to-end", end_to_end())):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            figure.savefig(Path("/tmp") / f"gs_{name}.png", dpi=70)


if __name__ == "__main__":
    _ = Device
    write()
