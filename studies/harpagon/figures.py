"""Figures 5 to 12 of Harpagon from our runs, a map of the workloads with optimal plans, and the gap decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.questions.comparison.figures import CAPTION
from euclio.questions.comparison.figures import draw_decomposition as draw_decomposition
from euclio.report import MUTED, Figure, figure_style, svg_text
from euclio.report.analysis.charts import bars
from euclio.report.analysis.heat_map import draw_cells
from euclio.report.analysis.statistics import mean, measured
from euclio.report.drawings import drawn
from euclio.report.drawn_data import drawn_data
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs
from studies.harpagon.measures import (
    ABLATION_RUNS,
    PLAN_OPTIMUM,
    REPRICED_RUN,
    SPLIT_OPTIMUM,
    SYSTEM,
    THREE_MODULE_APPLICATION,
)
from studies.modules import majority_configurations, module_figures
from studies.papers.costs import normalized
from studies.papers.harpagon import HARPAGON, NO_DUMMIES, THREE_GIVEN, second_configuration
from studies.papers.modules import GivenModule, dispatch, given_modules, less, relative_throughput
from studies.session_figures import (
    THROUGHPUT_LESS,
    Tables,
    Values,
    costs_figure,
    features_figure,
    gaps_figure,
    left_figure,
    parts,
    references_figure,
    steps_figure,
    variant_costs,
    variants,
)

QUESTION = "Gap decomposition. Is the design to blame, or the heuristic?"
LESS = THROUGHPUT_LESS.format("Harpagon")

figure_references = references_figure(SYSTEM, 2.9)


@drawn("figure-8", "Figure 8. What do one or two configurations per module cost?", panels=2, height=3.8)
def figure_8(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Cost and throughput of one and two configurations per module."""
    variant_costs(axes[0], tables["runs"], published, SYSTEM, ("1c", "2c"))
    modules = module_figures(tables["allocations"])
    given = SYSTEM.given(modules)
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


@drawn(
    "figure-7",
    "Figure 7. How much latency and throughput does throughput-cost dispatch gain?",
    panels=2,
    height=3.8,
    width_ratios=(1, 1.35),
)
def figure_7(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Worst-case latency of the same plans under other dispatch, and the throughput that it costs."""
    found = measured(dispatch(majority_configurations(tables["allocations"], REPRICED_RUN)))
    variants(axes[0], found, published, SYSTEM, ("2d", "dt"), "latency_extra", "extra worst-case latency (%)")
    modules = module_figures(tables["allocations"])
    given = given_modules(modules, HARPAGON, THREE_GIVEN)
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
def figure_9(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Throughput without batching and without heterogeneous hardware."""
    modules, labels = module_figures(tables["allocations"]), ("nb", "nhc", "nhe")
    given = SYSTEM.given(modules)
    found = measured({f"{n}_throughput_less": less(modules, SYSTEM.run(n), given) for n in labels})
    variants(axes[0], found, published, SYSTEM, labels, "throughput_less", LESS)
    return "Lost throughput, lower is better. The module that Harpagon spends most on, with 95 % intervals."


@drawn("figure-11", "Figure 11. Which module wins and which loses under throughput-based splitting?", height=2.5)
def figure_11(axes: Sequence[Axes], tables: Tables, _: Values) -> str:
    """Throughput per module of a three-module application under throughput-based splitting."""
    runs, modules = tables["runs"], module_figures(tables["allocations"])
    application, names = THREE_MODULE_APPLICATION
    given = [GivenModule(application, name) for name in names]
    shown = {g.module: mean(relative_throughput(modules, "harpagon:tb", g)) for g in given}
    bars(axes[0], shown, {}, "throughput per unit of money over Harpagon's", digits=2)
    axes[0].axvline(1.0, color=MUTED, linestyle="--", linewidth=1.2)
    count = runs.drop_duplicates("workload").set_index("workload").modules
    ratio = normalized(costs(runs), HARPAGON)[SYSTEM.run("tb")]
    by = ", ".join(f"{n} modules {percent(extra, 1)}" for n, extra in (ratio - 1).groupby(count).mean().items())
    return (
        f"Application {application}, Harp-tb; dashed: Harpagon. The paper prints no numbers next to its bars. It says "
        "that one module gains latency and throughput at the others' expense, and that Harp-tb loses more with more "
        f"modules. Mean extra cost of Harp-tb here: {by}."
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
def figure_map(axes: Sequence[Axes], tables: Tables, _: Values) -> str:
    """Heat maps of the split-optimal and the plan-optimal share."""
    for k, (axis, reference, label) in enumerate(zip(axes, (SPLIT_OPTIMUM, PLAN_OPTIMUM), SYSTEM.optima, strict=True)):
        shares, sizes = optimal_share_map(tables["runs"], reference)
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


def figure_decomposition(table: pd.DataFrame) -> Figure:
    """Stacked bars of all systems."""
    key = "figure-decomposition"
    with figure_style():
        drawing = draw_decomposition(table, QUESTION)
        return Figure(key, svg_text(drawing, key, QUESTION), CAPTION, QUESTION, drawn_data(drawing))


BOTH_OPTIMA = (HARPAGON, SPLIT_OPTIMUM, PLAN_OPTIMUM)
PARTS = parts(
    (costs_figure(5, SYSTEM), (HARPAGON, *BASELINES, SPLIT_OPTIMUM, PLAN_OPTIMUM)),
    (features_figure(6, SYSTEM, 5.2), (HARPAGON, *ABLATION_RUNS)),
    (figure_7, SYSTEM.runs("2d", "dt")),
    (figure_8, (*SYSTEM.runs("1c", "2c"), NO_DUMMIES)),
    (figure_9, SYSTEM.runs("nb", "nhc", "nhe")),
    (left_figure(10, SYSTEM), SYSTEM.runs("0re", "1re")),
    (figure_11, SYSTEM.runs("tb")),
    (steps_figure(12, SYSTEM), SYSTEM.runs("q0.01", "q0.1")),
    (figure_map, BOTH_OPTIMA),
    (gaps_figure(SYSTEM), BOTH_OPTIMA),
)
"""The figures in the order of the page; the opening pictures and all tables need more runs."""
