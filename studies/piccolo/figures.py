"""Figures 4 to 11 of Piccolo from our runs, and its loss where it is not optimal."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from euclio.core.figures import MUTED, PUBLISHED, legend_beside
from euclio.report.analysis.charts import distribution, published_line
from euclio.report.analysis.statistics import measured
from euclio.report.drawings import drawn
from studies.costs import costs
from studies.inference.reference import reference_setting
from studies.modules import majority_configurations, module_figures, sizes
from studies.papers.costs import normalized
from studies.papers.modules import ROUND_ROBIN, dispatch, relative_throughput
from studies.papers.piccolo import PICCOLO, by_modules, throughputs
from studies.piccolo.measures import SYSTEM
from studies.session_figures import (
    THROUGHPUT_LESS,
    MakeFigure,
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

figure_references = references_figure(SYSTEM, 2.1)


@drawn(
    "figure-6",
    "Figure 6. How much throughput do multiplexing, batching and mixed hardware give?",
    panels=2,
    height=3.8,
    width_ratios=(1, 1.35),
)
def figure_6(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Throughput of one module without spatial multiplexing, without batching and on one hardware type."""
    labels, modules = ("np", "nb", "nh"), module_figures(tables["allocations"])
    found = measured(throughputs(modules, reference_setting(PICCOLO).given))
    variants(axes[0], found, published, SYSTEM, labels, "throughput_less", THROUGHPUT_LESS.format("Piccolo"))
    given = SYSTEM.given(modules)
    series = {SYSTEM.variant(n): relative_throughput(modules, SYSTEM.run(n), given) for n in labels}
    distribution(axes[1], series, "throughput per unit of money over Piccolo's")
    axes[1].axvline(1.0, color=MUTED, linewidth=1.0)
    return (
        f"The module that Piccolo spends most on ({given}). Left: means with 95 % intervals. Right: distribution over "
        "the workloads of its application. Right of 1 the alternative's throughput is larger."
    )


@drawn("figure-7", "Figure 7. What do one or two configurations per module cost?")
def figure_7(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Cost of one and two configurations per module."""
    variant_costs(axes[0], tables["runs"], published, SYSTEM, ("1bpc", "2bpc"))
    return "Distribution over all workloads; lower is better."


@drawn("figure-8", "Figure 8. How much latency does throughput-cost dispatch save?", height=2.3)
def figure_8(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Worst-case latency of the same configurations under other dispatch."""
    found = measured(dispatch(majority_configurations(tables["allocations"], SYSTEM.run(ROUND_ROBIN))))
    variants(axes[0], found, published, SYSTEM, ("2d", "dt"), "latency_extra", "extra worst-case latency (%)")
    return (
        "Lower is better. The configuration that carries most of Picc-2d's most expensive module, under each dispatch; "
        "means over all workloads, with 95 % intervals."
    )


@drawn("figure-9", "Figure 9. Where does throughput-based splitting fail?")
def figure_9(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
    """Cost of throughput-based splitting on applications with two and with three modules."""
    runs = tables["runs"]
    two, more = by_modules(normalized(costs(runs), PICCOLO), sizes(runs))
    names = {"Picc-tb, 2 modules": two, "Picc-tb, 3 modules and more": more}
    distribution(axes[0], names, SYSTEM.normalized_cost)
    published_line(axes[0], 1 + published["tb_two_modules_max_extra"] / 100, "paper: largest with 2 modules", 0)
    least, most = (1 + published[f"tb_three_modules_{end}_extra"] / 100 for end in ("min", "max"))
    axes[0].axvspan(least, most, color=PUBLISHED, alpha=0.18, linewidth=0, label="paper: all with 3 modules")
    legend_beside(axes[0])
    return "Lower is better. Distribution over the workloads of applications with two modules, and with three and more."


PARTS = parts(
    (features_figure(5, SYSTEM, 4.8), SYSTEM.runs(*SYSTEM.variants)),
    (figure_6, SYSTEM.runs("np", "nb", "nh")),
    (figure_7, SYSTEM.runs("1bpc", "2bpc")),
    (figure_8, SYSTEM.runs("2d", "dt")),
    (figure_9, SYSTEM.runs("tb")),
    (steps_figure(10, SYSTEM), SYSTEM.runs("q0.01", "q0.1")),
    (left_figure(11, SYSTEM), SYSTEM.runs("0re", "1re")),
)
"""The figures whose runs do not depend on others, unlike those of the best split, and all tables."""
FIGURES: tuple[MakeFigure, ...] = (
    costs_figure(4, SYSTEM),
    *(part.make for part in PARTS.values()),
    gaps_figure(SYSTEM),
)
"""The figures in the order of the page."""
