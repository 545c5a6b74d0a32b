"""Common parts of all figures: a row of panels per goal, styles for any number of solvers, legends beside panels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.figures import MUTED, PALETTE, figure_style, legend_label
from euclio.report.analysis.references import with_references
from euclio.report.analysis.statistics import Values

WIDTH_IN = 9.6
PANEL_IN = 3.5

_MARKERS = "osD^v"
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)))
_LONGEST_LABEL = 34

Draw = Callable[[Sequence[Axes], pd.DataFrame], str]
"""Fills the panels of one goal with its runs; returns a reason if there is nothing to draw, else an empty text."""


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
        question: the question that the figure answers.
        draw: fills the panels of one goal.
        columns: panels side by side.
        panel_in: height of a row of panels in inches.
    """
    parts = goals(with_references(frame))
    heights = [panel_in(p.runs) if callable(panel_in) else panel_in for p in parts] or [PANEL_IN]
    with figure_style():
        made = Figure(figsize=(WIDTH_IN, sum(heights) + 0.35))
        made.suptitle(question, x=0.01, ha="left")
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
    axes[0].text(0.5, 0.5, text, ha="center", va="center", color=MUTED, transform=axes[0].transAxes)


def _name_row(axes: Sequence[Axes], name: str) -> None:
    own = axes[0].get_title(loc="left")
    axes[0].set_title(f"{name}, {own}" if own else name, loc="left")


def labels_of(runs: pd.DataFrame) -> list[str]:
    """The labels of the runs in alphabetical order."""
    return sorted(str(label) for label in runs.label.unique())


def styles(labels: Iterable[str]) -> dict[str, Style]:
    """The look of each label, by alphabetical order: the same in all figures of the same results."""
    rounds = product(zip(_DASHES, _MARKERS, strict=True), PALETTE)
    known = [Style(color, dashes, marker) for (dashes, marker), color in rounds]
    return {label: known[k % len(known)] for k, label in enumerate(sorted(labels))}


def short(label: str, longest: int = _LONGEST_LABEL) -> str:
    """A label that fits a legend; it may lack its middle."""
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
    """Put the legend beside the panel, where it covers nothing."""
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        size = None if len(handles) <= 14 else "x-small"
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=size, handlelength=2.6, labelspacing=0.35)


MOST_POINTS = 400
"""Points of a curve that are drawn."""


def cumulative(values: NDArray[np.floating], total: int) -> tuple[Values, Values]:
    """Points of an empirical distribution function, for steps that are drawn "post".

    Args:
        values: finite observations; the others count in `total` alone.
        total: number of observations.

    Returns:
        Places and shares in per cent; starts at 0 at the smallest value.
    """
    ordered = np.sort(values)
    shares = 100.0 * np.arange(1, ordered.size + 1) / total
    return np.r_[ordered[:1], ordered], np.r_[np.zeros(min(ordered.size, 1)), shares]


def thinned(size: int) -> Values:
    """Indices of at most `MOST_POINTS` of so many points in order, the first and the last among them."""
    return np.unique(np.linspace(0, max(size - 1, 0), min(size, MOST_POINTS)).round().astype(int))


def time_axis(axes: Axes, times: Values, which: str = "x") -> None:
    """A logarithmic axis for seconds with plain numbers."""
    known = times[np.isfinite(times) & (times > 0)]
    low, high = (known.min(), known.max()) if known.size else (0.1, 1.0)
    _log_axis(axes, which, low / 1.25, max(high * 1.25, low * 3))


def ratio_axis(axes: Axes, largest: float, *, least: float = 1.0) -> None:
    """A logarithmic horizontal axis of ratios, ticks at readable numbers."""
    _log_axis(axes, "x", least if least == 1.0 else least / 1.05, max(largest, least * 1.01) * 1.02)


def _log_axis(axes: Axes, which: str, low: float, high: float) -> None:
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    ticks = _log_ticks(low, high)
    axis.set_major_locator(FixedLocator([low, *ticks] if low == 1.0 < ticks[0] / 1.05 else ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axis.set_minor_formatter(NullFormatter())


def _log_ticks(low: float, high: float) -> list[float]:
    """At least four round numbers: powers of ten, with parts of them if they are few; evenly spaced within a decade."""
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    powers = [10.0**d for d in decades if low <= 10.0**d <= high]
    if len(powers) > 6:
        return powers[:: (len(powers) + 5) // 6]
    for factors in ((1,), (1, 3), (1, 2, 5)):
        found = [f * 10.0**d for d in decades for f in factors if low <= f * 10.0**d <= high]
        if len(found) >= 4 and high > 8 * low:
            return found
    for power in (np.floor(np.log10(high - low)), np.floor(np.log10(high - low)) - 1):
        for factor in (5, 2, 1):
            step = factor * 10.0**power
            found = [float(k * step) for k in range(int(np.ceil(low / step)), int(high / step) + 1)]
            if len(found) >= 4:
                return found
    return [low, high]


def percent_axis(axes: Axes, percents: Values) -> None:
    """An axis of gaps in per cent. It is linear; if gaps span decades, it is logarithmic except near 0."""
    positive = percents[np.isfinite(percents) & (percents > 1e-7)]
    largest = float(positive.max()) if positive.size else 1.0
    start = max(float(np.quantile(positive, 0.1, method="lower")), 1e-4) if positive.size else largest
    if largest / start > 30:
        threshold = 10.0 ** np.floor(np.log10(start))
        axes.set_xscale("symlog", linthresh=threshold, linscale=0.4)
        decades = np.arange(np.log10(threshold), np.log10(largest) + 1e-9)
        axes.xaxis.set_major_locator(FixedLocator([0.0, *(10.0**d for d in decades)]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
        axes.set_xlim(-0.25 * threshold, largest * 1.15)
    else:
        axes.set_xlim(-0.02 * largest, largest * 1.04)
