"""Latencies of a simulation: the share of requests that take longer, from end to end and at each module."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.words import full
from euclio.serving.histogram import edges
from euclio.serving.latency_figure import MOST_CURVES, Curve, draw_curves, draw_curves_on
from euclio.serving.session.record import Latencies, Simulation
from euclio.serving.units import NS_PER_S


def draw(simulation: Simulation) -> Figure:
    """One line from end to end with the SLO, one per module with its worst-case latency as checked.

    Of many modules, those whose 99th percentile is the longest against their worst case.
    """
    return draw_curves(*_curves(simulation))


def draw_on(axes: Axes, simulation: Simulation) -> None:
    """The same on axes of a figure."""
    draw_curves_on(axes, *_curves(simulation))


def _curves(simulation: Simulation) -> tuple[list[Curve], str, str]:
    """The curves, the title, and what dashed lines mark."""
    setup, system = simulation.setup, simulation.system
    order = sorted(range(len(system.modules)), key=lambda m: -_over(simulation, m))
    chosen = sorted(order[:MOST_CURVES])
    curves = [_curve("end to end", simulation.latencies, float(simulation.session.slo_s), whole=True)]
    for m in chosen:
        checked = float(system.evaluation.modules[m].worst_case_latency_s)
        curves.append(_curve(system.modules[m].name, simulation.modules[m].latencies, checked))
    part = "" if len(chosen) == len(order) else f", {len(chosen)} of {len(order)} modules"
    load = (
        f"{setup.clients} clients" if setup.clients else f"{setup.arrivals.value} arrivals at load {full(setup.load)}"
    )
    title = f"{simulation.session.name}\n{load}, dispatch {simulation.dispatch.value}{part}"
    return curves, title, "SLO; worst case as checked"


def _over(simulation: Simulation, module: int) -> float:
    p99 = simulation.modules[module].latencies.quantile_s(0.99) or 0.0
    return p99 / float(simulation.system.evaluation.modules[module].worst_case_latency_s)


def _curve(label: str, found: Latencies, limit_s: float, *, whole: bool = False) -> Curve:
    return Curve(label, edges(found.bins) / NS_PER_S, found.count, limit_s, whole)
