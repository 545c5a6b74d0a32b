"""Figures 5 to 12 of Harpagon from our runs, a map of the workloads with optimal plans, and the gap decomposition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.questions.comparison.figures import CAPTION
from euclio.questions.comparison.figures import draw_decomposition as draw_decomposition
from euclio.report import MUTED, Figure, figure_style, svg_text
from euclio.report.analysis.charts import bars, distribution
from euclio.report.analysis.heat_map import draw_cells
from euclio.report.analysis.statistics import Measured, mean
from euclio.report.drawings import drawn
from euclio.report.drawn_data import drawn_data
from euclio.workloads.session.acceptance import ABLATIONS
from studies.costs import costs
from studies.harpagon.measures import PLAN_OPTIMUM, SPLIT_OPTIMUM, THREE_MODULE_APPLICATION
from studies.modules import module_figures
from studies.papers.costs import normalized
from studies.papers.harpagon import THREE_GIVEN, second_configuration
from studies.papers.modules import GivenModule, given_module, given_modules, less, relative_throughput
from studies.scorecard import Score
from studies.session_figures import (
    HARPAGON,
    THROUGHPUT_LESS,
    baselines_and_optima,
    dots,
    latency_left,
    variant_costs,
    variants,
)

QUESTION = "Gap decomposition. Is the design to blame, or the heuristic?"
LESS = THROUGHPUT_LESS.format("Harpagon")
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
    table = normalized(costs(runs), HARPAGON.own)
    return baselines_and_optima(axes, table, HARPAGON, OPTIMA, PUBLISHED_MEANS, PUBLISHED_LARGEST)


@drawn("figure-6", "Figure 6. How much does each feature of Harpagon save?", height=5.2)
def figure_6(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Mean extra cost of the 15 ablations."""
    variants(axes[0], measures, published, HARPAGON, ABLATIONS, "mean_extra", EXTRA)
    return "Bars: measured, with 95 % intervals; a longer bar means a larger saving. Orange marks: published means."


@drawn("figure-8", "Figure 8. What do one or two configurations per module cost?", panels=2, height=3.8)
def figure_8(
    axes: Sequence[Axes], runs: pd.DataFrame, modules: pd.DataFrame, application: str, published: Values
) -> str:
    """Cost and throughput of one and two configurations per module."""
    variant_costs(axes[0], runs, published, HARPAGON, ("1c", "2c"))
    given = given_module(modules, HARPAGON.own, application)
    shown = {
        "Harp-1c, its only": less(modules, "harpagon:1c", given, "first").measured(),
        "Harp-2c, first": less(modules, "harpagon:2c", given, "first").measured(),
        "Harp-2c, second": second_configuration(modules, given).measured(),
    }
    marks = {
        "Harp-1c, its only": published["1c_throughput_less"],
        "Harp-2c, second": published["2c_second_throughput_less"],
    }
    bars(axes[1], shown, marks, "throughput below Harpagon's (%)")
    return (
        "Left: distribution over all workloads; lower is better. Right: the module that Harpagon spends most on "
        f"({given}), configuration against Harpagon's at the same place, the second one against Harp-nd's."
    )


