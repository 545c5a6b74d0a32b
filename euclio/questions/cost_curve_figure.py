"""Least cost over objectives or rates as a figure: its steps, and where the session stands."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from euclio.core.figures import MUTED, OPTIMUM, PALETTE, figure_style, grid
from euclio.core.words import figures
from euclio.questions.cost_curve import CostCurve, Over

MARGIN = 0.1
"""Share of the range of costs by which the axis goes beyond it at both ends."""
MANY_TIMES = 10
"""Ratio of the highest and the lowest cost above which the axis is logarithmic."""


def draw(curve: CostCurve) -> Figure:
    """The figure; objectives or rates without a plan are shaded."""
    with figure_style():
        figure = Figure(figsize=(7.2, 3.6))
        FigureCanvasAgg(figure)
        draw_on(figure.subplots(), curve)
    return figure


def draw_on(axes: Axes, curve: CostCurve) -> None:
    """The same on axes of a figure."""
    asked = curve.question
    scale = 1000 if asked.over is Over.SLO else 1
    costs, last = [], None
    for step in curve.steps:
        start, end = float(step.start) * scale, float(step.end) * scale
        alone = start == end
        if step.cost_per_h is None:
            axes.axvspan(start, end, color=MUTED, alpha=0.15, linewidth=float(alone), label="no plan")
            last = None
            continue
        cost = float(step.cost_per_h)
        costs.append(cost)
        if last is not None and not alone:
            axes.plot([start, start], [last, cost], color=PALETTE[0], linewidth=0.8, alpha=0.5)
        axes.plot(
            [start, end], [cost, cost], "." if alone else "-", color=PALETTE[0], linewidth=1.8, label="cheapest plan"
        )
        last = cost
    _mark_own(axes, curve, scale)
    _scale_costs(axes, costs)
    _label(axes, curve)
    axes.set_xlim(float(asked.start) * scale, float(asked.end) * scale)


def _mark_own(axes: Axes, curve: CostCurve, scale: int) -> None:
    """The session's own objective or rate, and what it costs there."""
    asked = curve.question
    own = asked.own
    step = curve.at(own)
    if not asked.start <= own <= asked.end or step is None or step.cost_per_h is None:
        return
    cost = float(step.cost_per_h)
    axes.plot([float(own) * scale], [cost], "o", color=OPTIMUM, markersize=6, label=f"the session: {figures(cost)}")


def _scale_costs(axes: Axes, costs: list[float]) -> None:
    if costs and min(costs) > 0 and max(costs) > MANY_TIMES * min(costs):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter("{x:g}")
    elif costs:
        # Falls of a percent matter, and an axis from 0 on would hide them.
        room = MARGIN * (max(costs) - min(costs) or max(costs))
        axes.set_ylim(max(0.0, min(costs) - room), max(costs) + room)


def _label(axes: Axes, curve: CostCurve) -> None:
    asked = curve.question
    currency = f" ({asked.session.currency})" if asked.session.currency else ""
    slo = asked.over is Over.SLO
    axes.set_ylabel(f"cost per hour{currency}", fontsize=8)
    axes.set_xlabel("SLO (ms)" if slo else "requests per second", fontsize=8)
    proven = ", proven" if curve.proven else ""
    axes.set_title(f"{asked.session.name}: least cost by {asked.over.in_words()}{proven}", fontsize=9, loc="left")
    axes.tick_params(labelsize=8)
    grid(axes, "y")
    # Each step has the label of all.
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if named:
        axes.legend(named.values(), named.keys(), fontsize=8)
