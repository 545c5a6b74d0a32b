"""The figure of a comparison: what each system costs, split into optimum, design and heuristic."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from euclio.comparison.comparing import Comparison, Row
from euclio.core.figures import DESIGN, HEURISTIC, OPTIMUM, OPTIMUM_ALPHA, UNKNOWN, UNSPLIT, figure_style
from euclio.core.objective import Goal
from euclio.core.tolerances import OPTIMALITY_TOLERANCE

LEAST_PART = 1e-9
"""Share of the optimum below which a part of a bar is not drawn."""


def draw(comparison: Comparison) -> Figure:
    """The figure; the value, such as money per hour, on the horizontal axis.

    Of a cost, design and heuristic are what it is above the optimum; of a throughput, what is missing to it.
    """
    rows = comparison.rows
    with figure_style():
        figure = Figure(figsize=(7.2, 1.5 + 0.24 * max(len(rows), 2)))
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _bars(figure, axes, comparison)
    return figure


def _bars(figure: Figure, axes: Axes, comparison: Comparison) -> None:
    """A bar per system, and the legend of the parts that are there."""
    rows, goal = comparison.rows, comparison.goal
    names = _names(goal)
    drawn: set[str] = set()
    widths = [sum(width for _, width in _parts(row)) for row in rows]
    largest = max(widths, default=0.0) or 1.0
    for y, row in enumerate(rows):
        left = 0.0
        for colour, width in _parts(row):
            axes.barh(y, width, left=left, color=colour, alpha=_alpha(colour), height=0.7)
            drawn.add(colour)
            left += width
        axes.text(left + 0.01 * largest, y, _note(row), va="center", fontsize=7.5)
    axes.set_yticks(range(len(rows)), [row.solver.label for row in rows], fontsize=8)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlim(0, 1.16 * largest)
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel(f"{goal.name} ({goal.unit})", fontsize=9)
    axes.set_title(f"{comparison.instance.name}: {goal.name} of each system, split by cause", fontsize=9, loc="left")
    legend = [
        Patch(color=colour, alpha=_alpha(colour), label=name) for colour, name in names.items() if colour in drawn
    ]
    if legend:
        figure.legend(handles=legend, loc="outside lower center", ncols=len(legend), fontsize=8)


def _names(goal: Goal) -> dict[str, str]:
    """Names of the parts in the legend, by colour."""
    lost = "lost by " if goal.maximised else ""
    return {
        OPTIMUM: f"{goal.name} reached" if goal.maximised else "optimum of the full plan space",
        DESIGN: f"{lost}design",
        HEURISTIC: f"{lost}heuristic",
        UNSPLIT: "gap, not split",
        UNKNOWN: f"{goal.name}, optimum not proven",
    }


def _alpha(colour: str) -> float:
    return OPTIMUM_ALPHA if colour == OPTIMUM else 1.0


def _parts(row: Row) -> list[tuple[str, float]]:
    """Colours and widths of a bar from left to right: what both value and optimum have, then what lies between."""
    if row.result.value is None:
        return []
    value = float(row.result.value)
    if row.optimum is None:
        return [(UNKNOWN, value)]
    optimum = float(row.optimum)
    lesser, between = min(value, optimum), abs(value - optimum)
    if row.gap is None or row.gap < -OPTIMALITY_TOLERANCE:
        return [(OPTIMUM, value)]
    if row.design_share is None:
        return [(OPTIMUM, lesser), *([(UNSPLIT, between)] if row.gap > OPTIMALITY_TOLERANCE else [])]
    design = row.design_share * between
    causes = [(DESIGN, design), (HEURISTIC, between - design)]
    parts = [(OPTIMUM, lesser), *(causes[::-1] if row.goal.maximised else causes)]
    return [part for part in parts if part[1] > LEAST_PART * optimum]


def _note(row: Row) -> str:
    if row.result.value is None:
        return f"no plan: {row.result.status.value}"
    if row.gap is None:
        return ""
    if abs(row.gap) <= OPTIMALITY_TOLERANCE:
        return "optimal"
    sign = "+" if (row.gap > 0) is not row.goal.maximised else "-"
    size = 100 * abs(row.gap)
    return f"{sign}{size:.2g} %" if size < 10 else f"{sign}{size:.0f} %"
