"""Figures of least costs by changes, by objective or rate, and of what-if questions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from euclio.core.figures import (
    MUTED,
    OPTIMUM,
    PALETTE,
    Look,
    grid,
    hardware_looks,
    hardware_patches,
    new_figure,
)
from euclio.core.result import Status
from euclio.core.words import figures, full, milliseconds
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.questions.change_costs import Curve
from euclio.questions.cost_curve import CostCurve, Over
from euclio.questions.sweep.grid import Point
from euclio.questions.tables import slo_in_words
from euclio.questions.what_if import WhatIf

PAST_THE_END = 1.06
"""The last step is drawn up to this multiple, as more changes save nothing."""
HEADROOM = 1.08
"""The axis of costs ends at this multiple of the highest cost."""
MOST_MARKS = 40
"""The most steps that are marked one by one."""


def draw_change_costs(curve: Curve) -> Figure:
    """The figure; changes without a plan are shaded."""
    with new_figure(7.2, 3.6) as figure:
        draw_change_costs_on(figure.subplots(), curve)
    return figure


def draw_change_costs_on(axes: Axes, curve: Curve) -> None:
    """The same on axes of a figure."""
    draw_steps(axes, curve)
    draw_optimum(axes, curve)
    end = axes.get_xlim()[1]
    none = curve.without_plan
    if none is not None:
        to = curve.steps[0].most if curve.steps else end
        axes.axvspan(0, to or 0, color=MUTED, alpha=0.15, linewidth=0, label="no plan")
    label_axes(axes, curve)
    axes.set_title(f"{curve.question.session.name}: cost by changes of machines", loc="left")
    if curve.steps:
        axes.legend()


def draw_steps(axes: Axes, curve: Curve) -> None:
    """The least cost by the most changes, from the fewest that have a plan on."""
    most = [step.most or 0 for step in curve.steps]
    costs = [float(step.cost_per_h or 0) for step in curve.steps]
    if not most:
        return
    end = max(1, curve.tried[-1].most or 0, curve.free.changes or 0) * PAST_THE_END
    axes.step([*most, end], [*costs, costs[-1]], where="post", color=PALETTE[0], linewidth=1.5, label="cheapest plan")
    if len(most) <= MOST_MARKS:
        axes.plot(most, costs, "o", color=PALETTE[0], markersize=3.5)
    axes.set_xlim(0, end)


def draw_optimum(axes: Axes, curve: Curve) -> None:
    """The cheapest plan without a limit as a line, and its bound as another line if it is not proven."""
    free = curve.free
    if free.cost_per_h is None:
        return
    proven = free.result.status is Status.OPTIMAL
    label = f"without a limit{', proven' if proven else ''}"
    axes.axhline(float(free.cost_per_h), color=OPTIMUM, linestyle="--", linewidth=1.2, label=label)
    if not proven and free.result.bound is not None:
        axes.axhline(float(free.result.bound), color=OPTIMUM, linestyle=":", linewidth=1.2, label="its bound")


def _name_costs(axes: Axes, session: Session) -> None:
    axes.set_ylabel("cost per hour" + (f" ({session.currency})" if session.currency else ""))


def label_axes(axes: Axes, curve: Curve) -> None:
    """Names of the axes, whole numbers of changes, and costs from 0 on."""
    _name_costs(axes, curve.question.session)
    axes.set_xlabel("machines added and removed, at most")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if axes.lines:
        axes.set_ylim(0, HEADROOM * axes.dataLim.y1)
    grid(axes, "y")


MARGIN = 0.1
"""Share of the range of costs by which the axis goes beyond it at both ends."""
MANY_TIMES = 10
"""Ratio of the highest and the lowest cost above which the axis is logarithmic."""


def draw_cost_curve(curve: CostCurve) -> Figure:
    """The figure; objectives or rates without a plan are shaded."""
    with new_figure(7.2, 3.6) as figure:
        draw_cost_curve_on(figure.subplots(), curve)
    return figure


def draw_cost_curve_on(axes: Axes, curve: CostCurve) -> None:
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
    """The session's own objective or rate, and the cost there."""
    asked = curve.question
    own = asked.own
    step = curve.at(own)
    if not asked.start <= own <= asked.end or step is None or step.cost_per_h is None:
        return
    cost = float(step.cost_per_h)
    axes.plot([float(own) * scale], [cost], "o", color=OPTIMUM, markersize=6, label=f"the session: {figures(cost)}")


