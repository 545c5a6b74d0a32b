"""The figure of re-planning: GPU share over time, and what policies take with starts, by the time of a start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from euclio.serving.replanning.study import KEPT, MEAN, SCRATCH, TRIGGERED, WITHIN, Row
from euclio.serving.replanning.tables import GRAFT, OPTIMUM, PERCENT, Key, chosen, unit_of

ORANGE, BLUE, GREEN, GREY = "#d9822b", "#2f6fb5", "#3c9a5f", "#8a8f98"
LINES: tuple[tuple[Key, str, str, str], ...] = (
    ((GRAFT, SCRATCH, 0.0), ORANGE, "-", "Graft, new every step"),
    ((OPTIMUM, KEPT, 0.0), GREY, "-", "optimum of the first step, kept"),
    ((OPTIMUM, MEAN, 0.0), BLUE, ":", "optimum, cuts at the mean"),
    ((OPTIMUM, WITHIN, 0.2), GREEN, "-", "optimum, kept unless 20 % worse"),
    ((OPTIMUM, SCRATCH, 0.0), BLUE, "-", "optimum, new every step"),
)
"""What is drawn over time: policy, colour, style, label."""
TOTALS: tuple[tuple[Key, str, str, str], ...] = (
    ((GRAFT, TRIGGERED, 0.0), ORANGE, "-", "Graft, new when a cut changes"),
    ((GRAFT, WITHIN, 0.2), ORANGE, "--", "Graft, kept unless 20 % worse"),
    ((OPTIMUM, SCRATCH, 0.0), BLUE, "-", "optimum, new every step"),
    ((OPTIMUM, WITHIN, 0.2), GREEN, "-", "optimum, kept unless 20 % worse"),
    ((OPTIMUM, WITHIN, 0.5), GREEN, "--", "optimum, kept unless 50 % worse"),
)
"""What is drawn by the time that a start takes."""
START_S = np.geomspace(0.02, 60, 60)
"""Seconds that a started instance takes its share before it is of use."""
MOST = 160
"""Top of the scale of totals, in percent above the optimum."""


def drawing(rows: Sequence[Row]) -> Figure:
    """The figure: share over time of the timelines with the longest steps above, totals by length of a step below."""
    steps = sorted({row.step_s for row in rows})
    shown = [row for row in rows if row.step_s == steps[-1]]
    source = "seeded" if any(", seeded" in row.line for row in shown) else ""
    names = list(dict.fromkeys(row.line for row in shown if source in row.line))
    figure = Figure(figsize=(9, 7), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1, 1.25))
    above, below = halves
    tops = above.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(tops, names, strict=True):
        _over_time(axes, name, [row for row in shown if row.line == name])
    tops[0].set_ylabel("GPU share (%)")
    above.legend(*tops[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, frameon=False)
    panels = below.subplots(1, len(steps), squeeze=False, sharey=True)[0]
    for axes, step_s in zip(panels, steps, strict=True):
        _totals(axes, rows, step_s)
    panels[0].set_ylabel("GPU share with starts,\nabove the optimum's without (%)")
    below.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, frameon=False)
    return figure


def save(rows: Sequence[Row], path: Path) -> None:
    """Write the figure; the same rows give the same bytes."""
    style: Any = {
        "svg.hashsalt": "replanning",
        "svg.fonttype": "path",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        drawing(rows).savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _over_time(axes: Any, name: str, rows: Sequence[Row]) -> None:
    for key, colour, style, label in LINES:
        for row in rows:
            if (row.planner, row.policy, row.setting) == key:
                axes.step(range(len(row.shares_pct)), row.shares_pct, style, where="post", color=colour, label=label)
    axes.set(title=name, xlabel=unit_of(rows[0].step_s))
    axes.set_ylim(bottom=0)
    axes.title.set_fontsize(10)


def _totals(axes: Any, rows: Sequence[Row], step_s: int) -> None:
    """Means over all timelines of what a policy takes, as shares of new optimal plans that start for nothing."""
    best = {row.line: row.share_pct for row in chosen(rows, step_s, (OPTIMUM, SCRATCH, 0.0))}
    for key, colour, style, label in TOTALS:
        own = chosen(rows, step_s, key)
        if own:
            totals = [(row.share_pct + START_S / step_s * row.shadow_pct) / best[row.line] - 1 for row in own]
            axes.plot(START_S, PERCENT * np.mean(totals, axis=0), style, color=colour, label=label)
    axes.set(title=f"bandwidth anew every {unit_of(step_s)}", xlabel="time that a start takes (s)", xscale="log")
    axes.set_xticks([0.1, 1, 10, 60], labels=["0.1", "1", "10", "60"])
    axes.minorticks_off()
    axes.set_ylim(0, MOST)
    axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    axes.title.set_fontsize(10)
