"""Latencies of a simulation: the share of each model's requests that take longer."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.words import full
from euclio.serving.latency_figure import Curve, draw_curves, draw_curves_on, some_of, stream_curves
from euclio.serving.pipeline.record import Simulation


def draw(simulation: Simulation) -> Figure:
    """One line per model, of its answered requests; of many models those with the least attainment."""
    return draw_curves(*_curves(simulation))


def draw_on(axes: Axes, simulation: Simulation) -> None:
    """The same on axes of a figure."""
    draw_curves_on(axes, *_curves(simulation))


def _curves(simulation: Simulation) -> tuple[list[Curve], str, str]:
    """The curves, the title, and what dashed lines mark."""
    setup, models = simulation.setup, simulation.cluster.models
    rows = zip(models, simulation.requests, strict=True)
    curves = stream_curves([(model.name, requests, float(model.slo_s)) for model, requests in rows])
    title = (
        f"{simulation.cluster.name}\n{setup.arrivals.value} arrivals at load {full(setup.load)}"
        f"{some_of(len(curves), len(models))}"
    )
    return curves, title, "SLO"
