"""Latencies of a simulation: the share of each client's requests that take longer on the server."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.words import full
from euclio.serving.fragments.record import Simulation
from euclio.serving.latency_figure import Curve, draw_curves, draw_curves_on, some_of, stream_curves


def draw(simulation: Simulation) -> Figure:
    """One line per client, of its answered requests; of many clients those with the least attainment."""
    return draw_curves(*_curves(simulation))


def draw_on(axes: Axes, simulation: Simulation) -> None:
    """The same on axes of a figure."""
    draw_curves_on(axes, *_curves(simulation))


def _curves(simulation: Simulation) -> tuple[list[Curve], str, str]:
    """The curves, the title, and what dashed lines mark."""
    setup, fragments = simulation.setup, simulation.fleet.fragments
    rows = zip(fragments, simulation.requests, strict=True)
    curves = stream_curves([(f.name, requests, float(f.budget_s)) for f, requests in rows])
    title = (
        f"{simulation.fleet.name}\n{setup.arrivals.value} arrivals at load {full(setup.load)}"
        f"{some_of(len(curves), len(fragments))}"
    )
    return curves, title, "time budget on the server"
