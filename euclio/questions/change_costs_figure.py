"""Costs by changes as a figure: steps down to the cheapest plan without a limit, and its bound."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from euclio.core.figures import MUTED, OPTIMUM, PALETTE, figure_style, grid
from euclio.core.result import Status
from euclio.questions.change_costs import Curve

PAST_THE_END = 1.06
"""The last step goes on this far, as more changes save nothing."""
HEADROOM = 1.08
"""The axis of costs goes so far beyond the highest."""
MOST_MARKS = 40
"""Steps beyond which they are not marked one by one."""


def draw(curve: Curve) -> Figure:
    """The figure; changes without a plan are shaded."""
    with figure_style():
        figure = Figure(figsize=(7.2, 3.6))
        FigureCanvasAgg(figure)
        draw_on(figure.subplots(), curve)
    return figure


def draw_on(axes: Axes, curve: Curve) -> None:
    """The same on axes of a figure."""
    draw_steps(axes, curve)
    draw_optimum(axes, curve)
    end = axes.get_xlim()[1]
    none = curve.without_plan
    if none is not None:
        to = curve.steps[0].most if curve.steps else end
        axes.axvspan(0, to or 0, color=MUTED, alpha=0.15, linewidth=0, label="no plan")
    label_axes(axes, curve)
    axes.set_title(f"{curve.question.session.name}: cost by changes of machines", fontsize=9, loc="left")
    if curve.steps:
        axes.legend(fontsize=8)


def draw_steps(axes: Axes, curve: Curve, colour: str = PALETTE[0], label: str = "cheapest plan") -> None:
    """The least cost by the most changes, from the fewest that have a plan on."""
    most = [step.most or 0 for step in curve.steps]
    costs = [float(step.cost_per_h or 0) for step in curve.steps]
    if not most:
        return
    end = max(1, curve.tried[-1].most or 0, curve.free.changes or 0) * PAST_THE_END
    axes.step([*most, end], [*costs, costs[-1]], where="post", color=colour, linewidth=1.5, label=label)
    if len(most) <= MOST_MARKS:
        axes.plot(most, costs, "o", color=colour, markersize=3.5)
    axes.set_xlim(0, end)


def draw_optimum(axes: Axes, curve: Curve) -> None:
    """The cheapest plan without a limit as a line, and its bound as another one where it is not proven."""
    free = curve.free
    if free.cost_per_h is None:
        return
    proven = free.result.status is Status.OPTIMAL
    label = f"without a limit{', proven' if proven else ''}"
    axes.axhline(float(free.cost_per_h), color=OPTIMUM, linestyle="--", linewidth=1.2, label=label)
    if not proven and free.result.bound is not None:
        axes.axhline(float(free.result.bound), color=OPTIMUM, linestyle=":", linewidth=1.2, label="its bound")


def label_axes(axes: Axes, curve: Curve) -> None:
    """Names of the axes, whole numbers of changes, and costs from 0 on."""
    currency = f" ({curve.question.session.currency})" if curve.question.session.currency else ""
    axes.set_ylabel(f"cost per hour{currency}", fontsize=8)
    axes.set_xlabel("machines added and removed, at most", fontsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if axes.lines:
        axes.set_ylim(0, HEADROOM * axes.dataLim.y1)
    axes.tick_params(labelsize=8)
    grid(axes, "y")
