"""Figures 6, 7, 8 and 10: highest loads, attainment over load, utilisation, reservation against reaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.pipeline.simulation.highest_load import TARGET
from euclio.report import INK, MUTED, PALETTE, Figure
from euclio.studies.charts import drawn
from euclio.studies.ppipe.cases import LARGE
from euclio.studies.ppipe.collection import CURVE_OF, REACTIVE_ON, SERVED
from euclio.studies.ppipe.loads import highest_loads, mean_loads
from euclio.studies.ppipe.measures import BURSTY, POISSON, REACTIVE, RESERVATION, setup_of, utilization
from euclio.studies.ppipe.systems import DART, NP, PPIPE

PUBLISHED_LOW_CLASS = {NP: 8.1, DART: 29.5, PPIPE: 73.6}
PUBLISHED_MEANS = {POISSON: {NP: 66.8, DART: 74.9, PPIPE: 96.5}, BURSTY: {NP: 61.1, DART: 69.4, PPIPE: 90.3}}


def figure_6(groups: pd.DataFrame, arrivals: str) -> Figure:
    """Highest load factor by cluster and group."""
    loads = mean_loads(groups, arrivals, RESERVATION)
    labels = groups.drop_duplicates("case").set_index("case").group

    def draw(axes: Sequence[Axes]) -> None:
        for panel, setup in zip(axes, LARGE, strict=True):
            own = loads[setup_of(loads.index) == setup]
            _clustered(panel, [labels[case] for case in own.index], {s: own[s].to_numpy() for s in SERVED})
            panel.set_title(setup)
        _first_label(axes, "highest load factor")
        _legend_below(axes)

    means = ", ".join(f"{s} {100 * loads[s].mean():.1f} % ({PUBLISHED_MEANS[arrivals][s]})" for s in SERVED)
    return drawn(
        f"figure-6-{arrivals}",
        f"Figure 6, {arrivals.capitalize()} arrivals. Which share of PPipe's planned load can each system serve?",
        "Highest load factor with 99 % of the requests within the SLO, averaged over the three models of a group. 1 is "
        f"what PPipe's plan serves on paper. Means over all, published in brackets: {means}.",
        draw,
        panels=4,
        height=3.6,
    )


def figure_7(groups: pd.DataFrame) -> Figure:
    """Attainment of the first group over the load."""
    shown = groups[(groups.group == CURVE_OF) & (groups.arrivals == POISSON) & (groups.scheduler == RESERVATION)]
    means = shown.groupby(["setup", "system", "load"]).attainment.mean()

    def draw(axes: Sequence[Axes]) -> None:
        for panel, setup in zip(axes, LARGE, strict=True):
            for k, system in enumerate(SERVED):
                curve = 100.0 * means[setup, system]
                panel.plot(curve.index, curve, color=PALETTE[k], label=system, marker="o", markersize=2.5)
                reached = curve[curve >= 100.0 * TARGET]
                if len(reached):
                    panel.axvline(reached.index.max(), color=PALETTE[k], linewidth=1.0, linestyle=":")
            panel.set_title(setup)
            panel.set_xlabel("load factor")
            panel.grid(color=MUTED, alpha=0.25, linewidth=0.6)
        _first_label(axes, "SLO attainment (%)")
        _legend_below(axes)

    return drawn(
        "figure-7",
        "Figure 7. How does attainment fall as the load rises?",
        "Group G1 (EfficientNet-B8, EncNet, RTMDet), Poisson arrivals, mean over its models. Dotted: highest load with "
        "99 %; published for HC1-L: NP 0.45, DART-r 0.55, PPipe 0.95.",
        draw,
        panels=4,
        height=3.6,
    )


def figure_8(groups: pd.DataFrame) -> Figure:
    """Utilisation of both classes."""
    used = utilization(groups).groupby(["setup", "system"])[["high_class", "low_class"]].mean()

    def draw(axes: Sequence[Axes]) -> None:
        for panel, column, title in (
            (axes[0], "high_class", "high-class GPUs"),
            (axes[1], "low_class", "low-class GPUs"),
        ):
            values = {s: np.array([used[column].get((setup, s), 0.0) for setup in LARGE]) for s in SERVED}
            _clustered(panel, list(LARGE), values)
            panel.set_title(title)
            panel.set_ylim(0, 103)
        for k, system in enumerate(SERVED):
            axes[1].axhline(PUBLISHED_LOW_CLASS[system], color=PALETTE[k], linewidth=1.0, linestyle="--")
        _first_label(axes, "busy time (%)")
        _legend_below(axes)

    return drawn(
        "figure-8",
        "Figure 8. How busy are high- and low-class GPUs?",
        "Share of the time that GPUs are busy at the highest load with 99 % attainment (Poisson), mean over the "
        "groups. Dashed: published means of low-class GPUs, 8.1, 29.5 and 73.6 %.",
        draw,
        panels=2,
        height=3.4,
    )


def figure_10(groups: pd.DataFrame) -> Figure:
    """Highest load of each model under the two schedulers."""
    own = groups[(groups.system == PPIPE) & (groups.arrivals == POISSON)]
    means = {s: highest_loads(own[own.setup == s]).groupby("scheduler").mean() for s in LARGE}
    others = "; ".join(f"{s} {m[REACTIVE]:.2f} and {m[RESERVATION]:.2f}" for s, m in means.items())
    loads = highest_loads(own[own.setup == REACTIVE_ON]).reset_index()
    table = loads.pivot(index="model", columns="scheduler", values="load").sort_values(REACTIVE)

    def draw(axes: Sequence[Axes]) -> None:
        values = {name: table[name].to_numpy() for name in (REACTIVE, RESERVATION)}
        _clustered(axes[0], list(table.index), values)
        axes[0].set_xticks(range(len(table)), list(table.index), rotation=40, ha="right")
        for k, value in ((0, 0.71), (1, 0.92)):
            axes[0].axhline(value, color=PALETTE[k], linewidth=1.0, linestyle="--")
        _first_label(axes, "highest load factor")
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8.5)

    return drawn(
        "figure-10",
        "Figure 10. What does reserving resources gain over reacting?",
        f"PPipe's plans on {REACTIVE_ON}, Poisson arrivals, each model in its group. Dashed: published means, 0.71 and "
        f"0.92. Means of ours by cluster, reactive and by reservation: {others}.",
        draw,
        height=3.8,
    )


def _clustered(axes: Axes, names: Sequence[str], series: Mapping[str, np.ndarray]) -> None:
    """Bars side by side for each name, one per series."""
    width = 0.8 / len(series)
    places = np.arange(len(names))
    for k, (label, values) in enumerate(series.items()):
        offset = (k - (len(series) - 1) / 2) * width
        axes.bar(places + offset, values, width * 0.92, color=PALETTE[k], label=label)
    axes.set_xticks(places, names)
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=INK, linewidth=0.8)


def _first_label(axes: Sequence[Axes], text: str) -> None:
    """The unit once, at the left; all panels share one scale."""
    axes[0].set_ylabel(text)
    top = max(panel.get_ylim()[1] for panel in axes)
    low = min(panel.get_ylim()[0] for panel in axes)
    for k, panel in enumerate(axes):
        panel.set_ylim(low, top)
        if k:
            panel.set_yticklabels([])


def _legend_below(axes: Sequence[Axes]) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes[0].get_legend_handles_labels()
    figure = axes[0].get_figure()
    if figure is not None:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8.5)
