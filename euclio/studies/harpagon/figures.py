"""Figures 5 to 12 of Harpagon from our runs, the map of where it is optimal, and the gap decomposition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.analysis.charts import bars, distribution, published_line
from euclio.analysis.heat_map import draw_cells
from euclio.analysis.statistics import Measured, mean
from euclio.comparison.decomposition_figure import CAPTION
from euclio.comparison.decomposition_figure import draw as draw_decomposition
from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report import MUTED, Figure, figure_style, svg_text
from euclio.report.drawings import drawn
from euclio.session.workloads.acceptance import ABLATIONS, BASELINES
from euclio.studies.harpagon.measures import PLAN_OPTIMUM, SPLIT_OPTIMUM, costs, normalized
from euclio.studies.harpagon.modules import (
    HARPAGON,
    THREE_MODULE_APPLICATION,
    Given,
    given_modules,
    less,
    module_figures,
    relative_throughput,
    remaining_budget,
)
from euclio.studies.scorecard import Score

QUESTION = "Gap decomposition. Is the design to blame, or the heuristic?"
NORMALIZED = "normalized cost (cost over Harpagon's)"
PUBLISHED_MEANS = (1.493, 2.372)
PUBLISHED_LARGEST = 3.2
EXTRA = "mean extra cost over Harpagon (%)"
OPTIMA = {SPLIT_OPTIMUM: "split optimum", PLAN_OPTIMUM: "plan optimum"}

Values = Mapping[str, float]


@drawn(
    "figure-5",
    "Figure 5. How much more expensive are the baselines, and how much cheaper is the optimum?",
    panels=2,
    height=4.2,
    width_ratios=(1, 1.35),
)
def figure_5(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Means and distributions of the normalized cost of baselines and optima."""
    table = normalized(runs)
    names = {**{name: name for name in BASELINES}, **OPTIMA}
    shown = {"harpagon": Measured(1.0)} | {label: mean(table[name]) for name, label in names.items()}
    bars(axes[0], shown, {}, NORMALIZED, digits=3)
    axes[0].axvspan(*PUBLISHED_MEANS, color=PUBLISHED, alpha=0.18, linewidth=0)
    distribution(axes[1], {label: table[name] for name, label in names.items()}, NORMALIZED)
    published_line(axes[1], PUBLISHED_LARGEST, "paper: largest of all")
    return (
        "Left: means with 95 % intervals; shaded: the published range of the four baselines, 1.493 to 2.372. "
        "Right: distribution over all workloads."
    )


