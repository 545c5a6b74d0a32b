"""The map: where Harpagon is optimal, over request rate and SLO tightness; and how far off it is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.report import INK, Figure
from euclio.studies.charts import distribution, drawn
from euclio.studies.harpagon.frames import SAME, costs
from euclio.studies.harpagon.tasks import HARPAGON, PLAN_OPTIMUM, SPLIT_OPTIMUM

CELLS = 5
REFERENCES = {SPLIT_OPTIMUM: "split optimum", PLAN_OPTIMUM: "plan optimum"}


def optimal_share_map(runs: pd.DataFrame, reference: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Share of workloads on which Harpagon matches a reference, by fifths of request rate and of tightness.

    Returns:
        The share in per cent and the number of workloads; rows: tightness, columns: request rate.
    """
    table = costs(runs)[[HARPAGON, reference]].dropna()
    about = runs.drop_duplicates("workload").set_index("workload").loc[table.index]
    hit = pd.DataFrame(
        {
            "hit": table[HARPAGON] <= table[reference] * (1 + SAME),
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


def figure_map(runs: pd.DataFrame) -> Figure:
    """Heat maps of the split-optimal and the plan-optimal share."""

    def draw(axes: Sequence[Axes]) -> None:
        for k, (axis, (reference, label)) in enumerate(zip(axes, REFERENCES.items(), strict=True)):
            shares, sizes = optimal_share_map(runs, reference)
            _heat(axis, shares, sizes)
            axis.set_title(f"costs no more than the {label}")
            axis.set_xlabel("request rate (req/s)")
            if k == 0:
                axis.set_ylabel("SLO between least (0) and\nmost useful latency (1)")
            else:
                axis.set_yticklabels([])

    return drawn(
        "figure-map",
        "Map. Where is Harpagon optimal?",
        "Share of workloads in per cent, number of workloads in brackets; fifths of rate and tightness.",
        draw,
        panels=2,
        height=4.4,
    )


def _heat(axes: Axes, shares: pd.DataFrame, sizes: pd.DataFrame) -> None:
    values = shares.to_numpy(dtype=np.float64)
    axes.imshow(values, cmap="viridis", vmin=0, vmax=100, aspect="auto", origin="lower")
    counts = sizes.to_numpy(dtype=np.int64)
    for (i, j), value in np.ndenumerate(values):
        count = counts[i, j]
        if count:
            color = "white" if value < 60 else "black"
            axes.text(j, i, f"{value:.0f}\n({count})", ha="center", va="center", fontsize=9, color=color)
    axes.set_xticks(range(values.shape[1]), shares.columns, rotation=25, ha="right", fontsize=8.5)
    axes.set_yticks(range(values.shape[0]), shares.index, fontsize=8.5)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=INK)


def figure_gaps(runs: pd.DataFrame) -> Figure:
    """Distribution of Harpagon's extra cost over both optima."""
    table = costs(runs)

    def draw(axes: Sequence[Axes]) -> None:
        gaps = {label: (table[HARPAGON] / table[name] - 1) * 100 for name, label in REFERENCES.items()}
        distribution(axes[0], gaps, "extra cost of Harpagon (%)")

    return drawn(
        "figure-gaps",
        "How much does Harpagon lose where it is not optimal?",
        "Against the best split under its own scheduler, and against the best plan of its whole plan space.",
        draw,
    )