@drawn("figure-12", "Figure 12. What does splitting the latency in steps of 0.01 or 0.1 s cost?")
def figure_12(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Cost of splitting in steps."""
    variant_costs(axes[0], runs, published, HARPAGON, ("q0.01", "q0.1"))
    return "Lower is better. Workloads left of 1 are cheaper with splitting in steps than with Harpagon."


@drawn(
    "figure-7",
    "Figure 7. How much latency and throughput does throughput-cost dispatch gain?",
    panels=2,
    height=3.8,
    width_ratios=(1, 1.35),
)
def figure_7(axes: Sequence[Axes], measures: Mapping[str, Measured], modules: pd.DataFrame, published: Values) -> str:
    """Worst-case latency of the same plans under other dispatch, and the throughput that it costs."""
    variants(axes[0], measures, published, HARPAGON, ("2d", "dt"), "latency_extra", "extra worst-case latency (%)")
    given = given_modules(modules, HARPAGON.own, THREE_GIVEN)
    shown = {f"Harp-{n}, {g}": less(modules, f"harpagon:{n}", g).measured() for n in ("2d", "dt") for g in given}
    marks = {
        f"Harp-{n}, {g}": (published[f"{n}_throughput_less_min"], published[f"{n}_throughput_less_max"])
        for n in ("2d", "dt")
        for g in given
    }
    bars(axes[1], shown, marks, LESS)
    return (
        "Left, lower is better: the configuration that carries most of Harp-2d's most expensive module, under each "
        "dispatch; mean over all workloads. Right: the modules that Harpagon spends most on in three applications; "
        "orange bands: the published range over three unnamed modules."
    )


@drawn("figure-9", "Figure 9. How much throughput do batching and mixed hardware give?", height=2.5)
def figure_9(axes: Sequence[Axes], measures: Mapping[str, Measured], published: Values) -> str:
    """Throughput without batching and without heterogeneous hardware."""
    variants(axes[0], measures, published, HARPAGON, ("nb", "nhc", "nhe"), "throughput_less", LESS)
    return "Lost throughput, lower is better. The module that Harpagon spends most on, with 95 % intervals."


@drawn("figure-10", "Figure 10. How much latency is left unused without the reassigner?")
def figure_10(axes: Sequence[Axes], runs: pd.DataFrame, published: Values) -> str:
    """Remaining latency budget without and with one reassignment."""
    return latency_left(axes[0], runs, published, HARPAGON)


@drawn("figure-11", "Figure 11. Which module wins and which loses under throughput-based splitting?", height=2.5)
def figure_11(axes: Sequence[Axes], runs: pd.DataFrame, modules: pd.DataFrame) -> str:
    """Throughput per module of a three-module application under throughput-based splitting."""
    application, names = THREE_MODULE_APPLICATION
    given = [GivenModule(application, name) for name in names]
    shown = {g.module: mean(relative_throughput(modules, "harpagon:tb", g)) for g in given}
    bars(axes[0], shown, {}, "throughput per unit of money over Harpagon's", digits=2)
    axes[0].axvline(1.0, color=MUTED, linestyle="--", linewidth=1.2)
    count = runs.drop_duplicates("workload").set_index("workload").modules
    ratio = normalized(costs(runs), HARPAGON.own)[HARPAGON.run("tb")]
    by = ", ".join(f"{n} modules {percent(extra, 1)}" for n, extra in (ratio - 1).groupby(count).mean().items())
    return (
        f"Application {application}, Harp-tb; dashed: Harpagon. The paper prints no numbers next to its bars. It says "
        "that one module gains latency and throughput at the others' expense, and that Harp-tb loses more with more "
        f"modules. Mean extra cost of Harp-tb here: {by}."
    )


@drawn("figure-references", "Harpagon is optimal on 91.5 % of the workloads. Optimal among what?", height=2.9)
def figure_references(axes: Sequence[Axes], found: Mapping[str, Measured], score: Score) -> str:
    """Share of workloads on which Harpagon reaches each reference, next to the published share."""
    return dots(axes[0], found, score, HARPAGON)


CELLS = 5


def optimal_share_map(runs: pd.DataFrame, reference: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Share of workloads on which Harpagon matches a reference, by fifths of request rate and of tightness.

    Returns:
        The share in per cent and the number of workloads; rows: tightness, columns: request rate.
    """
    table = costs(runs)[[HARPAGON.own, reference]].dropna()
    about = runs.drop_duplicates("workload").set_index("workload").loc[table.index]
    hit = pd.DataFrame(
        {
            "hit": table[HARPAGON.own] <= table[reference] * (1 + OPTIMALITY_TOLERANCE),
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
        axis.set(title=f"costs no more than the {label}", xlabel="request rate (req/s)")
        if k == 0:
            axis.set_ylabel("SLO between least (0) and\nmost useful latency (1)")
        else:
            axis.set_yticklabels([])
    return (
        "Share of the workloads in per cent on which Harpagon is optimal (higher is better), number of workloads in "
        "brackets; fifths of rate and tightness."
    )


@drawn("figure-gaps", "How much does Harpagon lose where it is not optimal?")
def figure_gaps(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of Harpagon's extra cost over both optima."""
    table = costs(runs)
    gaps = {label: (table[HARPAGON.own] / table[name] - 1) * 100 for name, label in OPTIMA.items()}
    distribution(axes[0], gaps, "extra cost of Harpagon (%)")
    return (
        "Lower is better. Against the best split under its own scheduler, and against the best plan of its whole plan "
        "space."
    )


def figure_decomposition(table: pd.DataFrame) -> Figure:
    """Stacked bars of all systems."""
    key = "figure-decomposition"
    with figure_style():
        drawing = draw_decomposition(table, QUESTION)
        return Figure(key, svg_text(drawing, key, QUESTION), CAPTION, QUESTION, drawn_data(drawing))


def figures(tables: Mapping[str, pd.DataFrame], scores: Sequence[Score], application: str) -> list[Figure]:
    """Figures 5 to 12, the map and the gaps; the most expensive module of `application` is the given one."""
    runs = tables["runs"]
    measures: Mapping[str, Measured] = {score.published.key: score.measured for score in scores}
    published = {score.published.key: score.published.value for score in scores}
    modules = module_figures(tables["allocations"])
    return [
        figure_5(runs),
        figure_6(measures, published),
        figure_7(measures, modules, published),
        figure_8(runs, modules, application, published),
        figure_9(measures, published),
        figure_10(runs, published),
        figure_11(runs, modules),
        figure_12(runs, published),
        figure_map(runs),
        figure_gaps(runs),
    ]
