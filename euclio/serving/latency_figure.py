"""Distributions of latencies: the share of requests that take longer, on a logarithmic scale, so that tails show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from euclio.core.figures import INK, PALETTE, grid, legend_label, new_figure
from euclio.core.words import full, plain
from euclio.serving.fragments.record import Simulation as FleetSimulation
from euclio.serving.histogram import edges
from euclio.serving.pipeline.record import Simulation as ClusterSimulation
from euclio.serving.requests import attainment
from euclio.serving.session.record import Latencies
from euclio.serving.session.record import Simulation as SessionSimulation
from euclio.serving.units import NS_PER_S, Floats, Ints

MOST_CURVES = len(PALETTE)
LEAST_SHARE = 1e-6
"""Shares below are not drawn."""
MOST_POINTS = 600
"""Points of a curve: enough for a line, and few enough for small files."""
MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class Curve:
    """A distribution."""

    label: str  # whose latencies
    latency_s: Floats  # latencies, ascending
    count: Ints  # how many took each
    limit_s: float | None  # their limit; None if there is none
    # whether it is the main curve of the figure, such as the latency from end to end; the others are its parts.
    whole: bool = False


Simulation = SessionSimulation | ClusterSimulation | FleetSimulation


def draw(simulation: Simulation) -> Figure:
    """One falling line per distribution; a dashed line of its colour marks its limit.

    A session has one distribution from end to end and one per module. A cluster has one per model and a fleet one per
    client. Of many, the figure shows those with the least attainment.
    """
    with new_figure(8.0, 4.4) as figure:
        _draw(figure.subplots(), *_curves(simulation))
        figure.legend(loc="outside right center")
    return figure


def draw_on(axes: Axes, simulation: Simulation) -> None:
    """The same on axes of a figure, with the legend inside."""
    _draw(axes, *_curves(simulation))
    axes.legend()


def _curves(simulation: Simulation) -> tuple[list[Curve], str, str]:
    """The curves, the title, and what dashed lines mark."""
    if isinstance(simulation, SessionSimulation):
        return _session_curves(simulation)
    if isinstance(simulation, ClusterSimulation):
        limits = [(model.name, float(model.slo_s)) for model in simulation.cluster.models]
        return *_streams(simulation, simulation.cluster.name, limits), "SLO"
    limits = [(fragment.name, float(fragment.budget_s)) for fragment in simulation.fleet.fragments]
    return *_streams(simulation, simulation.fleet.name, limits), "time budget on the server"


def _draw(axes: Axes, curves: Sequence[Curve], title: str, limits_are: str) -> None:
    colours = iter(PALETTE)
    lowest = 1.0
    for curve in curves:
        colour = INK if curve.whole else next(colours)
        if curve.count.sum():
            _line(axes, curve, colour)
            lowest = min(lowest, 1 / float(curve.count.sum()))
    axes.plot([], [], color=INK, linestyle="--", linewidth=0.9, label=limits_are)
    _finish(axes, max(lowest, LEAST_SHARE), title)


def _line(axes: Axes, curve: Curve, colour: str) -> None:
    later = 1 - np.cumsum(curve.count) / curve.count.sum()
    times = np.repeat(curve.latency_s * MS_PER_S, 2)
    shares = np.concatenate(([1.0], np.repeat(later[:-1], 2), later[-1:]))
    drawn = _thinned(shares)
    width = 2.2 if curve.whole else 1.4
    # The last step ends at 0, which has no logarithm: it is drawn down to below the axis.
    low = np.maximum(shares[drawn], LEAST_SHARE / 10)
    axes.plot(times[drawn], 100 * low, color=colour, linewidth=width, label=legend_label(curve.label))
    if curve.limit_s is not None:
        axes.axvline(curve.limit_s * MS_PER_S, color=colour, linestyle="--", linewidth=0.9)


def _thinned(shares: Floats) -> Ints:
    """Places of points that make the same line to the eye: evenly spread over the logarithm of the share."""
    if shares.size <= MOST_POINTS:
        return np.arange(shares.size)
    wanted = np.geomspace(1.0, max(float(shares[-2]), LEAST_SHARE), MOST_POINTS)
    places = np.searchsorted(-shares, -wanted)
    return np.unique(np.concatenate((places, [0, shares.size - 2, shares.size - 1])))


def _finish(axes: Axes, lowest: float, title: str) -> None:
    axes.set(yscale="log", ylim=(70 * lowest, 130), xlim=(0, None))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: plain(share)))
    axes.set(xlabel="latency (ms)", ylabel="slower requests (%)")
    axes.set_title(title)
    grid(axes)


def _session_curves(simulation: SessionSimulation) -> tuple[list[Curve], str, str]:
    """One line from end to end with the SLO, one per module with its worst-case latency as checked.

    Of many modules, those whose 99th percentile is the longest against their worst case.
    """
    setup, system = simulation.setup, simulation.system
    order = sorted(range(len(system.modules)), key=lambda m: -_over(simulation, m))
    room = max(1, MOST_CURVES - len(simulation.objectives))
    chosen = sorted(order[:room])
    slo_s = None if simulation.objectives else float(simulation.session.slo_s)
    curves = [_recorded_curve("end to end", simulation.latencies, slo_s, whole=True)]
    objectives = zip(simulation.session.objectives, simulation.objectives, strict=True)
    for one, tally in list(objectives)[: MOST_CURVES - len(chosen)]:
        curves.append(_recorded_curve(f"until {one.name}", tally.latencies, float(one.slo_s)))
    for m in chosen:
        checked = float(system.evaluation.modules[m].worst_case_latency_s)
        curves.append(_recorded_curve(system.modules[m].name, simulation.modules[m].latencies, checked))
    part = "" if len(chosen) == len(order) else f", {len(chosen)} of {len(order)} modules"
    load = (
        f"{setup.clients} clients" if setup.clients else f"{setup.arrivals.value} arrivals at load {full(setup.load)}"
    )
    title = f"{simulation.session.name}\n{load}, dispatch {simulation.dispatch.value}{part}"
    return curves, title, "SLO; worst case as checked"


def _over(simulation: SessionSimulation, module: int) -> float:
    p99 = simulation.modules[module].latencies.quantile_s(0.99) or 0.0
    return p99 / float(simulation.system.evaluation.modules[module].worst_case_latency_s)


def _recorded_curve(label: str, found: Latencies, limit_s: float | None, *, whole: bool = False) -> Curve:
    return Curve(label, edges(found.bins) / NS_PER_S, found.count, limit_s, whole)


def _streams(
    simulation: ClusterSimulation | FleetSimulation, name: str, limits: Sequence[tuple[str, float]]
) -> tuple[list[Curve], str]:
    """Curves of the streams of a simulation, and the title: of many those with the least attainment."""
    setup = simulation.setup
    shares = [attainment(requests) for requests in simulation.requests]
    worst = sorted(range(len(limits)), key=lambda k: 1.0 if (share := shares[k]) is None else share)[:MOST_CURVES]
    curves = []
    for k in sorted(worst):
        requests, (stream, limit_s) = simulation.requests[k], limits[k]
        answered = requests.finish_ns >= 0
        latency, count = np.unique((requests.finish_ns - requests.arrival_ns)[answered], return_counts=True)
        curves.append(Curve(stream, latency / NS_PER_S, count, limit_s))
    part = "" if len(curves) == len(limits) else f", {len(curves)} of {len(limits)} with the least attainment"
    return curves, f"{name}\n{setup.arrivals.value} arrivals at load {full(setup.load)}{part}"


# End-to-end latency distributions of several systems, as Graft's Figures 8 to 10 have them.

PANEL_IN = 3.0


def draw_latencies(panels: Mapping[str, Mapping[str, Floats]], slos_ms: Mapping[str, Sequence[float]]) -> Figure:
    """One panel per case, one cumulative line per system; dashed lines mark the latency objectives.

    Args:
        panels: by case, by system, the latencies of answered requests in milliseconds.
        slos_ms: by case its objectives in milliseconds.
    """
    with new_figure(PANEL_IN * len(panels), 3.0) as figure:
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (case, systems) in zip(row, panels.items(), strict=True):
            _panel(axes, case, systems, slos_ms[case])
        row[0].set_ylabel("answered requests (%)")
        row[0].legend(frameon=False, loc="upper left")
    return figure


def _panel(axes: Axes, case: str, systems: Mapping[str, Floats], slos_ms: Sequence[float]) -> None:
    for colour, (system, latencies) in zip(PALETTE, systems.items(), strict=False):
        # Every percentile is enough for a line, and keeps files small.
        shares = np.linspace(0, 1, 101)
        if latencies.size:
            axes.plot(np.quantile(latencies, shares), 100 * shares, color=colour, linewidth=1.6, label=system)
    for slo in slos_ms:
        axes.axvline(slo, color=INK, linestyle="--", linewidth=0.9)
    axes.set(title=case, xlabel="end-to-end latency (ms)", ylim=(0, 101))
