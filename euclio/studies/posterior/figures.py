"""Pictures: posterior intervals next to published values, shares of optimal plans, what moves which figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.analysis.charts import distribution, published_line
from euclio.core.figures import INK, MEASURED, MUTED, PUBLISHED, grid
from euclio.report import Figure
from euclio.report.drawings import drawn
from euclio.studies.posterior.evidence import compared, correlations, narrowed
from euclio.studies.posterior.prior import PAPERS
from euclio.studies.posterior.store import Stored
from euclio.studies.posterior.targets import full, targets

REFERENCES = {
    "harpagon:optimal_share": "Harpagon, best split",
    "harpagon:plan_optimal_share": "Harpagon, best plan",
    "harpagon:shared_optimal_share": "Harpagon, best plan, tc-shared",
    "piccolo:optimal_share": "Piccolo, best split",
}
TICKS = (0, 1, 3, 10, 30, 100, 300)
"""Marks of the scale ln(x + 1)."""
SHOWN = (-0.6, 700.0)
"""Ends of the scale; what lies beyond is cut."""


@drawn("posterior-intervals", "Which printed figures follow from the others?", panels=2, height=8.6)
def interval_figure(axes: Sequence[Axes], stored: Stored) -> str:
    """Posterior and prior interval of every figure, fitted ones left, checked ones right."""
    table = compared(stored)
    for panel, role, title in ((axes[0], "fit", "Settings are chosen by these"), (axes[1], "check", "Never fitted")):
        _rows(panel, table[table.role == role].reset_index(drop=True))
        panel.set_title(title)
    return (
        "Bars: what 95 % of the accepted settings give, with the median; thin: with the model's error; grey: prior. "
        "Orange: published. Per cent; ratios for remaining budgets, counts for iterations. The scale is ln(x + 1). "
        "Maxima are of fewer workloads than the paper's 1131."
    )


def _rows(axes: Axes, table: pd.DataFrame) -> None:
    for y, row in table.iterrows():
        at = float(str(y))
        axes.plot(_scaled(row.prior_low, row.prior_high), [at, at], color=MUTED, alpha=0.3, linewidth=8)
        axes.plot(_scaled(row.error_low, row.error_high), [at, at], color=MEASURED, alpha=0.9, linewidth=1)
        axes.plot(_scaled(row.low, row.high), [at, at], color=MEASURED, linewidth=3.2)
        axes.plot(_scaled(row.middle), [at], "o", color=MEASURED, markersize=4)
        axes.plot(_scaled(row.published), [at], "|", color=PUBLISHED, markersize=13, markeredgewidth=2.6)
    axes.set_yticks(range(len(table)), [key.replace("_", " ") for key in table.key], fontsize=8.5)
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_xticks(_scaled(*TICKS), [f"{tick}" for tick in TICKS], fontsize=8.5)
    axes.set_xlim(*_scaled(*SHOWN))
    axes.tick_params(axis="y", length=0)
    grid(axes, "x")


def _scaled(*values: float) -> list[float]:
    return [float(np.log(max(value, -0.9) + 1)) for value in values]


@drawn("posterior-sensitivity", "Which parameter moves which figure?", height=7.6)
def sensitivity_figure(axes: Sequence[Axes], stored: Stored) -> str:
    """Rank correlations over the draws from the prior."""
    found = correlations(stored.prior)
    # What needs the best split is not known of draws from the prior.
    found = found.loc[:, (found != 0).any()]
    tight = narrowed(stored)
    panel = axes[0]
    panel.imshow(found.to_numpy(), cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    names = [f"{name.replace('_', ' ')} ({tight[name]:.1f})" for name in found.index]
    panel.set_yticks(range(len(names)), names, fontsize=8.5)
    labels = [key.replace("_", " ") for key in found.columns]
    panel.set_xticks(range(len(labels)), labels, fontsize=7, rotation=90)
    for i, j in zip(*np.nonzero(np.abs(found.to_numpy()) >= 0.3), strict=True):
        value = found.to_numpy()[i, j]
        text = f"{10 * value:+.0f}"
        panel.text(j, i, text, ha="center", va="center", fontsize=6.5, color=INK if abs(value) < 0.6 else "white")
    panel.tick_params(length=0)
    return (
        "Spearman's rank correlation over the draws from the prior, in tenths where it is 0.3 or more; red: the figure "
        "rises with the parameter. In brackets: interquartile range of the parameter among accepted settings over the "
        "prior's; 1: the figures say nothing about it."
    )


@drawn("posterior-optimal", "On how many workloads is the own system's plan the best one?", height=3.4)
def optimal_figure(axes: Sequence[Axes], stored: Stored) -> str:
    """Distribution over the accepted settings of the share of workloads on which the own system reaches a reference."""
    table = stored.accepted
    shares = {name: table[key].astype(np.float64) for key, name in REFERENCES.items() if key in table}
    distribution(axes[0], shares, "workloads on which the own system costs no more (%)")
    for paper in PAPERS:
        published_line(axes[0], targets()[full(paper, "optimal_share")].value, f"{paper.capitalize()}: printed")
    axes[0].set_ylabel("accepted settings (%)")
    return (
        "Share of workloads by accepted setting, against the best split, the best plan, and the best plan if Theorem 1 "
        "is read literally (tc-shared). No setting was chosen by any of them."
    )


def write_figures(stored: Stored, folder: Path) -> None:
    """Write all figures as SVG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for figure in all_figures(stored):
        (folder / f"{figure.key}.svg").write_text(figure.svg, encoding="utf-8")


def all_figures(stored: Stored) -> tuple[Figure, ...]:
    """All figures."""
    return interval_figure(stored), optimal_figure(stored), sensitivity_figure(stored)
