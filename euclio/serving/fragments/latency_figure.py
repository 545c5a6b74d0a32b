"""End-to-end latency distributions of several systems, as Graft's Figures 8 to 10 have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from euclio.core.figures import INK, PALETTE, figure_style
from euclio.serving.units import Floats

PANEL_IN = 3.0


def draw_latencies(panels: Mapping[str, Mapping[str, Floats]], slos_ms: Mapping[str, Sequence[float]]) -> Figure:
    """One panel per case, one cumulative line per system; dashed lines mark the latency objectives.

    Args:
        panels: by case, by system, the latencies of answered requests in milliseconds.
        slos_ms: by case its objectives in milliseconds.
    """
    with figure_style():
        figure = Figure(figsize=(PANEL_IN * len(panels), 3.0), layout="constrained")
        FigureCanvasAgg(figure)
        row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (case, systems) in zip(row, panels.items(), strict=True):
            _panel(axes, case, systems, slos_ms[case])
        row[0].set_ylabel("answered requests (%)")
        row[0].legend(fontsize=8, frameon=False, loc="upper left")
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
