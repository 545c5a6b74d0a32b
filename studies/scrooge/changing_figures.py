"""Figures 6 to 9 and 14 of Scrooge, from runs on workloads that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, grid
from euclio.report import Figure
from euclio.report.analysis.charts import bars
from euclio.report.analysis.statistics import Measured, mean
from euclio.report.drawings import drawn
from euclio.serving.dynamics.figure import Line, over_time
from euclio.workloads.session.scrooge_sessions import COMPARED, scrooge_applications
from studies.papers.published import printed_values
from studies.scrooge.changing import FRONT_ENDS, NEXUS_SYSTEM, SCROOGE_SYSTEM, TURN_OFFS_S
from studies.scrooge.changing_measures import OWN, PERCENT, of_nexus, of_scrooge

SHOWN = {"traffic": ("vehicle", "face"), "face": ("crop", "keypoints"), "tracker": ("crop", "reid")}
"""Modules with input rates in Figures 7 to 9."""


def named(system: str, front_ends: int) -> str:
    """A system in words."""
    return system if not front_ends else f"{system}, {front_ends} front-end{'s' if front_ends > 1 else ''}"


@drawn("figure-6", "Figure 6. What does a workload of 1000 s cost, and is it served in time?", panels=2, height=4.6)
def figure_6(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Cost and finish rate of Scrooge and Nexus."""
    printed = printed_values("scrooge")
    costs: dict[str, Measured] = {}
    rates: dict[str, Measured] = {}
    marks: tuple[dict[str, float | tuple[float, float]], dict[str, float | tuple[float, float]]] = ({}, {})
    for name in COMPARED:
        own = of_scrooge(runs, name, OWN)
        costs[f"{name}: Scrooge"] = Measured(1.0)
        rates[f"{name}: Scrooge"] = mean(own[OWN.finish], PERCENT)
        if f"finish_{name}" in printed:
            marks[1][f"{name}: Scrooge"] = printed[f"finish_{name}"]
        for front_ends in FRONT_ENDS[name]:
            theirs = of_nexus(runs, name, front_ends, OWN)
            label = f"{name}: {named(NEXUS_SYSTEM, front_ends)}"
            costs[label] = mean(theirs[OWN.cost] / own[OWN.cost])
            rates[label] = mean(theirs[OWN.finish], PERCENT)
            key = f"{name}_{front_ends}" if front_ends else name
            for mark, what in zip(marks, ("cost", "finish"), strict=True):
                if f"nexus_{what}_{key}" in printed:
                    mark[label] = printed[f"nexus_{what}_{key}"]
    bars(axes[0], costs, marks[0], "cost over Scrooge's, lower is better", digits=2)
    bars(axes[1], rates, marks[1], "finish rate (%), higher is better")
    axes[1].set_yticklabels([])
    return (
        "Whole workers in use, over Scrooge's, and the mean of the finish rates of all seconds; vertical lines: "
        "published. Nexus plans for modules with a GPU only; CPU modules run on a fixed number of front-ends."
    )


def figure_over_time(tables: Mapping[str, pd.DataFrame], application: str) -> Figure:
    """An application's input rates, cost and finish rate over time (Figure 7, 8 or 9)."""
    number = 7 + COMPARED.index(application)
    question = f"Figure {number}. How do Scrooge and Nexus follow {application}?"
    return drawn(f"figure-{number}", question, panels=3, height=3.8)(_fill_over_time)(tables, application)


def _fill_over_time(axes: Sequence[Axes], tables: Mapping[str, pd.DataFrame], application: str) -> str:
    seconds, inputs = (tables[name] for name in ("changing_seconds", "changing_inputs"))
    own = inputs[inputs.application == application].set_index("module").sort_values("second")
    lines = {}
    for system, number in ((SCROOGE_SYSTEM, 0), *((NEXUS_SYSTEM, n) for n in FRONT_ENDS[application])):
        rows = seconds[(seconds.application == application) & (seconds.system == system)]
        rows = rows[rows.front_ends == number].sort_values("second")
        lines[named(system, number)] = Line(rows.frames, rows.in_time, rows.used_per_h)
    over_time(axes, lines, {module: own.loc[[module]].invocations for module in SHOWN[application]})
    return (
        "Invocations per second of the modules after the first, as they come with the frames (means over 10 s); price "
        "of the workers in use; part of the frames answered in time (means over 10 s), colours as in the middle. One "
        "workload of twelve clients. Nexus has every number of front-ends that the paper names."
    )


@drawn("figure-14", "Figure 14. What does a turn-off delay do for the finish rate?", panels=2, height=3.9)
def figure_14(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Finish rates of all applications at three turn-off delays."""
    others = [name for name in scrooge_applications() if name not in COMPARED]
    for panel, names in zip(axes, (COMPARED, others), strict=True):
        width = 0.8 / len(TURN_OFFS_S)
        for k, seconds in enumerate(TURN_OFFS_S):
            own = [PERCENT * of_scrooge(runs, name, OWN, seconds)[OWN.finish].mean() for name in names]
            places = [place + (k - 1) * width for place in range(len(names))]
            panel.bar(places, own, 0.92 * width, color=PALETTE[k], label=f"{seconds} s")
        panel.set_xticks(range(len(names)), names)
        panel.tick_params(axis="x", length=0)
        panel.set(ylim=(LEAST_SHOWN, 100), ylabel="finish rate (%), higher is better")
        grid(panel, "y")
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize=8.5, title="turn-off delay")
    printed = printed_values("scrooge")
    axes[0].axhspan(printed["turn_off_0_least"], printed["turn_off_0_most"], color=PALETTE[0], alpha=0.2)
    axes[0].axhline(printed["turn_off_30"], color=PALETTE[1], linewidth=1.2, linestyle="--")
    axes[0].axhline(printed["turn_off_120"], color=PALETTE[2], linewidth=1.2, linestyle="--")
    axes[1].axhline(printed["turn_off_30_others"], color=PALETTE[1], linewidth=1.2, linestyle="--")
    axes[1].axhline(printed["turn_off_120_others"], color=PALETTE[2], linewidth=1.2, linestyle="--")
    return (
        f"Mean finish rates of Scrooge; the axis begins at {LEAST_SHOWN} %. Band and dashed lines: published (0 s: "
        "from, to; 30 and 120 s: over). For pose the paper prints no number."
    )


LEAST_SHOWN = 60
"""Begin of Figure 14's axis in per cent."""
