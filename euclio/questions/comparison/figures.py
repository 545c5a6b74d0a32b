"""A comparison and a gap decomposition as figures: bars that are split into optimum, design and heuristic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from euclio.core.families import shown_goal
from euclio.core.figures import (
    DESIGN,
    HEURISTIC,
    INK,
    MUTED,
    OPTIMUM,
    OPTIMUM_ALPHA,
    UNKNOWN,
    UNSPLIT,
    grid,
    legend_under,
    new_figure,
)
from euclio.core.objective import Goal
from euclio.core.words import percent
from euclio.questions.comparison.comparison import BarPart, Comparison, bar_note, bar_parts, part_names
from euclio.questions.comparison.decomposing import aggregate, goal_of

WIDTH_IN = 9.6
ROW_IN = 0.27
CUT = 0.12
"""Share of the longest extra cost that the optimum's part of the bars takes; the axis of the bars starts above 0."""
CAPTION = (
    "Left: cost over the proven optimum of the full plan space, mean over the instances. On every instance, cost = "
    "optimum × design × heuristic, where design = cost of the best plan of the system's own plan space over the "
    "optimum and heuristic = cost over that best plan. Factors do not add up, so the bars stack extra costs in units "
    "of the optimum, design - 1 and (cost - own optimum) / optimum, whose means add up exactly to the mean gap. "
    "Right: the two factors over the instances, median and middle half. The groups have axes of their own."
)


def draw_decomposition(table: pd.DataFrame, title: str = "") -> Figure:
    """The figure of a decomposition.

    Args:
        table: rows of `decompose`.
        title: set above the panels; empty means none.

    Returns:
        Two panels: systems that have variants (`name:variant`) with them in the second, the other systems in the
        first; a panel without systems is left out. The best system is on top.
    """
    goal, found = goal_of(table), aggregate(table)
    found = found[found.split > 0].sort_values("total_mean", ascending=not goal.maximised, kind="stable")
    groups = _groups([str(name) for name in found.index])
    heights = [max(len(group), 1) + 1.6 for group in groups] or [1.0]
    with new_figure(WIDTH_IN, 0.9 + ROW_IN * sum(heights)) as figure:
        panels = figure.subplots(len(heights), 2, squeeze=False, height_ratios=heights, width_ratios=(1.7, 1))
        for (bars, spread), group in zip(panels, groups, strict=False):
            _decomposition_bars(bars, found.loc[group], goal)
            _spread(spread, found.loc[group], goal)
        if groups:
            panels[0][0].set_title(f"mean {goal.loss if goal.maximised else goal.name}, split by cause")
            panels[0][1].set_title("spread over the instances")
            panels[-1][0].set_xlabel(_axis(goal))
            panels[-1][1].set_xlabel(f"{goal.loss} by each factor (%)")
        else:
            panels[0][0].set_title("no gap is known: no plan, or no proven optimum")
        figure.legend(handles=_legend(), loc="outside lower center", ncols=4)
        if title:
            figure.suptitle(title, x=0.01, ha="left")
    return figure


def draw_decomposition_on(axes: Axes, table: pd.DataFrame) -> None:
    """The bars alone, of all systems together."""
    goal, found = goal_of(table), aggregate(table)
    found = found[found.split > 0].sort_values("total_mean", ascending=not goal.maximised, kind="stable")
    axes.set_title(f"mean {goal.loss if goal.maximised else goal.name}, split by cause")
    if found.empty:
        said = "no gap is known: no plan, or no proven optimum"
        axes.text(0.5, 0.5, said, ha="center", va="center", wrap=True, transform=axes.transAxes)
        return
    _decomposition_bars(axes, found, goal)
    axes.set_xlabel(_axis(goal))
    legend_under(axes, handles=_legend()[:-1])


def _groups(names: Sequence[str]) -> list[list[str]]:
    """Systems without variants, then those with; without the empty ones."""
    family = Counter(name.partition(":")[0] for name in names)
    alone = [name for name in names if family[name.partition(":")[0]] == 1]
    return [group for group in (alone, [name for name in names if name not in alone]) if group]


def _decomposition_bars(axes: Axes, rows: pd.DataFrame, goal: Goal) -> None:
    longest = max(float((rows.design_extra + rows.heuristic_extra).max()), 1e-3)
    start = max(0.0, 1 - CUT * longest)
    for y, (design, heuristic) in enumerate(zip(rows.design_extra, rows.heuristic_extra, strict=True)):
        axes.barh(y, 1 - start, left=start, height=0.66, color=OPTIMUM, alpha=OPTIMUM_ALPHA, linewidth=0)
        left = 1.0
        for width, color in ((design, DESIGN), (heuristic, HEURISTIC)):
            axes.barh(y, width, left=left, height=0.66, color=color, linewidth=0)
            left += width
        axes.text(left + 0.012 * longest, y, _note(design, heuristic, goal), va="center", fontsize="small")
    axes.axvline(1, color=INK, linewidth=0.9)
    axes.set_xlim(start, 1 + 1.5 * longest)
    axes.spines["left"].set_visible(False)
    _rows(axes, [_label(str(name), rows.loc[name]) for name in rows.index])


