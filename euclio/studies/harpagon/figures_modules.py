"""Figures 7, 9, 10 and 11: latency, throughput and remaining budget of single modules and sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.analysis.statistics import Measured, mean
from euclio.report import MUTED, Figure
from euclio.studies.charts import bars, distribution, drawn, published_line
from euclio.studies.harpagon.measure_modules import (
    GIVEN_MODULES,
    THREE_MODULE_APPLICATION,
    Given,
    less,
    relative_throughput,
)
from euclio.studies.harpagon.measure_residual import remaining_budget

Values = Mapping[str, float]
THROUGHPUT_LESS = "throughput per unit of money below Harpagon's (%)"


def figure_7(measures: Mapping[str, Measured], modules: pd.DataFrame, published: Values) -> Figure:
    """Worst-case latency of the same plans under other dispatch, and the throughput that it costs."""

    def draw(axes: Sequence[Axes]) -> None:
        bars(
            axes[0],
            {f"Harp-{n}": measures[f"{n}_latency_extra"] for n in ("2d", "dt")},
            {f"Harp-{n}": published[f"{n}_latency_extra"] for n in ("2d", "dt")},
            "extra worst-case latency (%)",
        )
        shown = {
            f"Harp-{n}, {g.network}": less(modules, f"harpagon:{n}", g) for n in ("2d", "dt") for g in GIVEN_MODULES
        }
        marks = {
            f"Harp-{n}, {g.network}": (published[f"{n}_throughput_less_min"], published[f"{n}_throughput_less_max"])
            for n in ("2d", "dt")
            for g in GIVEN_MODULES
        }
        bars(axes[1], shown, marks, THROUGHPUT_LESS)

    return drawn(
        "figure-7",
        "Figure 7. How much latency does throughput-cost dispatch save, and what does that buy?",
        "Left: module plans of Harp-2d, priced under each dispatch; mean over all modules of all workloads. Right: the "
        "modules that run SSD, PRNet and OpenPose; orange bands: the published range over three unnamed modules.",
        draw,
        panels=2,
        height=3.8,
        width_ratios=(1, 1.35),
    )


def figure_9(measures: Mapping[str, Measured], published: Values) -> Figure:
    """Throughput without batching and without heterogeneous hardware."""

    def draw(axes: Sequence[Axes]) -> None:
        names = ("nb", "nhc", "nhe")
        shown = {f"Harp-{n}": measures[f"{n}_throughput_less"] for n in names}
        bars(axes[0], shown, {f"Harp-{n}": published[f"{n}_throughput_less"] for n in names}, THROUGHPUT_LESS)

    return drawn(
        "figure-9",
        "Figure 9. How much throughput do batching and mixed hardware give?",
        "The module that runs SSD (detector of traffic), with 95 % intervals.",
        draw,
        height=2.5,
    )


def figure_10(runs: pd.DataFrame, published: Values) -> Figure:
    """Remaining latency budget without and with one reassignment."""

    def draw(axes: Sequence[Axes]) -> None:
        series = {f"Harp-{n}": remaining_budget(runs, f"harpagon:{n}") for n in ("0re", "1re")}
        distribution(axes[0], series, "remaining latency budget over Harpagon's (log scale)", log=True)
        for k, name in enumerate(("0re", "1re")):
            value = published[f"{name}_remaining_budget"]
            published_line(axes[0], value, f"paper: mean of Harp-{name}", k)

    return drawn(
        "figure-10",
        "Figure 10. How much latency is left unused without the reassigner?",
        "Workloads on which Harpagon itself leaves at least a microsecond.",
        draw,
    )


def figure_11(modules: pd.DataFrame) -> Figure:
    """Throughput per module of a three-module application under throughput-based splitting."""

    def draw(axes: Sequence[Axes]) -> None:
        application, names = THREE_MODULE_APPLICATION
        given = [Given(application, name, "") for name in names]
        shown = {g.module: mean(relative_throughput(modules, "harpagon:tb", g)) for g in given}
        bars(axes[0], shown, {}, "throughput per unit of money over Harpagon's", digits=2)
        axes[0].axvline(1.0, color=MUTED, linestyle="--", linewidth=1.2)

    return drawn(
        "figure-11",
        "Figure 11. Which module wins and which loses under throughput-based splitting?",
        "Application traffic, Harp-tb; dashed: Harpagon. The paper prints no numbers next to its bars.",
        draw,
        height=2.5,
    )
