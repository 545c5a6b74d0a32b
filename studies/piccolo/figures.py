"""Figures 4 to 11 of Piccolo from our runs, and its loss where it is not optimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import MUTED, PUBLISHED, legend_beside
from euclio.report import Figure
from euclio.report.analysis.charts import distribution, published_line
from euclio.report.analysis.statistics import Measured
from euclio.report.drawings import drawn
from studies.costs import costs
from studies.modules import module_figures, sizes
from studies.papers.costs import normalized
from studies.papers.modules import given_module, relative_throughput
from studies.papers.piccolo import by_modules
from studies.piccolo.measures import ALTERNATIVES, PLAN_OPTIMUM, SPLIT_OPTIMUM, plan_optimum
from studies.piccolo.measures import split_optimum as least_of_splits
from studies.scorecard import Score
from studies.session_figures import (
    PICCOLO,
    THROUGHPUT_LESS,
    baselines_and_optima,
    dots,
    latency_left,
    variant_costs,
    variants,
)

PUBLISHED_MEANS = (1.044, 1.443)
PUBLISHED_LARGEST = 2.018
OPTIMA = {SPLIT_OPTIMUM: "split optimum", PLAN_OPTIMUM: "plan optimum"}

Values = Mapping[str, float]


@drawn("figure-references", "Piccolo is optimal on 97.13 % of the workloads. Optimal among what?", height=2.1)
def figure_references(axes: Sequence[Axes], found: Mapping[str, Measured], score: Score) -> str:
    """Share of workloads on which Piccolo reaches each reference, next to the published share."""
    return dots(axes[0], found, score, PICCOLO)


@drawn(
    "figure-4",
    "Figure 4. How much more expensive are the baselines, and how much cheaper is the optimum?",
    panels=2,
    height=4.2,
    width_ratios=(1, 1.35),
)
def figure_4(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Means and distributions of the normalized cost of baselines and optima."""
    table = normalized(costs(runs), PICCOLO.own)
    cost = costs(runs)[PICCOLO.own]
    table = table.assign(**{SPLIT_OPTIMUM: least_of_splits(runs) / cost, PLAN_OPTIMUM: plan_optimum(runs) / cost})
    return baselines_and_optima(axes, table, PICCOLO, OPTIMA, PUBLISHED_MEANS, PUBLISHED_LARGEST)


@drawn("figure-5", "Figure 5. How much does each feature of Piccolo save?", height=4.8)
def figure_5(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Mean extra cost of the 13 alternatives."""
    variants(
        axes[0],
        measures,
        published,
        PICCOLO,
        ALTERNATIVES,
        "mean_extra",
        "mean extra cost over Piccolo (%)",
    )
    return "Bars: measured, with 95 % intervals; a longer bar means a larger saving. Orange marks: published means."


@drawn(
    "figure-6",
    "Figure 6. How much throughput do multiplexing, batching and mixed hardware give?",
    panels=2,
    height=3.8,
    width_ratios=(1, 1.35),
)
def figure_6(
    axes: Sequence[Axes],
    measures: Mapping[str, Measured],
    modules: pd.DataFrame,
    application: str,
    published: Values,
) -> str:
    """Throughput of one module without spatial multiplexing, without batching and on one hardware type."""
    labels = ("np", "nb", "nh")
    variants(axes[0], measures, published, PICCOLO, labels, "throughput_less", THROUGHPUT_LESS.format("Piccolo"))
    given = given_module(modules, PICCOLO.own, application)
    series = {PICCOLO.variant(n): relative_throughput(modules, PICCOLO.run(n), given) for n in labels}
    distribution(axes[1], series, "throughput per unit of money over Piccolo's")
    axes[1].axvline(1.0, color=MUTED, linewidth=1.0)
    return (
        f"The module that Piccolo spends most on ({given}). Left: means with 95 % intervals. Right: distribution over "
        "the workloads of its application. Right of 1 the alternative's throughput is larger."
    )


@drawn("figure-7", "Figure 7. What do one or two configurations per module cost?")
def figure_7(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Cost of one and two configurations per module."""
    variant_costs(axes[0], runs, published, PICCOLO, ("1bpc", "2bpc"))
    return "Distribution over all workloads; lower is better."


@drawn("figure-8", "Figure 8. How much latency does throughput-cost dispatch save?", height=2.3)
def figure_8(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Worst-case latency of the same configurations under other dispatch."""
    unit = "extra worst-case latency (%)"
    variants(axes[0], measures, published, PICCOLO, ("2d", "dt"), "latency_extra", unit)
    return (
        "Lower is better. The configuration that carries most of Picc-2d's most expensive module, under each dispatch; "
        "means over all workloads, with 95 % intervals."
    )


@drawn("figure-9", "Figure 9. Where does throughput-based splitting fail?")
def figure_9(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Cost of throughput-based splitting on applications with two and with three modules."""
    two, more = by_modules(normalized(costs(runs), PICCOLO.own), sizes(runs))
    names = {"Picc-tb, 2 modules": two, "Picc-tb, 3 modules and more": more}
    distribution(axes[0], names, PICCOLO.normalized_cost)
    published_line(axes[0], 1 + published["tb_two_modules_max_extra"] / 100, "paper: largest with 2 modules", 0)
    least, most = (1 + published[f"tb_three_modules_{end}_extra"] / 100 for end in ("min", "max"))
    axes[0].axvspan(least, most, color=PUBLISHED, alpha=0.18, linewidth=0, label="paper: all with 3 modules")
    legend_beside(axes[0])
    return "Lower is better. Distribution over the workloads of applications with two modules, and with three and more."


@drawn("figure-10", "Figure 10. What does splitting the latency in steps of 0.01 or 0.1 s cost?")
def figure_10(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Cost of splitting in steps."""
    variant_costs(axes[0], runs, published, PICCOLO, ("q0.01", "q0.1"))
    return "Lower is better. Workloads left of 1 are cheaper with splitting in steps than with Piccolo."


@drawn("figure-11", "Figure 11. How much latency is left unused without the reassigner?")
def figure_11(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Remaining latency budget without and with one reassignment."""
    return latency_left(axes[0], runs, published, PICCOLO)


@drawn("figure-gaps", "How much does Piccolo lose where it is not optimal?")
def figure_gaps(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of Piccolo's extra cost over both optima."""
    cost = costs(runs)[PICCOLO.own]
    optima = {SPLIT_OPTIMUM: least_of_splits(runs), PLAN_OPTIMUM: plan_optimum(runs)}
    gaps = {label: (cost / optima[name] - 1) * 100 for name, label in OPTIMA.items()}
    distribution(axes[0], gaps, "extra cost of Piccolo (%)")
    return (
        "Lower is better. Against the best split under its own scheduler, and against the best plan of its whole plan "
        "space."
    )


def figures(tables: Mapping[str, pd.DataFrame], scores: Sequence[Score], application: str) -> list[Figure]:
    """Figures 4 to 11, and the gaps; the most expensive module of `application` is the given one."""
    runs = tables["runs"]
    measures: Mapping[str, Measured] = {score.published.key: score.measured for score in scores}
    published = {score.published.key: score.published.value for score in scores}
    return [
        figure_4(runs),
        figure_5(measures, published),
        figure_6(measures, module_figures(tables["allocations"]), application, published),
        figure_7(runs, published),
        figure_8(measures, published),
        figure_9(runs, published),
        figure_10(runs, published),
        figure_11(runs, published),
        figure_gaps(runs),
    ]
