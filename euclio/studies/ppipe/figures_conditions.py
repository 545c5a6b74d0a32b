"""Figures 2, 3, 13 and 14: the profiles, what conditions change, and how long planning takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from euclio.report import MUTED, PALETTE, Figure
from euclio.studies.charts import drawn
from euclio.studies.ppipe.cases import MARGINS, RATIOS, SCALES
from euclio.studies.ppipe.measures import sensitivity
from euclio.studies.ppipe.planning import BY_COUNT, BY_TYPES
from euclio.studies.ppipe.profiles import BATCH, GPUS, SHOWN, SLO_S, WINDOW
from euclio.studies.ppipe.systems import PPIPE, PRINTED

PUBLISHED_GAINS = {SCALES: {2: 0.0}, RATIOS: {0: 64.03, 5: 5.64}, MARGINS: {20: 24.9, 40: 52.8, 60: 16.4}}
"""Printed gains by place on the axis."""


def figure_2(latencies: pd.DataFrame) -> Figure:
    """Latency of every model on every GPU type."""

    def draw(axes: Sequence[Axes]) -> None:
        places = np.arange(len(latencies))
        for k, gpu in enumerate(GPUS):
            values = 1000 * latencies[f"{gpu}_{BATCH}"]
            axes[0].bar(places + (k - 1.5) * 0.2, values, 0.19, color=PALETTE[k], label=gpu)
        axes[0].axhline(1000 * SLO_S, color=MUTED, linewidth=1.0, linestyle="--", label="200 ms")
        axes[0].set_xticks(places, list(latencies.index), rotation=45, ha="right")
        axes[0].set_ylabel(f"latency, batch {BATCH} (ms)")
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5)

    return drawn(
        "figure-2",
        "Figure 2. How much slower are low-class GPUs?",
        "Synthetic profiles, whole models on whole GPUs. Published: 3.0 to 7.9 times longer on P4 than on L4, and 22 % "
        "of the models within 200 ms on P4.",
        draw,
        height=3.9,
    )


def figure_3(ratios: pd.DataFrame) -> Figure:
    """Latency ratios along the depth of EfficientNet-B8."""

    def draw(axes: Sequence[Axes]) -> None:
        for k, name in enumerate(ratios):
            axes[0].plot(ratios.index, ratios[name], color=PALETTE[k], label=str(name))
        axes[0].set_xlabel(f"layer of {SHOWN} (middle of {WINDOW} layers)")
        axes[0].set_ylabel("latency ratio")
        axes[0].set_ylim(0, None)
        axes[0].grid(color=MUTED, alpha=0.25, linewidth=0.6)
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5)

    return drawn(
        "figure-3",
        "Figure 3. Where in a model is the low-class GPU nearly as fast?",
        "Synthetic profile. As published, the early layers favour P4 next to L4 (ratio about 1.7), and the late ones "
        "next to V100.",
        draw,
        height=2.9,
    )


def figure_13(serving: pd.DataFrame) -> Figure:
    """Highest loads and gain over NP by SLO scale, GPU ratio and margin."""
    tables = [sensitivity(serving, study) for study in (SCALES, RATIOS, MARGINS)]
    tables[1] = tables[1].assign(ratio=[f"{h}:{low}" for h, low in zip(tables[1].high, tables[1].low, strict=True)])
    tables[2] = tables[2].assign(percent=(100 * tables[2].margin).round())

    def draw(axes: Sequence[Axes]) -> None:
        columns = (
            ("slo_scale", "SLO scale", SCALES),
            ("ratio", "high:low GPUs", RATIOS),
            ("percent", "margin (%)", MARGINS),
        )
        for panel, table, (column, label, study) in zip(axes, tables, columns, strict=True):
            order = table.sort_values("high")[column].unique() if column == "ratio" else sorted(table[column].unique())
            finite = table[np.isfinite(table.gain)]
            gain = finite.groupby(column).gain.mean().reindex(order)
            x = np.arange(len(order)) if column == "ratio" else np.array(order, dtype=float)
            panel.plot(x, gain, color=PALETTE[2], marker="o", markersize=3.5, label="measured gain over NP")
            for k, value in PUBLISHED_GAINS[study].items():
                panel.plot([k], [value], color=PALETTE[1], marker="D", linestyle="", label="published")
            if column == "ratio":
                panel.set_xticks(x, list(order))
            panel.set_xlabel(label)
            panel.grid(color=MUTED, alpha=0.25, linewidth=0.6)
            panel.axhline(0, color=MUTED, linewidth=0.8)
        axes[0].set_ylabel("PPipe's load over NP's, less 1 (%)")
        handles, labels = axes[0].get_legend_handles_labels()
        figure = axes[0].get_figure()
        if figure is not None:
            figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8.5)

    return drawn(
        "figure-13",
        "Figure 13. When does partitioning pay?",
        f"Mean gain in the highest load with 99 % attainment over the {tables[0].group.nunique()} models that are "
        "served alone on HC1-S, Poisson arrivals. SLO over the latency on L4; 16 GPUs; margin that plans leave free.",
        draw,
        panels=3,
        height=3.6,
    )


def figure_14(planning: pd.DataFrame) -> Figure:
    """Planning time by number of GPUs and of GPU types."""
    shown = planning[planning.study.isin([BY_COUNT, BY_TYPES])]
    own = shown[shown.system == PPIPE]
    gap = 100.0 * (own.bound_rps / own.planned_rps - 1.0).max()

    def draw(axes: Sequence[Axes]) -> None:
        for panel, study, column in ((axes[0], BY_COUNT, "gpus"), (axes[1], BY_TYPES, "gpu_types")):
            for k, (system, label) in enumerate(((PPIPE, "columns"), (PRINTED, "printed MILP, HiGHS"))):
                rows = shown[(shown.study == study) & (shown.system == system)].sort_values(column)
                panel.plot(rows[column], rows.wall_s, color=PALETTE[k], marker="o", markersize=3.5, label=label)
                open_ = rows[rows.status != "optimal"]
                panel.plot(open_[column], open_.wall_s, color=PALETTE[k], marker="^", markersize=8, linestyle="")
            panel.set_yscale("log")
            panel.set_ylim(10 ** np.floor(np.log10(shown.wall_s.min())), 200.0)
            panel.yaxis.set_major_formatter("{x:g}")
            panel.yaxis.set_minor_formatter(NullFormatter())
            panel.grid(color=MUTED, alpha=0.25, linewidth=0.6)
        axes[0].set_xscale("log")
        axes[0].xaxis.set_major_formatter("{x:,.0f}")
        axes[0].xaxis.set_minor_formatter(NullFormatter())
        axes[0].set_xlabel("GPUs")
        axes[1].set_xlabel("GPU types (100 GPUs)")
        axes[1].set_xticks([2, 3, 4])
        axes[1].plot([3, 4], [35.3, 77.0], color=PALETTE[5], marker="D", linestyle="", label="published (Gurobi)")
        axes[0].axhline(3.5, color=PALETTE[5], linewidth=1.0, linestyle="--", label="published mean, 3.5 s")
        axes[0].set_ylabel("planning time (s)")
        for panel in axes:
            panel.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2, fontsize=8.5)

    return drawn(
        "figure-14",
        "Figure 14. Does planning time grow with the cluster?",
        f"Group G1, {shown.blocks.max()} blocks per model, 2 partitions. Triangles: "
        f"stopped at the time limit without a proof; columns then left at most {gap:.3f} % open.",
        draw,
        panels=2,
        height=3.8,
    )
