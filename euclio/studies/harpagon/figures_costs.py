"""Figures 5, 6, 8 and 12: what systems and ablations cost against Harpagon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.analysis.statistics import Measured, mean
from euclio.report import PALETTE, Figure
from euclio.studies.charts import bars, distribution, drawn, published_line
from euclio.studies.harpagon.frames import normalized
from euclio.studies.harpagon.measure_modules import less
from euclio.studies.harpagon.tasks import ABLATIONS, BASELINES, PLAN_OPTIMUM, SPLIT_OPTIMUM

NORMALIZED = "normalized cost (cost over Harpagon's)"
PUBLISHED_MEANS = (1.493, 2.372)
PUBLISHED_LARGEST = 3.2
EXTRA = "mean extra cost over Harpagon (%)"
OPTIMA = {SPLIT_OPTIMUM: "split optimum", PLAN_OPTIMUM: "plan optimum"}

Values = Mapping[str, float]


def figure_5(runs: pd.DataFrame) -> Figure:
    """Means and distributions of the normalized cost of baselines and optima."""
    table = normalized(runs)
    names = {**{name: name for name in BASELINES}, **OPTIMA}

    def draw(axes: Sequence[Axes]) -> None:
        shown = {"harpagon": Measured(1.0)} | {label: mean(table[name]) for name, label in names.items()}
        bars(axes[0], shown, {}, NORMALIZED, digits=3)
        axes[0].axvspan(*PUBLISHED_MEANS, color=PALETTE[1], alpha=0.18, linewidth=0)
        distribution(axes[1], {label: table[name] for name, label in names.items()}, NORMALIZED)
        published_line(axes[1], PUBLISHED_LARGEST, "paper: largest of all")

    return drawn(
        "figure-5",
        "Figure 5. How much more expensive are the baselines, and how much cheaper is the optimum?",
        "Left: means with 95 % intervals; shaded: the published range of the four baselines, 1.493 to 2.372. "
        "Right: distribution over all workloads.",
        draw,
        panels=2,
        height=4.2,
        width_ratios=(1, 1.35),
    )


def figure_6(measures: Mapping[str, Measured], published: Values) -> Figure:
    """Mean extra cost of the 15 ablations."""

    def draw(axes: Sequence[Axes]) -> None:
        shown = {f"Harp-{name}": measures[f"{name}_mean_extra"] for name in ABLATIONS}
        bars(axes[0], shown, {f"Harp-{n}": published[f"{n}_mean_extra"] for n in ABLATIONS}, EXTRA)

    return drawn(
        "figure-6",
        "Figure 6. How much does each feature of Harpagon save?",
        "Bars: measured, with 95 % intervals. Orange marks: published means.",
        draw,
        height=5.2,
    )


def figure_8(runs: pd.DataFrame, modules: pd.DataFrame, published: Values) -> Figure:
    """Cost and throughput of one and two configurations per module."""
    table = normalized(runs)

    def draw(axes: Sequence[Axes]) -> None:
        distribution(axes[0], {f"Harp-{n}": table[f"harpagon:{n}"] for n in ("1c", "2c")}, NORMALIZED)
        published_line(axes[0], 1 + published["1c_max_extra"] / 100, "paper: largest of Harp-1c", 0)
        published_line(axes[0], 1 + published["2c_max_extra"] / 100, "paper: largest of Harp-2c", 1)
        shown = {
            "Harp-1c, its only": less(modules, "harpagon:1c", column="first"),
            "Harp-2c, first": less(modules, "harpagon:2c", column="first"),
            "Harp-2c, second": less(modules, "harpagon:2c", column="second"),
        }
        marks = {
            "Harp-1c, its only": published["1c_throughput_less"],
            "Harp-2c, second": published["2c_second_throughput_less"],
        }
        bars(axes[1], shown, marks, "throughput below Harpagon's (%)")

    return drawn(
        "figure-8",
        "Figure 8. What do one or two configurations per module cost?",
        "Left: distribution over all workloads. Right: the module that runs SSD, configuration against "
        "Harpagon's at the same place.",
        draw,
        panels=2,
        height=3.8,
    )


def figure_12(runs: pd.DataFrame, published: Values) -> Figure:
    """Cost of splitting in steps."""
    table = normalized(runs)

    def draw(axes: Sequence[Axes]) -> None:
        distribution(axes[0], {f"Harp-{n}": table[f"harpagon:{n}"] for n in ("q0.01", "q0.1")}, NORMALIZED)
        published_line(axes[0], 1 + published["q0.01_max_extra"] / 100, "paper: largest of Harp-q0.01", 0)
        published_line(axes[0], 1 + published["q0.1_max_extra"] / 100, "paper: largest of Harp-q0.1", 1)

    return drawn(
        "figure-12",
        "Figure 12. What does splitting the latency in steps of 0.01 or 0.1 s cost?",
        "Left of 1: workloads on which splitting in steps is cheaper than Harpagon.",
        draw,
    )
