"""Input rates, cost and finish rate over time (Scrooge, Figures 7 to 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.figures import PALETTE, figure_style, grid
from euclio.session.dynamics.record import Record
from euclio.simulation.units import Floats

SMOOTHED_S = 10
"""Seconds that finish rates are averaged over where they are drawn."""
PERCENT = 100


def over_time(axes: Sequence[Axes], records: Mapping[str, Record], modules: Sequence[str]) -> None:
    """Fill three panels.

    Args:
        axes: panels for input rates, cost and finish rate.
        records: runs of one world, by name.
        modules: names of the modules whose input rates are shown.
    """
    first = next(iter(records.values()))
    for k, name in enumerate(modules):
        axes[0].plot(
            smoothed(first.invocations[:, first.modules.index(name)]), color=PALETTE[k + 3], linewidth=1.1, label=name
        )
    for k, (name, record) in enumerate(records.items()):
        axes[1].plot(record.used_per_h, color=PALETTE[k], linewidth=1.1, label=name)
        rates = PERCENT * smoothed(record.frames[:, 1]) / np.maximum(smoothed(record.frames[:, 0]), 1e-9)
        came = smoothed(record.frames[:, 0]) > 0
        axes[2].plot(np.where(came, rates, np.nan), color=PALETTE[k], linewidth=1.1)
    for panel, label in zip(axes, ("invocations/s", "workers in use ($/h)", "finish rate (%)"), strict=True):
        panel.set_ylabel(label)
        panel.set_xlabel("time (s)")
        panel.set_ylim(bottom=0)
        grid(panel)
    for panel in axes[:2]:
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8.5)


def smoothed(values: Any) -> Floats:
    """Means over the seconds around each one, fewer at the ends."""
    window = np.ones(SMOOTHED_S)
    values = np.asarray(values, np.float64)
    return np.asarray(np.convolve(values, window, "same") / np.convolve(np.ones(values.size), window, "same"))


def save(records: Mapping[str, Record], modules: Sequence[str], path: Path) -> None:
    """Write a figure; the same records give the same bytes."""
    with figure_style():
        figure = Figure(figsize=(11, 4))
        over_time(figure.subplots(1, 3), records, modules)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