def _scale_costs(axes: Axes, costs: list[float]) -> None:
    if not _logarithmic(axes, costs) and costs:
        # Falls of one per cent matter, and an axis from 0 on would hide them.
        room = MARGIN * (max(costs) - min(costs) or max(costs))
        axes.set_ylim(max(0.0, min(costs) - room), max(costs) + room)


def _logarithmic(axes: Axes, costs: list[float]) -> bool:
    """Make the axis of costs logarithmic if they differ much; gives whether it is."""
    if not costs or min(costs) <= 0 or max(costs) <= MANY_TIMES * min(costs):
        return False
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    return True


def _label(axes: Axes, curve: CostCurve) -> None:
    asked = curve.question
    slo = asked.over is Over.SLO
    _name_costs(axes, asked.session)
    of = f" of {asked.of}" if asked.of else ""
    axes.set_xlabel(f"SLO{of} (ms)" if slo else f"requests{of} per second")
    proven = ", proven" if curve.proven else ""
    axes.set_title(f"{asked.session.name}: least cost by {asked.over.in_words()}{of}{proven}", loc="left")
    grid(axes, "y")
    # One label stands for all steps.
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if named:
        axes.legend(named.values(), named.keys())


MOST_RATES = 6
"""The most rates that are drawn: if there are more, evenly many between the lowest and the highest."""
MOST_TICKS = 10
"""The most objectives that are written at the axis."""
STYLES: dict[Charging, Literal["-", "--", ":"]] = {
    Charging.SHARE: "-",
    Charging.WHOLE: "--",
    Charging.PACKED: ":",
}
"""Lines of curves by way of charging."""
MOST_HARDWARE = 6
"""The most hardware types that have a look of their own."""
OTHER = "other"


def draw_what_if(answer: WhatIf) -> Figure:
    """The figure; objectives stand side by side in the order of the question."""
    asked = answer.question
    rates = _some(asked.rates)
    rows = [(rate, way) for rate in rates for way in asked.chargings]
    with new_figure(7.2, 3.7 + 0.55 * len(rows)) as figure:
        every = figure.subplots(1 + len(rows), 1, sharex=True, height_ratios=[2.8, *[0.5] * len(rows)])
        _curves(every[0], answer, rates)
        looks = _looks(answer)
        for axes, (rate, way) in zip(every[1:], rows, strict=True):
            _mix(axes, answer.curve(rate, way), looks)
            own = f"\n{way}" if len(asked.chargings) > 1 else ""
            axes.set_ylabel(f"{full(rate)} req/s{own}", rotation=0, ha="right", va="center")
        every[1].set_title("share of each hardware type in the cost (%)", loc="left")
        _ticks(every[-1], answer)
        handles = _handles(answer, rates, looks)
        figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return figure


def draw_curves_on(axes: Axes, answer: WhatIf) -> None:
    """The curves alone, without the shares of hardware types."""
    rates = _some(answer.question.rates)
    _curves(axes, answer, rates)
    _ticks(axes, answer)
    axes.legend(handles=_handles(answer, rates, {}))


def _some(rates: list[Fraction]) -> list[Fraction]:
    """At most `MOST_RATES` of the rates, the lowest and the highest among them."""
    if len(rates) <= MOST_RATES:
        return rates
    return [rates[round(k * (len(rates) - 1) / (MOST_RATES - 1))] for k in range(MOST_RATES)]


def _shade(place: int, rates: list[Fraction]) -> tuple[float, float, float, float]:
    """The colour of a rate's curves, different from those of hardware types: the higher the rate, the darker."""
    return mpl.colormaps["Purples"](0.4 + 0.45 * (place + 1) / len(rates))


