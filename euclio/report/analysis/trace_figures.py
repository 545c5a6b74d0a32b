"""How incumbents and bounds close in, on one instance and over all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.errors import InputError
from euclio.core.figures import grid
from euclio.report.analysis.axes import time_axis
from euclio.report.analysis.drawing import figure, height_for, labels_of, legend, short, styles, unit_of
from euclio.report.analysis.references import with_references
from euclio.report.analysis.statistics import Values
from euclio.report.analysis.traces import mean_gaps, trace_steps

MOMENTS = 120
"""Moments of the mean gaps that are drawn."""


def trace_figure(frame: pd.DataFrame, instance: str | None = None) -> Figure:
    """How do incumbent and bound close in on one instance?

    Args:
        frame: results.
        instance: name of the instance; None: in each family the one with the longest traces.

    Returns:
        Per solver the incumbent (thick) and the bound (thin), of the first seed and repeat; marks: the checked value at
        the end of the run. Incumbents more than 200 % off the best known value and bounds more than 50 % off are cut.

    Raises:
        InputError: there is no such instance.
    """
    table = with_references(frame)
    if instance is not None:
        table = table[table.instance == instance]
        if table.empty:
            raise InputError(f"the results have no instance {instance!r}", field="instance")

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        chosen = runs if instance is not None else _longest(runs)
        chosen = chosen.sort_values(["label", "seed", "repeat"]).drop_duplicates("label")
        shown = chosen[chosen.has_plan | chosen.bound.notna()]
        if shown.empty:
            return "no run has a plan or a bound"
        looks = styles(labels_of(runs))
        steps = trace_steps(shown)
        for place, name in enumerate(shown.label.astype(str)):
            trace, look = steps[steps.run == place], looks[name]
            incumbent, bound = (
                axes[0].step(trace.time_s, trace[of], where="post", color=look.color, linestyle=look.dashes)[0]
                for of in ("incumbent", "bound")
            )
            incumbent.set(linewidth=2.0, marker=look.marker, markersize=4.5, markevery=[-1], label=short(name))
            bound.set(linewidth=0.9)
        first = shown.iloc[0]
        time_axis(axes[0], steps.time_s.to_numpy())
        axes[0].set_ylim(*_value_range(steps, float(first.best)))
        axes[0].set_xlabel("time (s)")
        axes[0].set_ylabel(unit_of(str(first.family), str(first.objective)))
        axes[0].set_title(str(first.instance), loc="left", fontsize=10)
        grid(axes[0])
        legend(axes[0])
        return ""

    return figure(table, "How do incumbents (thick) and bounds (thin) close in?", draw, panel_in=height_for)


def _value_range(steps: pd.DataFrame, best: float) -> tuple[float, float]:
    """Limits around incumbents and bounds; what is far off at the start of a run is cut."""
    shown = np.r_[_near(steps.incumbent.to_numpy(), best, 2.0), _near(steps.bound.to_numpy(), best, 0.5)]
    low, high = (float(shown.min()), float(shown.max())) if shown.size else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _near(values: Values, best: float, far: float) -> Values:
    """The values that are at most so far off the best, as a share of it; all of them where no plan is known."""
    known: Values = values[np.isfinite(values)]
    return known[np.abs(known - best) <= far * abs(best)] if np.isfinite(best) else known


def _longest(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs on the instance with the longest traces."""
    moments = runs.instance_hash.to_numpy()[trace_steps(runs).run]
    return runs[runs.instance_hash == pd.Series(moments).value_counts(sort=False).idxmax()]


def convergence_figure(frame: pd.DataFrame) -> Figure:
    """How soon are plans good and bounds tight, on average?

    Args:
        frame: results; runs on instances of which no plan is known are left out.

    Returns:
        Mean gaps of incumbents (left) and of bounds (right) over time, as in `gap_steps`; 100 %: none yet.
    """

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        shown = runs[runs.best.notna()]
        if shown.empty:
            return "no run has a plan that the checker accepted"
        times = shown.time_s[shown.time_s > 0].to_numpy()
        low, high = (times.min(), max(times.max(), times.min() * 10)) if times.size else (0.1, 1.0)
        moments = np.geomspace(low / 2, high * 1.1, MOMENTS)
        looks = styles(labels_of(runs))
        curves = {label: mean_gaps(shown[shown.label == label], moments) for label in labels_of(shown)}
        for label in sorted(curves, key=lambda label: (float(curves[label].sum()), label)):
            look = looks[label]
            for panel, gaps in zip(axes, curves[label], strict=True):
                panel.plot(moments, 100 * gaps, label=short(label), color=look.color, linestyle=look.dashes)
        for panel, name in zip(
            axes, ("plans, to the best known", "bounds, to the best known of the plan space"), strict=True
        ):
            panel.set_title(name, loc="left", fontsize=10)
            time_axis(panel, moments)
            panel.set_ylim(-2, 103)
            panel.set_xlabel("time (s)")
            grid(panel)
        axes[0].set_ylabel("mean gap (%); 100: none yet")
        legend(axes[1])
        return ""

    question = "How soon are plans good and bounds tight?"
    return figure(frame, question, draw, columns=2, panel_in=height_for)
