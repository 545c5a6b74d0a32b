"""Input rates, cost and finish rate over time (Scrooge, Figures 7 to 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.figures import PALETTE, figure_style, grid
from euclio.serving.dynamics.run import Record
from euclio.serving.units import Floats

SMOOTHED_S = 10
"""Seconds over which drawn finish rates are averaged."""
PERCENT = 100


@dataclass(frozen=True, slots=True)
class Line:
    """A run over time, one entry per second."""

    frames: Any  # frames that came
    in_time: Any  # those of them that were answered in time
    used_per_h: Any  # price of the workers in use


def over_time(axes: Sequence[Axes], lines: Mapping[str, Line], inputs: Mapping[str, Any]) -> None:
    """Fill three panels: input rates, cost and finish rate."""
    for k, (name, rates) in enumerate(inputs.items()):
        axes[0].plot(smoothed(rates), color=PALETTE[-1 - k], linewidth=1.1, label=name)
    for k, (name, line) in enumerate(lines.items()):
        axes[1].plot(np.asarray(line.used_per_h), color=PALETTE[k], linewidth=1.1, label=name)
        came = smoothed(line.frames)
        rates = PERCENT * smoothed(line.in_time) / np.maximum(came, 1e-9)
        axes[2].plot(np.where(came > 0, rates, np.nan), color=PALETTE[k], linewidth=1.1)
    for panel, label in zip(axes, ("invocations/s", "workers in use ($/h)", "finish rate (%)"), strict=True):
        panel.set(ylabel=label, xlabel="time (s)", ylim=(0, None))
        grid(panel)
    for panel in axes[:2]:
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8.5)


def smoothed(values: Any) -> Floats:
    """Means over the seconds around each one, fewer at the ends."""
    window = np.ones(SMOOTHED_S)
    values = np.asarray(values, np.float64)
    return np.asarray(np.convolve(values, window, "same") / np.convolve(np.ones(values.size), window, "same"))


def save(records: Mapping[str, Record], path: Path) -> None:
    """Write a figure of runs on one world; the same records give the same bytes."""
    first = next(iter(records.values()))
    inputs = dict(zip(first.modules[1:], first.invocations.T[1:], strict=True))
    lines = {
        name: Line(record.frames[:, 0], record.frames[:, 1], record.used_per_h) for name, record in records.items()
    }
    with figure_style():
        figure = Figure(figsize=(11, 4))
        over_time(figure.subplots(1, 3), lines, inputs)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