def _curves(axes: Axes, answer: WhatIf, rates: list[Fraction]) -> None:
    asked, every = answer.question, []
    for k, rate in enumerate(rates):
        for way in asked.chargings:
            values = [point.result.value for point in answer.curve(rate, way)]
            costs = [float("nan") if value is None else float(value) for value in values]
            every += [cost for cost in costs if cost > 0]
            marker = "o" if len(costs) <= MOST_TICKS else None
            axes.plot(costs, STYLES[way], color=_shade(k, rates), marker=marker, markersize=3.5, linewidth=1.5)
    if not _logarithmic(axes, every) and every:
        axes.set_ylim(0, 1.1 * max(every))
    _name_costs(axes, asked.session)
    axes.set_title(f"{asked.session.name}: cost by SLO and rate, plans by {asked.solver.label}", loc="left")
    grid(axes, "y")


def _mix(axes: Axes, points: list[Point], looks: dict[str, Look]) -> None:
    """Stacked bars; a cross where there is no plan."""
    width = 0.8 if len(points) <= MOST_TICKS else 1.0
    for x, point in enumerate(points):
        bottom = 0.0
        if point.result.value is None:
            axes.plot(x, 15, "x", color=MUTED, markersize=4)
        for name, part in _parts(point, looks):
            look = looks[name]
            axes.bar(x, part, width, bottom, facecolor=look.colour, hatch=look.hatch, edgecolor="white", linewidth=0)
            bottom += part
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 100])


def _parts(point: Point, looks: dict[str, Look]) -> Iterator[tuple[str, float]]:
    """Names and percentages of a bar, from below."""
    costs = point.cost_by_hardware
    named = {name: float(cost) for name, cost in costs.items() if name in looks}
    named[OTHER] = float(sum(costs.values())) - sum(named.values())
    total = float(sum(costs.values()))
    for name in looks:
        if named.get(name, 0) > 1e-12 * total:
            yield name, 100 * named[name] / total


def _looks(answer: WhatIf) -> dict[str, Look]:
    """Looks of the hardware types that cost the most; the others share one."""
    totals = dict.fromkeys(answer.hardware, 0.0)
    for point in answer.points.values():
        for name, cost in point.cost_by_hardware.items():
            if name in totals:
                totals[name] += float(cost)
    every = hardware_looks(h.name for h in answer.question.session.hardware)
    looks = {name: every[name] for name in answer.hardware}
    if len(looks) <= MOST_HARDWARE:
        return looks
    most = sorted(totals, key=lambda name: -totals[name])[:MOST_HARDWARE]
    return {name: look for name, look in looks.items() if name in most} | {OTHER: Look(MUTED, "")}


def _ticks(axes: Axes, answer: WhatIf) -> None:
    slos = answer.question.slos
    step = -(-len(slos) // MOST_TICKS)
    places = range(0, len(slos), step)
    axes.set_xticks(list(places), [milliseconds(slos[i]).rstrip("0").rstrip(".") for i in places])
    axes.set_xlim(-0.6, len(slos) - 0.4)
    axes.set_xlabel(f"{slo_in_words(answer.question)} (ms)")


def _handles(answer: WhatIf, rates: list[Fraction], looks: dict[str, Look]) -> list[Line2D | Patch]:
    """The entries of a legend: rates, ways of charging, and hardware types by their looks, if these are drawn."""
    ways = answer.question.chargings
    lines = [Line2D([], [], color=_shade(k, rates), label=f"{full(rate)} req/s") for k, rate in enumerate(rates)]
    if len(ways) > 1:
        lines += [Line2D([], [], color=MUTED, linestyle=STYLES[way], label=way.value) for way in ways]
    patches = hardware_patches(looks)
    handles: list[Line2D | Patch] = [*lines, *patches]
    if patches and any(point.result.value is None for point in answer.points.values()):
        handles.append(Line2D([], [], color=MUTED, marker="x", linestyle="", markersize=4, label="no plan"))
    return handles
