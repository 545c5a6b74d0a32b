"""The figure of a comparison: what each system costs, split into optimum, design and heuristic."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from euclio.comparing import Comparison, Row

PARTS = (("optimum of the full plan space", "#b8bfc6"), ("design", "#0072b2"), ("heuristic", "#e69f00"))
"""Legend and colour of the parts, colours that colour-blind readers tell apart."""

UNSPLIT = ("gap, not split", "#cc79a7")
UNKNOWN = ("cost, optimum not proven", "#dddddd")


def draw(comparison: Comparison) -> Figure:
    """The figure; money per hour on the horizontal axis."""
    rows = comparison.rows
    figure = Figure(figsize=(7.2, 1.5 + 0.24 * max(len(rows), 2)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    drawn: set[tuple[str, str]] = set()
    largest = max((row.result.cost or 0.0 for row in rows), default=0.0) or 1.0
    for y, row in enumerate(rows):
        left = 0.0
        for part, width in _parts(row):
            axes.barh(y, width, left=left, color=part[1], height=0.7)
            drawn.add(part)
            left += width
        axes.text(left + 0.01 * largest, y, _note(row), va="center", fontsize=7.5)
    axes.set_yticks(range(len(rows)), [row.solver.name for row in rows], fontsize=8)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlim(0, 1.16 * largest)
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("cost (money per hour)", fontsize=9)
    axes.set_title(f"{comparison.session.name}: cost of each system, split by cause", fontsize=9, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    legend = [Patch(color=part[1], label=part[0]) for part in (*PARTS, UNSPLIT, UNKNOWN) if part in drawn]
    if legend:
        figure.legend(handles=legend, loc="outside lower center", ncols=len(legend), fontsize=8, frameon=False)
    return figure


def _parts(row: Row) -> list[tuple[tuple[str, str], float]]:
    cost = row.result.cost
    if cost is None:
        return []
    if row.optimum_per_h is None:
        return [(UNKNOWN, cost)]
    optimum = float(row.optimum_per_h)
    if row.design_share is None:
        return [(PARTS[0], min(cost, optimum)), *([(UNSPLIT, cost - optimum)] if (row.gap or 0) > 1e-6 else [])]
    design = row.design_share * (cost - optimum)
    parts = list(zip(PARTS, (optimum, design, cost - optimum - design), strict=True))
    return [part for part in parts if part[1] > 1e-9 * cost]


def _note(row: Row) -> str:
    if row.result.cost is None:
        return f"no plan: {row.result.status.value}"
    if row.gap is None:
        return ""
    return "optimal" if row.gap <= 1e-6 else f"+{100 * row.gap:.2g} %" if row.gap < 0.1 else f"+{100 * row.gap:.0f} %"
