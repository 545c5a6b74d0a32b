"""The figure of re-planning: GPU share over time, and what nearness to the last plan costs against what it moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from euclio.fragments.replanning.study import FIXED, HINDSIGHT, KEPT, MEAN, SCRATCH, SOLVERS, WITHIN, Row

GRAFT, OPTIMUM = SOLVERS.values()
LINES = (
    (GRAFT, SCRATCH, 0.0, "#d9822b", "-", "Graft, new every second"),
    (OPTIMUM, SCRATCH, 0.0, "#2f6fb5", "-", "optimum, new every second"),
    (OPTIMUM, KEPT, 0.0, "#8a8f98", "-", "optimum of second 0, kept"),
    (OPTIMUM, WITHIN, 0.2, "#3c9a5f", "-", "optimum, kept unless 20 % worse"),
    (OPTIMUM, MEAN, 0.0, "#2f6fb5", ":", "optimum, cuts at the mean"),
    (OPTIMUM, FIXED, 0.0, "#222222", ":", "optimum, roomiest cuts"),
)
"""What is drawn over time: planner, policy, setting, colour, style, label."""
CURVES = (
    (GRAFT, WITHIN, "#d9822b", "-o", "Graft, kept unless worse by"),
    (GRAFT, HINDSIGHT, "#d9822b", "--s", "Graft, in hindsight"),
    (OPTIMUM, WITHIN, "#2f6fb5", "-o", "optimum, kept unless worse by"),
    (OPTIMUM, HINDSIGHT, "#2f6fb5", "--s", "optimum, in hindsight"),
)
PERCENT = 100


def drawing(rows: Sequence[Row]) -> Figure:
    """The figure: a row per timeline, share over time at the left, cost against moves at the right."""
    lines = [(name, list(own)) for name, own in groupby(rows, key=lambda row: row.line)]
    figure = Figure(figsize=(12, 2.9 * len(lines) + 0.6), layout="constrained")
    axes = figure.subplots(len(lines), 2, squeeze=False, width_ratios=(3, 2))
    for k, (name, own) in enumerate(lines):
        _over_time(axes[k][0], name, own)
        _costs(axes[k][1], name, own)
    for column in (0, 1):
        handles, labels = axes[0][column].get_legend_handles_labels()
        place: Any = "outside upper left" if column == 0 else "outside upper right"
        figure.legend(handles, labels, loc=place, ncols=3 - column, fontsize=8, frameon=False)
    return figure


def save(rows: Sequence[Row], path: Path) -> None:
    """Write the figure; the same rows give the same bytes."""
    with mpl.rc_context({"svg.hashsalt": "replanning", "svg.fonttype": "path"}):
        drawing(rows).savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _over_time(axes: Any, name: str, rows: Sequence[Row]) -> None:
    for planner, policy, setting, colour, style, label in LINES:
        row = next(r for r in rows if (r.planner, r.policy, r.setting) == (planner, policy, setting))
        axes.step(range(len(row.shares_pct)), row.shares_pct, style, where="post", color=colour, label=label)
    axes.set(title=name, ylabel="GPU share (%)", xlabel="second")
    axes.set_ylim(bottom=0)
    axes.title.set_fontsize(10)


def _costs(axes: Any, name: str, rows: Sequence[Row]) -> None:
    for planner, policy, colour, style, label in CURVES:
        own = [row for row in rows if (row.planner, row.policy) == (planner, policy)]
        moved, above = [row.started for row in own], [PERCENT * row.above for row in own]
        axes.plot(moved, above, style, color=colour, markersize=4, linewidth=1, label=label)
    for planner, colour in ((GRAFT, "#d9822b"), (OPTIMUM, "#2f6fb5")):
        row = next(r for r in rows if (r.planner, r.policy) == (planner, SCRATCH))
        label = f"{planner}, new every second"
        axes.plot([row.started], [PERCENT * row.above], "*", color=colour, markersize=11, label=label)
    axes.set(title=name, xlabel="instances started per second", ylabel="GPU share above the optimum (%)")
    axes.set_xlim(left=0)
    axes.title.set_fontsize(10)
