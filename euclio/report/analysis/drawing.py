"""What all figures share: a row of panels per goal, styles for any number of solvers, legends next to the panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.figures import MUTED, PALETTE, figure_style, legend_label
from euclio.report.analysis.references import with_references

WIDTH_IN = 9.6
PANEL_IN = 3.5

_MARKERS = "osD^v"
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)))
_LONGEST_LABEL = 34

Draw = Callable[[Sequence[Axes], pd.DataFrame], str]
"""Fills the panels of one goal with its runs; returns what to say where there is nothing to draw, or nothing."""


class Style(NamedTuple):
    """Colour, dashes and marker of a solver."""

    color: str
    dashes: Any
    marker: str


class GoalRuns(NamedTuple):
    """The runs of one family with one objective."""

    family: str
    objective: str
    runs: pd.DataFrame


def goals(frame: pd.DataFrame) -> list[GoalRuns]:
    """The results by family and objective, in alphabetical order."""
    grouped = frame.groupby(["family", "objective"], observed=True)
    return [GoalRuns(str(family), str(objective), runs) for (family, objective), runs in grouped]


def unit_of(family: str, objective: str) -> str:
    """An objective with its unit, such as "cost (per hour)"."""
    try:
        goal = next(goal for goal in find_family(family).goals if goal.name == objective)
    except (InputError, StopIteration):
        return objective
    return f"{objective} ({goal.unit})"


def figure(
    frame: pd.DataFrame,
    question: str,
    draw: Draw,
    *,
    columns: int = 1,
    panel_in: float | Callable[[pd.DataFrame], float] = PANEL_IN,
) -> Figure:
    """A figure with its question as title and a row of panels per family and objective.

    Args:
        frame: results.
        question: what the figure answers.
        draw: fills the panels of one goal.
        columns: panels side by side.
        panel_in: height of a row of panels in inches.
    """
    parts = goals(with_references(frame))
    heights = [panel_in(p.runs) if callable(panel_in) else panel_in for p in parts] or [PANEL_IN]
    with figure_style():
        made = Figure(figsize=(WIDTH_IN, sum(heights) + 0.35))
        made.suptitle(question, x=0.01, ha="left", fontsize=12, fontweight="bold")
        rows = made.subplots(len(heights), columns, squeeze=False, height_ratios=heights)
        if not parts:
            _say(rows[0], "there are no runs")
        for axes, part in zip(rows, parts, strict=False):
            missing = draw(list(axes), part.runs)
            if missing:
                _say(axes, missing)
            if len(parts) > 1:
                _name_row(axes, f"{part.family}: {part.objective}")
    return made


def _say(axes: Sequence[Axes], text: str) -> None:
    """Text in the first panel instead of a drawing."""
    for panel in axes:
        panel.clear()
        panel.set_axis_off()
    axes[0].text(0.5, 0.5, text, ha="center", va="center", fontsize=11, color=MUTED, transform=axes[0].transAxes)


def _name_row(axes: Sequence[Axes], name: str) -> None:
    own = axes[0].get_title(loc="left")
    axes[0].set_title(f"{name}, {own}" if own else name, loc="left", fontsize=10)


def labels_of(runs: pd.DataFrame) -> list[str]:
    """The labels of the runs in alphabetical order."""
    return sorted(str(label) for label in runs.label.unique())


def styles(labels: Iterable[str]) -> dict[str, Style]:
    """The look of each label, by alphabetical order: the same in all figures of the same results."""
    rounds = product(zip(_DASHES, _MARKERS, strict=True), PALETTE)
    known = [Style(color, dashes, marker) for (dashes, marker), color in rounds]
    return {label: known[k % len(known)] for k, label in enumerate(sorted(labels))}


def short(label: str, longest: int = _LONGEST_LABEL) -> str:
    """A label that fits a legend; what is left out is in the middle."""
    label = legend_label(label)
    if len(label) <= longest:
        return label
    end = (longest - 1) // 2
    return f"{label[: longest - 1 - end]}…{label[-end:]}"


def height_for(runs: pd.DataFrame, *, entries_per_label: int = 1) -> float:
    """Height in inches of a panel whose legend names all labels."""
    return max(PANEL_IN, 0.5 + 0.185 * entries_per_label * runs.label.nunique())


def note(axes: Axes, text: str, labels: Sequence[str]) -> None:
    """A line of the legend about labels that have no curve; none where there are no such labels."""
    if labels:
        names = ", ".join(short(label, 16) for label in labels) if len(labels) < 3 else f"{len(labels)} solvers"
        axes.plot([], [], " ", label=f"{text}: {names}")


def legend(axes: Axes) -> None:
    """The legend next to the panel, where it covers nothing."""
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        size = 8.5 if len(handles) <= 14 else 7.5
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=size, handlelength=2.6, labelspacing=0.35)
