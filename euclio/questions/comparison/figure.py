"""The figure of a comparison: what each system costs, split into optimum, design and heuristic."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from euclio.core.families import shown_goal
from euclio.core.figures import DESIGN, HEURISTIC, OPTIMUM, OPTIMUM_ALPHA, UNKNOWN, UNSPLIT, figure_style, legend_under
from euclio.questions.comparison.bar_parts import Part, bar_note, bar_parts, part_names
from euclio.questions.comparison.comparing import Comparison

COLOURS = {
    Part.OPTIMUM: OPTIMUM,
    Part.DESIGN: DESIGN,
    Part.HEURISTIC: HEURISTIC,
    Part.UNSPLIT: UNSPLIT,
    Part.UNKNOWN: UNKNOWN,
}


def draw(comparison: Comparison) -> Figure:
    """The figure; the value, such as money per hour, on the horizontal axis.

    Of a cost, design and heuristic are what it is above the optimum; of a throughput, what is missing to it.
    """
    rows = comparison.rows
    with figure_style():
        figure = Figure(figsize=(7.2, 1.5 + 0.24 * max(len(rows), 2)))
        FigureCanvasAgg(figure)
        legend = _bars(figure.add_subplot(), comparison)
        if legend:
            figure.legend(handles=legend, loc="outside lower center", ncols=len(legend), fontsize=8)
    return figure


def draw_on(axes: Axes, comparison: Comparison) -> None:
    """The same on axes of a figure, with the legend below the bars."""
    legend = _bars(axes, comparison)
    if legend:
        legend_under(axes, handles=legend, fontsize=8)


def _bars(axes: Axes, comparison: Comparison) -> list[Patch]:
    """A bar per system; gives what the legend names, the parts that are there."""
    rows, goal = comparison.rows, comparison.goal
    drawn: set[Part] = set()
    widths = [sum(width for _, width in bar_parts(row)) for row in rows]
    largest = max(widths, default=0.0) or 1.0
    for y, row in enumerate(rows):
        left = 0.0
        for part, width in bar_parts(row):
            axes.barh(y, width, left=left, color=COLOURS[part], alpha=_alpha(part), height=0.7)
            drawn.add(part)
            left += width
        axes.text(left + 0.01 * largest, y, bar_note(row), va="center", fontsize=7.5)
    axes.set_yticks(range(len(rows)), [row.solver.label for row in rows], fontsize=8)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlim(0, 1.16 * largest)
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel(f"{goal.name} ({shown_goal(goal, comparison.instance).unit})", fontsize=9)
    axes.set_title(f"{comparison.instance.name}: {goal.name} of each system, split by cause", fontsize=9, loc="left")
    names = part_names(goal)
    return [Patch(color=COLOURS[part], alpha=_alpha(part), label=names[part]) for part in names if part in drawn]


def _alpha(part: Part) -> float:
    return OPTIMUM_ALPHA if part is Part.OPTIMUM else 1.0
