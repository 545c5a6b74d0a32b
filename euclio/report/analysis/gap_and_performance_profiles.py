"""Distances of plans from the best known ones, and how often a solver is within a factor of the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.figures import grid
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.panels import (
    cumulative,
    figure,
    height_for,
    labels_of,
    legend,
    note,
    percent_axis,
    ratio_axis,
    short,
    styles,
    thinned,
)
from euclio.report.analysis.references import Measure, performance_ratios

Reference = Literal["best", "space"]
_NO_PLAN = "no run has a plan that the checker accepted"

_QUESTIONS: dict[Measure, str] = {
    "value": "How often is a solver's plan within a factor of the best solver's?",
    "proof_time": "How often does a solver prove its plan optimal within a factor of the fastest proof?",
    "plan_time": "How often does a solver find a plan within a factor of the fastest solver?",
}
_RATIOS: dict[Measure, str] = {
    "value": "factor to the best plan of the instance (1 is equal)",
    "proof_time": "time over the fastest proof of the instance (1 is equal)",
    "plan_time": "time over the fastest solver's of the instance (1 is equal)",
}


def gap_ecdf(frame: pd.DataFrame, reference: Reference = "best") -> Figure:
    """How far are the plans from the best known ones?

    Args:
        frame: results.
        reference: "best", the best known value of the instance over all plan spaces, or "space", that of the run's
            own plan space.

    Returns:
        Cumulative shares of the runs on instances of which a plan is known; runs without a plan never arrive.
    """
    column, known, where = ("gap", "best", "") if reference == "best" else ("space_gap", "space_best", " space")

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        shown = runs[runs[known].notna()].groupby("label", observed=True)
        percents = {str(label): 100.0 * of[column].to_numpy(dtype=float) for label, of in shown}
        finite = {label: values[np.isfinite(values)] for label, values in percents.items()}
        every = np.concatenate([np.zeros(0), *finite.values()])
        if every.size == 0:
            return _NO_PLAN
        percent_axis(axes[0], every)
        _curves(axes[0], labels_of(runs), finite, {label: len(values) for label, values in percents.items()})
        axes[0].set(
            xlabel=f"gap to the best known plan of the {'instance' if not where else 'plan space'} (%)",
            ylabel="runs (%)",
        )
        if every.max() <= 100 * OPTIMALITY_TOLERANCE:
            axes[0].set_title("all plans are as good as the best known ones", loc="left")
        return ""

    question = "How far are the plans from the best known ones" + (" of their own plan space?" if where else "?")
    return figure(frame, question, draw, panel_in=height_for)


def performance_profile(frame: pd.DataFrame, by: Measure = "value") -> Figure:
    """How often is a solver within a factor of the best solver of the instance (Dolan and Moré 2002)?

    Args:
        frame: results.
        by: the compared measure (`euclio.report.analysis.references.Measure`).

    Returns:
        Shares of the instances that the solver was run on and that some solver solved; failures are at infinity.
    """

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        ratios = performance_ratios(runs, by)
        if ratios.empty:
            return "no run proved its plan optimal" if by == "proof_time" else _NO_PLAN
        known = {str(label): ratios[label].dropna().to_numpy(dtype=float) for label in ratios}
        finite = {label: values[np.isfinite(values)] for label, values in known.items()}
        every = np.concatenate(list(finite.values()))
        ratio_axis(axes[0], float(every.max()))
        _curves(axes[0], labels_of(runs), finite, {label: len(values) for label, values in known.items()})
        axes[0].set(xlabel=_RATIOS[by], ylabel="instances (%)")
        if every.max() <= 1 + OPTIMALITY_TOLERANCE:
            axes[0].set_title("all solvers are equal wherever they succeed", loc="left")
        return ""

    return figure(frame, _QUESTIONS[by], draw, panel_in=height_for)


def _curves(axes: Axes, labels: Sequence[str], values: dict[str, np.ndarray], totals: dict[str, int]) -> None:
    """Cumulative shares of each label, the best on top of the legend, which also names those that failed."""
    looks = styles(labels)
    low, high = axes.get_xlim()
    score = {label: _area(values[label], high) / total for label, total in totals.items() if total}
    drawn = [label for label in score if values[label].size]
    for label in sorted(drawn, key=lambda label: (-score[label], label)):
        places, shares = cumulative(values[label], totals[label])
        kept = thinned(places.size)
        x, y = np.r_[low, places[kept], high], np.r_[0.0, shares[kept], shares[-1]]
        failed, look = totals[label] - values[label].size, looks[label]
        name = short(label) + (f" (failed: {failed} of {totals[label]})" if failed else "")
        axes.step(x, y, where="post", label=name, color=look.color, linestyle=look.dashes, linewidth=1.7)
    note(axes, "always failed", [label for label in score if not values[label].size])
    axes.set_ylim(0, 103)
    grid(axes)
    legend(axes)


def _area(values: np.ndarray, high: float) -> float:
    """How far to the left the values are, each as a number from 0 (at the right end) to 1."""
    return float((1.0 - 0.5 * np.log1p(values) / np.log1p(high)).sum())
