"""Figures 2, 4, 6 and 12: what goes in, and what five fragments make of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, grid
from euclio.report.analysis.charts import legend_below
from euclio.report.drawings import drawn
from studies.graft.cases import NETWORKS, SCALES
from studies.graft.inputs import BUDGETS_MS, FIGURE_4_RPS, figure_4_tables
from studies.graft.measures import of


@drawn("figure-2", "Figure 2. What does hybrid inference save while bandwidth moves?", panels=3, height=3.3)
def figure_2(axes: Sequence[Axes], rows: pd.DataFrame) -> str:
    """Share, partition point and bandwidth of one client by second."""
    for k, (column, label) in enumerate((("server", "server only"), ("hybrid", "hybrid"))):
        axes[0].step(rows.second, rows[column].where(np.isfinite(rows[column])), color=PALETTE[k], label=label)
    axes[1].step(rows.second, rows.point, color=PALETTE[2])
    axes[2].plot(rows.second, rows.mbps, color=PALETTE[3])
    for panel, title in zip(axes, ("share (%)", "partition point", "Mbit/s"), strict=True):
        panel.set_title(title)
        panel.set_xlabel("second")
        panel.set_ylim(bottom=0)
        grid(panel)
    axes[0].legend(loc="upper left", fontsize=8.5)
    late = int((~np.isfinite(rows.server)).sum())
    return (
        f"Left: lower is better. Inc on a Nano, 30 requests per second, a seeded 5G-like trace. On {late} of "
        f"{len(rows)} seconds (gaps) no share serves all layers in time. Published: up to 3 times the share."
    )


@drawn("figure-4", "Figure 4. Is the share needed discrete?", panels=2, height=3.2)
def figure_4(axes: Sequence[Axes]) -> str:
    """Share by time budget, and by rate."""
    by_budget, by_rate = figure_4_tables()
    axes[0].step(by_budget.index, by_budget.where(np.isfinite(by_budget)), color=PALETTE[0], where="post")
    axes[0].set_xlabel(f"time budget (ms), {FIGURE_4_RPS} requests per second")
    axes[0].set_xlim(BUDGETS_MS[0], BUDGETS_MS[-1])
    axes[1].step(by_rate.index, by_rate, color=PALETTE[0])
    axes[1].set_xlabel("requests per second, executed within 25 ms")
    for panel in axes:
        panel.set_ylabel("least share (%)")
        panel.set_ylim(bottom=0)
        grid(panel)
    return "The whole of Inc. As published, less time or more load do not always take more share."


@drawn("figure-6", "Figure 6. Where do clients cut, and what time do they leave?", panels=2, height=3.7)
def figure_6(axes: Sequence[Axes], fragments: pd.DataFrame) -> str:
    """Least, median and largest partition point and time budget by network and scale."""
    for k, scale in enumerate((SCALES[0], SCALES[2], SCALES[3])):
        own = of(fragments, scale=scale.key)
        for panel, column in zip(axes, ("point", "budget_ms"), strict=True):
            found = own.groupby("network")[column].agg(["min", "median", "max"]).reindex(list(NETWORKS))
            places = np.arange(len(NETWORKS)) + (k - 1) * 0.22
            panel.vlines(places, found["min"], found["max"], color=PALETTE[k], linewidth=2, label=scale.words)
            panel.plot(places, found["median"], "o", color=PALETTE[k], markersize=5)
    for panel, label in zip(axes, ("first layer on the server", "time budget (ms)"), strict=True):
        panel.set_xticks(range(len(NETWORKS)), list(NETWORKS.values()))
        panel.set_ylabel(label)
        grid(panel)
    axes[1].set_yscale("log")
    axes[1].set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
    legend_below(axes)
    return (
        "Lines: least to largest, dots: median. Printed of it: Res, Mob and ViT are polarised, and Inc stays at layer "
        "3 as the bandwidth grows."
    )


@drawn("figure-12", "Figure 12. How does one fragment of five change the plan?", panels=2, height=3.4)
def figure_12(axes: Sequence[Axes], rows: pd.DataFrame) -> str:
    """Share and re-partition point by bandwidth and rate of the fifth fragment."""
    for panel, study, label in ((axes[0], "bandwidth", "Mbit/s"), (axes[1], "rate", "requests per second")):
        own = of(rows, study=study)
        panel.step(own.value, own.share, color=PALETTE[0], where="mid", label="share (%)")
        panel.step(own.value, own.repartition, color=PALETTE[1], where="mid", label="re-partition point")
        panel.step(own.value, own.point, color=PALETTE[2], where="mid", linestyle="--", label="its partition point")
        panel.set_xlabel(f"{label} of the fifth client (Inc)")
        panel.set_ylim(bottom=0)
        grid(panel)
    legend_below(axes)
    return (
        "Four Inc fragments stay as they are. Published: the share falls a little with bandwidth and grows with the "
        "rate."
    )