def _label(name: str, row: pd.Series[float]) -> str:
    """The system, with the number of instances on which it is split unless these are all."""
    return name if row["split"] == row["instances"] else f"{name} ({row['split']:.0f} of {row['instances']:.0f})"


def _note(design: float, heuristic: float, goal: Goal) -> str:
    """The gap and its parts in per cent."""
    if design + heuristic < 5e-5:
        return "optimal"
    sign = "-" if goal.maximised else "+"
    return f"{sign}{_percent(design + heuristic)} % = {_percent(design)} + {_percent(heuristic)}"


def _percent(share: float) -> str:
    return percent(share, 1 if abs(share) < 0.0995 else 0, sign="")


def _axis(goal: Goal) -> str:
    if goal.maximised:
        return f"optimum = 1, plus the {goal.loss} (axis cut below 1)"
    return f"{goal.name} over the optimum (axis cut below 1)"


def _spread(axes: Axes, rows: pd.DataFrame, goal: Goal) -> None:
    """Median and middle half of the losses of design (above) and heuristic (below), in per cent."""
    for factor, offset, color in (("design", -0.17, DESIGN), ("heuristic", 0.17, HEURISTIC)):
        low, median, high = (100 * rows[f"{factor}_{part}"].map(goal.loss_of) for part in ("low", "median", "high"))
        at = [y + offset for y in range(len(rows))]
        axes.hlines(at, low, high, color=color, linewidth=2.2)
        axes.plot(median, at, "o", color=color, markersize=4.2, clip_on=False)
    axes.axvline(0, color=INK, linewidth=0.9)
    axes.set_xlim(left=0)
    grid(axes, "x")
    axes.spines["left"].set_visible(False)
    _rows(axes, [""] * len(rows))


def _rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _legend() -> list[Patch | Line2D]:
    return [
        Patch(color=OPTIMUM, alpha=OPTIMUM_ALPHA, label="optimum = 1"),
        Patch(color=DESIGN, label="design gives up"),
        Patch(color=HEURISTIC, label="heuristic loses"),
        Line2D([], [], color=MUTED, marker="o", markersize=4.2, linewidth=2.2, label="median, middle half"),
    ]


COLOURS = {
    BarPart.OPTIMUM: OPTIMUM,
    BarPart.DESIGN: DESIGN,
    BarPart.HEURISTIC: HEURISTIC,
    BarPart.UNSPLIT: UNSPLIT,
    BarPart.UNKNOWN: UNKNOWN,
}


def draw_comparison(comparison: Comparison) -> Figure:
    """The figure; the value, such as money per hour, on the horizontal axis.

    For a cost, design and heuristic are its excess over the optimum; for a throughput, what is missing to it.
    """
    rows = comparison.rows
    with new_figure(7.2, 1.5 + 0.24 * max(len(rows), 2)) as figure:
        legend = _comparison_bars(figure.add_subplot(), comparison)
        if legend:
            figure.legend(handles=legend, loc="outside lower center", ncols=len(legend))
    return figure


def draw_comparison_on(axes: Axes, comparison: Comparison) -> None:
    """The same on axes of a figure, with the legend below the bars."""
    legend = _comparison_bars(axes, comparison)
    if legend:
        legend_under(axes, handles=legend)


def _comparison_bars(axes: Axes, comparison: Comparison) -> list[Patch]:
    """A bar per system; gives the parts that occur, which the legend names."""
    rows, goal = comparison.rows, comparison.goal
    drawn: set[BarPart] = set()
    widths = [sum(width for _, width in bar_parts(row)) for row in rows]
    largest = max(widths, default=0.0) or 1.0
    for y, row in enumerate(rows):
        left = 0.0
        for part, width in bar_parts(row):
            axes.barh(y, width, left=left, color=COLOURS[part], alpha=_alpha(part), height=0.7)
            drawn.add(part)
            left += width
        axes.text(left + 0.01 * largest, y, bar_note(row), va="center", fontsize="small")
    axes.set_yticks(range(len(rows)), [row.solver.label for row in rows])
    axes.set(ylim=(max(len(rows), 1) - 0.4, -0.6), xlim=(0, 1.16 * largest))
    axes.set_xlabel(f"{goal.name} ({shown_goal(goal, comparison.instance).unit})")
    axes.set_title(f"{comparison.instance.name}: {goal.name} of each system, split by cause", loc="left")
    names = part_names(goal)
    return [Patch(color=COLOURS[part], alpha=_alpha(part), label=names[part]) for part in names if part in drawn]


def _alpha(part: BarPart) -> float:
    return OPTIMUM_ALPHA if part is BarPart.OPTIMUM else 1.0
