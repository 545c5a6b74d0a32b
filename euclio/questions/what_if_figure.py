"""Answers as a figure: cost against the objective, a curve per rate; below, what is paid for which hardware."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator

from euclio.core.figures import MUTED, Look, figure_style, grid, hardware_looks, legend_label
from euclio.core.words import full, milliseconds
from euclio.problems.session.rules import Charging
from euclio.questions.what_if import Point, WhatIf

MOST_RATES = 6
"""Rates that are drawn: of more, evenly many between the lowest and the highest."""
MOST_TICKS = 10
"""Objectives that are written at the axis."""
MANY_TIMES = 10
"""Ratio of the highest and the lowest cost above which the axis is logarithmic."""
STYLES: dict[Charging, Literal["-", "--", ":"]] = {
    Charging.SHARE: "-",
    Charging.WHOLE: "--",
    Charging.PACKED: ":",
}
"""Lines of curves by way of charging."""
MOST_HARDWARE = 6
"""Hardware types that have a look of their own."""
OTHER = "other"


def draw(answer: WhatIf) -> Figure:
    """The figure; objectives stand side by side in their order, as they were asked for."""
    asked = answer.question
    rates = _some(asked.rates)
    rows = [(rate, way) for rate in rates for way in asked.chargings]
    with figure_style():
        figure = Figure(figsize=(7.2, 3.7 + 0.55 * len(rows)))
        FigureCanvasAgg(figure)
        every = figure.subplots(1 + len(rows), 1, sharex=True, height_ratios=[2.8, *[0.5] * len(rows)])
        _curves(every[0], answer, rates)
        looks = _looks(answer)
        for axes, (rate, way) in zip(every[1:], rows, strict=True):
            _mix(axes, answer.curve(rate, way), looks)
            own = f"\n{way}" if len(asked.chargings) > 1 else ""
            axes.set_ylabel(f"{full(rate)} req/s{own}", fontsize=8, rotation=0, ha="right", va="center")
        every[1].set_title("share of each hardware type in the cost (%)", fontsize=9, loc="left")
        _ticks(every[-1], answer)
        for axes in every:
            axes.tick_params(labelsize=8)
        handles = _handles(answer, rates, looks)
        figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5), fontsize=8)
    return figure


def draw_curves_on(axes: Axes, answer: WhatIf) -> None:
    """The curves alone, without what is paid for which hardware."""
    rates = _some(answer.question.rates)
    _curves(axes, answer, rates)
    _ticks(axes, answer)
    axes.tick_params(labelsize=8)
    axes.legend(handles=_handles(answer, rates, {}), fontsize=8)


def _some(rates: list[Fraction]) -> list[Fraction]:
    """At most `MOST_RATES` of the rates, the lowest and the highest among them."""
    if len(rates) <= MOST_RATES:
        return rates
    return [rates[round(k * (len(rates) - 1) / (MOST_RATES - 1))] for k in range(MOST_RATES)]


def _shade(place: int, rates: list[Fraction]) -> tuple[float, float, float, float]:
    """The colour of a rate's curves, which no hardware type has: the higher the rate, the darker."""
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
    if every and max(every) > MANY_TIMES * min(every):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter("{x:g}")
    elif every:
        axes.set_ylim(0, 1.1 * max(every))
    currency = f" ({asked.session.currency})" if asked.session.currency else ""
    axes.set_ylabel(f"cost per hour{currency}", fontsize=8)
    axes.set_title(f"{asked.session.name}: cost by SLO and rate, plans by {asked.solver.label}", fontsize=9, loc="left")
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
    axes.set_xlabel("SLO (ms)", fontsize=8)


def _handles(answer: WhatIf, rates: list[Fraction], looks: dict[str, Look]) -> list[Line2D | Patch]:
    """What a legend names: rates, ways of charging, and hardware types by their looks, where these are drawn."""
    ways = answer.question.chargings
    lines = [Line2D([], [], color=_shade(k, rates), label=f"{full(rate)} req/s") for k, rate in enumerate(rates)]
    if len(ways) > 1:
        lines += [Line2D([], [], color=MUTED, linestyle=STYLES[way], label=way.value) for way in ways]
    patches = [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white", label=legend_label(name))
        for name, look in looks.items()
    ]
    handles: list[Line2D | Patch] = [*lines, *patches]
    if patches and any(point.result.value is None for point in answer.points.values()):
        handles.append(Line2D([], [], color=MUTED, marker="x", linestyle="", markersize=4, label="no plan"))
    return handles
