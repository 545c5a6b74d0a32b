"""Parts of the figures of studies: bars against published marks, distributions, legends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import INK, MEASURED, MUTED, PALETTE, PUBLISHED, grid, legend_beside, log_axes
from euclio.report.analysis.panels import WIDTH_IN, cumulative
from euclio.report.analysis.statistics import Measured


def bars(
    axes: Axes,
    measured: Mapping[str, Measured],
    published: Mapping[str, float | tuple[float, float]],
    unit: str,
    *,
    digits: int = 1,
) -> None:
    """Horizontal bars with 95 % intervals and values; a published value is a line, a published range a band."""
    names = list(measured)
    values = [m.value for m in measured.values() if math.isfinite(m.value)]
    marks = (mark[1] if isinstance(mark, tuple) else mark for mark in published.values())
    top = max([*values, *marks, 1e-9])
    least = min([*values, 0.0])
    for y, name in enumerate(names):
        m = measured[name]
        known = math.isfinite(m.value)
        if known:
            axes.barh(y, m.value, height=0.62, color=MEASURED, alpha=0.85)
        if m.low is not None and m.high is not None:
            axes.plot([m.low, m.high], [y, y], color=INK, linewidth=1.4)
        mark = published.get(name)
        text = f"{m.value:.{digits}f}" if known else "no workload"
        edge = max(m.value if known else 0.0, m.high or 0.0, 0.0)
        if mark is not None:
            low, high = mark if isinstance(mark, tuple) else (mark, mark)
            axes.fill_betweenx([y - 0.42, y + 0.42], low, high, color=PUBLISHED, alpha=0.9, linewidth=2.0)
            text += f"  (paper {low:g})" if low == high else f"  (paper {low:g} to {high:g})"
            edge = max(edge, high)
        axes.text(edge + 0.015 * (top - least), y, text, va="center", fontsize="small")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(min(0.0, least * 1.1), top * (1.0 + 2.4 / _panel_inches(axes)))
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.set_xlabel(unit)
    axes.tick_params(axis="y", length=0)


def distribution(axes: Axes, series: Mapping[str, pd.Series[float]], unit: str, *, log: bool = False) -> None:
    """Cumulative distributions over the workloads."""
    for k, (name, values) in enumerate(series.items()):
        kept = values[np.isfinite(values)].to_numpy(dtype=np.float64)
        if log:
            kept = kept[kept > 0]
        if kept.size == 0:
            continue
        color = PALETTE[k % len(PALETTE)]
        axes.step(*cumulative(kept, kept.size), where="post", label=name, color=color, linewidth=1.8)
    if log:
        log_axes(axes, "x")
    axes.set(ylim=(0, 102), xlabel=unit, ylabel="workloads (%)")
    grid(axes)
    _legend(axes)


def side_by_side(axes: Axes, names: Sequence[str], series: Mapping[str, np.ndarray]) -> None:
    """Bars side by side for each name, one per series."""
    width = 0.8 / len(series)
    places = np.arange(len(names))
    for k, (label, values) in enumerate(series.items()):
        offset = (k - (len(series) - 1) / 2) * width
        axes.bar(places + offset, values, width * 0.92, color=PALETTE[k], label=label)
    axes.set_xticks(places, names)
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=INK, linewidth=0.8)


def one_scale(axes: Sequence[Axes], text: str) -> None:
    """The unit once, at the left; all panels share one scale."""
    axes[0].set_ylabel(text)
    top = max(panel.get_ylim()[1] for panel in axes)
    low = min(panel.get_ylim()[0] for panel in axes)
    for k, panel in enumerate(axes):
        panel.set_ylim(low, top)
        if k:
            panel.set_yticklabels([])


def legend_below(axes: Sequence[Axes]) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes[0].get_legend_handles_labels()
    figure = axes[0].get_figure()
    if figure is not None:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))


def published_line(axes: Axes, value: float, text: str, series: int | None = None) -> None:
    """A dashed line at a published value, in the colour of its series, named in the legend."""
    color = MUTED if series is None else PALETTE[series]
    axes.axvline(value, color=color, linewidth=1.2, linestyle="--", label=text)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Outside the panel, where it covers nothing: next to it, or below where panels stand side by side."""
    if not axes.get_legend_handles_labels()[0]:
        return  # no series has values: a legend of nothing would be a warning to the user
    figure = axes.get_figure()
    if figure is not None and len(figure.axes) > 1:
        axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.17), ncols=2)
    else:
        legend_beside(axes)


def _panel_inches(axes: Axes) -> float:
    """Rough width of a panel, to leave room for the text at the end of the longest bar."""
    figure = axes.get_figure()
    columns = len(figure.axes) if figure is not None else 1
    return WIDTH_IN / max(columns, 1) - 1.2