@drawn("figure-6", "Figure 6. How much does each feature of Harpagon save?", height=5.2)
def figure_6(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Mean extra cost of the 15 ablations."""
    shown = {f"Harp-{name}": measures[f"{name}_mean_extra"] for name in ABLATIONS}
    bars(axes[0], shown, {f"Harp-{n}": published[f"{n}_mean_extra"] for n in ABLATIONS}, EXTRA)
    return "Bars: measured, with 95 % intervals. Orange marks: published means."


@drawn("figure-8", "Figure 8. What do one or two configurations per module cost?", panels=2, height=3.8)
def figure_8(axes: Sequence[Axes], runs: pd.DataFrame, modules: pd.DataFrame, published: Values) -> str:
    """Cost and throughput of one and two configurations per module."""
    table = normalized(runs)
    distribution(axes[0], {f"Harp-{n}": table[f"harpagon:{n}"] for n in ("1c", "2c")}, NORMALIZED)
    published_line(axes[0], 1 + published["1c_max_extra"] / 100, "paper: largest of Harp-1c", 0)
    published_line(axes[0], 1 + published["2c_max_extra"] / 100, "paper: largest of Harp-2c", 1)
    given = given_modules(modules)[0]
    shown = {
        "Harp-1c, its only": less(modules, "harpagon:1c", given, "first"),
        "Harp-2c, first": less(modules, "harpagon:2c", given, "first"),
        "Harp-2c, second": less(modules, "harpagon:2c", given, "second"),
    }
    marks = {
        "Harp-1c, its only": published["1c_throughput_less"],
        "Harp-2c, second": published["2c_second_throughput_less"],
    }
    bars(axes[1], shown, marks, "throughput below Harpagon's (%)")
    return (
        f"Left: distribution over all workloads. Right: the module that Harpagon spends most on ({given}), "
        "configuration against Harpagon's at the same place."
    )


@drawn("figure-12", "Figure 12. What does splitting the latency in steps of 0.01 or 0.1 s cost?")
def figure_12(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Cost of splitting in steps."""
    table = normalized(runs)
    distribution(axes[0], {f"Harp-{n}": table[f"harpagon:{n}"] for n in ("q0.01", "q0.1")}, NORMALIZED)
    published_line(axes[0], 1 + published["q0.01_max_extra"] / 100, "paper: largest of Harp-q0.01", 0)
    published_line(axes[0], 1 + published["q0.1_max_extra"] / 100, "paper: largest of Harp-q0.1", 1)
    return "Left of 1: workloads on which splitting in steps is cheaper than Harpagon."


THROUGHPUT_LESS = "throughput per unit of money below Harpagon's (%)"


@drawn(
    "figure-7",
    "Figure 7. How much latency does throughput-cost dispatch save, and what does that buy?",
    panels=2,
    height=3.8,
    width_ratios=(1, 1.35),
)
def figure_7(axes: Sequence[Axes], measures: Mapping[str, Measured], modules: pd.DataFrame, published: Values) -> str:
    """Worst-case latency of the same plans under other dispatch, and the throughput that it costs."""
    bars(
        axes[0],
        {f"Harp-{n}": measures[f"{n}_latency_extra"] for n in ("2d", "dt")},
        {f"Harp-{n}": published[f"{n}_latency_extra"] for n in ("2d", "dt")},
        "extra worst-case latency (%)",
    )
    given = given_modules(modules)
    shown = {f"Harp-{n}, {g}": less(modules, f"harpagon:{n}", g) for n in ("2d", "dt") for g in given}
    marks = {
        f"Harp-{n}, {g}": (published[f"{n}_throughput_less_min"], published[f"{n}_throughput_less_max"])
        for n in ("2d", "dt")
        for g in given
    }
    bars(axes[1], shown, marks, THROUGHPUT_LESS)
    return (
        "Left: the configuration that Harp-2d begins its most expensive module with, under each dispatch; mean over "
        "all workloads. Right: the modules that Harpagon spends most on, of three applications; orange bands: the "
        "published range over three unnamed modules."
    )


@drawn("figure-9", "Figure 9. How much throughput do batching and mixed hardware give?", height=2.5)
def figure_9(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Throughput without batching and without heterogeneous hardware."""
    names = ("nb", "nhc", "nhe")
    shown = {f"Harp-{n}": measures[f"{n}_throughput_less"] for n in names}
    bars(axes[0], shown, {f"Harp-{n}": published[f"{n}_throughput_less"] for n in names}, THROUGHPUT_LESS)
    return "The module that Harpagon spends most on, with 95 % intervals."


@drawn("figure-10", "Figure 10. How much latency is left unused without the reassigner?")
def figure_10(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Remaining latency budget without and with one reassignment."""
    series = {f"Harp-{n}": remaining_budget(runs, f"harpagon:{n}") for n in ("0re", "1re")}
    distribution(axes[0], series, "remaining latency budget over Harpagon's (log scale)", log=True)
    for k, name in enumerate(("0re", "1re")):
        value = published[f"{name}_remaining_budget"]
        published_line(axes[0], value, f"paper: mean of Harp-{name}", k)
    return "Workloads on which Harpagon itself leaves at least a microsecond."


@drawn("figure-11", "Figure 11. Which module wins and which loses under throughput-based splitting?", height=2.5)
def figure_11(axes: Sequence[Axes], modules: pd.DataFrame) -> str:
    """Throughput per module of a three-module application under throughput-based splitting."""
    application, names = THREE_MODULE_APPLICATION
    given = [Given(application, name) for name in names]
    shown = {g.module: mean(relative_throughput(modules, "harpagon:tb", g)) for g in given}
    bars(axes[0], shown, {}, "throughput per unit of money over Harpagon's", digits=2)
    axes[0].axvline(1.0, color=MUTED, linestyle="--", linewidth=1.2)
    return "Application traffic, Harp-tb; dashed: Harpagon. The paper prints no numbers next to its bars."


@drawn("figure-references", "Harpagon is optimal on 91.5 % of the workloads. Optimal among what?", height=2.9)
def figure_references(axes: Sequence[Axes], found: Mapping[str, Measured], score: Score) -> str:
    """Share of workloads on which Harpagon reaches each reference, with its interval, next to the published share.

    Args:
        axes: the panel.
        found: share by name of the reference; those over splits first.
        score: the score of the published share, whose predicted interval is shown too.
    """
    panel, settings = axes[0], score.evidence.predicted
    if settings is not None:
        splits = sum(name.startswith("split") for name in found)
        panel.fill_betweenx(
            [-0.5, splits - 0.5], settings.low, settings.high, color=PALETTE[0], alpha=0.15, linewidth=0
        )
    for y, (name, m) in enumerate(found.items()):
        color = PALETTE[0] if name.startswith("split") else PALETTE[2]
        panel.plot([m.low or m.value, m.high or m.value], [y, y], color=color, linewidth=3)
        panel.plot(m.value, y, "o", color=color, markersize=8)
        panel.text(102, y, f"{m.value:.1f} % of {m.n}", va="center")
    panel.axvline(score.published.value, color=PUBLISHED, linestyle="--", linewidth=1.6)
    panel.text(score.published.value - 1, -0.75, f"published: {score.published.value:g} %", va="center", ha="right")
    panel.set_yticks(range(len(found)), list(found))
    panel.set_ylim(len(found) - 0.5, -1.1)
    panel.set_xlim(0, 118)
    panel.set_xticks(range(0, 101, 10))
    panel.tick_params(axis="y", length=0)
    grid(panel, "x")
    panel.set_xlabel("workloads on which Harpagon costs no more than the reference (%), 95 % interval")
    shaded = (
        ""
        if settings is None
        else " Shaded: where 95 % of the settings lie that are consistent with the fitted figures."
    )
    return (
        "Blue: the best split of the latency, below which Harpagon's own scheduler chooses, as in the paper. Green: "
        f"the best plan.{shaded}"
    )


CELLS = 5


def optimal_share_map(runs: pd.DataFrame, reference: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Share of workloads on which Harpagon matches a reference, by fifths of request rate and of tightness.

    Returns:
        The share in per cent and the number of workloads; rows: tightness, columns: request rate.
    """
    table = costs(runs)[[HARPAGON, reference]].dropna()
    about = runs.drop_duplicates("workload").set_index("workload").loc[table.index]
    hit = pd.DataFrame(
        {
            "hit": table[HARPAGON] <= table[reference] * (1 + OPTIMALITY_TOLERANCE),
            "rate": _fifths(about.rate_rps, "{:.0f}"),
            "tightness": _fifths(about.tightness, "{:.2f}"),
        }
    )
    grouped = hit.groupby(["tightness", "rate"], observed=False).hit
    return grouped.mean().unstack() * 100, grouped.size().unstack()


def _fifths(values: pd.Series[float], style: str) -> pd.Categorical:
    """Each value's fifth of the distribution, named by its bounds."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, CELLS + 1)))
    names = [f"{style.format(a)} to {style.format(b)}" for a, b in pairwise(edges)]
    place = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(names) - 1)
    return pd.Categorical.from_codes(place.tolist(), categories=pd.Index(names), ordered=True)


@drawn("figure-map", "Map. Where is Harpagon optimal?", panels=2, height=4.4)
def figure_map(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Heat maps of the split-optimal and the plan-optimal share."""
    for k, (axis, (reference, label)) in enumerate(zip(axes, OPTIMA.items(), strict=True)):
        shares, sizes = optimal_share_map(runs, reference)
        texts = (shares.map("{:.0f}".format) + sizes.map("\n({})".format)).where(sizes > 0, "")
        draw_cells(axis, shares[::-1], texts[::-1], (0, 100))
        axis.set_title(f"costs no more than the {label}")
        axis.set_xlabel("request rate (req/s)")
        if k == 0:
            axis.set_ylabel("SLO between least (0) and\nmost useful latency (1)")
        else:
            axis.set_yticklabels([])
    return "Share of workloads in per cent, number of workloads in brackets; fifths of rate and tightness."


@drawn("figure-gaps", "How much does Harpagon lose where it is not optimal?")
def figure_gaps(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of Harpagon's extra cost over both optima."""
    table = costs(runs)
    gaps = {label: (table[HARPAGON] / table[name] - 1) * 100 for name, label in OPTIMA.items()}
    distribution(axes[0], gaps, "extra cost of Harpagon (%)")
    return "Against the best split under its own scheduler, and against the best plan of its whole plan space."


def figure_decomposition(table: pd.DataFrame) -> Figure:
    """Stacked bars of all systems."""
    key = "figure-decomposition"
    with figure_style():
        return Figure(key, svg_text(draw_decomposition(table, QUESTION), key, QUESTION), CAPTION)


def figures(tables: Mapping[str, pd.DataFrame], scores: Sequence[Score]) -> list[Figure]:
    """Figures 5 to 12, the map and the gaps."""
    runs = tables["runs"]
    measures: Mapping[str, Measured] = {score.published.key: score.measured for score in scores}
    published = {score.published.key: score.published.value for score in scores}
    modules = module_figures(tables["allocations"])
    return [
        figure_5(runs),
        figure_6(measures, published),
        figure_7(measures, modules, published),
        figure_8(runs, modules, published),
        figure_9(measures, published),
        figure_10(runs, published),
        figure_11(modules),
        figure_12(runs, published),
        figure_map(runs),
        figure_gaps(runs),
    ]
