"""Incumbents and bounds over time, on one instance and over all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.errors import InputError
from euclio.core.figures import grid
from euclio.report.analysis.panels import figure, height_for, labels_of, legend, short, styles, time_axis, unit_of
from euclio.report.analysis.references import with_references
from euclio.report.analysis.statistics import Values, shifted_geometric_mean

GAPS = ["primal", "dual", "primal_dual"]


def trace_steps(runs: pd.DataFrame) -> pd.DataFrame:
    """The traces of runs, each closed by its end.

    Args:
        runs: results with references.

    Returns:
        One row per moment, run by run in order of time: run (position in `runs`), time_s, incumbent and bound (missing
        if there is none yet). Earlier incumbents are as claimed, the last one as checked. A run without a trace has its
        end alone, and one that never answered has no row.
    """
    traces = [trace if isinstance(trace, list | tuple | np.ndarray) else () for trace in runs.trace]
    sizes = np.array([len(trace) for trace in traces], dtype=int)
    moments = np.array([list(m) for trace in traces for m in trace], dtype=np.float64).reshape(-1, 3)
    last = pd.DataFrame(
        {
            "run": np.arange(len(runs)),
            "time_s": runs.time_s.to_numpy(dtype=float),
            "incumbent": runs.value.where(runs.has_plan).to_numpy(dtype=float),
            "bound": runs.bound.where(runs.status != "error").to_numpy(dtype=float),
        }
    )
    before = pd.DataFrame(moments, columns=["time_s", "incumbent", "bound"])
    before.insert(0, "run", np.repeat(np.arange(len(runs)), sizes))
    before["time_s"] = np.minimum(before.time_s, np.repeat(last.time_s.to_numpy(), sizes))
    return pd.concat([before, last]).sort_values(["run", "time_s"], kind="stable").reset_index(drop=True)


def relative_gap(found: Values, reference: Values) -> Values:
    """The gap of Berthold (2013, section 2): |a - b| / max(|a|, |b|), at most 1.

    It is 1 if one of the two is missing or their signs differ, and 0 if both are 0.
    """
    scale = np.maximum(np.abs(found), np.abs(reference))
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(scale == 0, 0.0, np.abs(found - reference) / scale)
    gap = np.where(np.isfinite(gap) & (np.sign(found) * np.sign(reference) >= 0), gap, 1.0)
    return np.minimum(gap, 1.0)


def gap_steps(runs: pd.DataFrame) -> pd.DataFrame:
    """The fall of the gaps of runs at each moment, from 1 at the start.

    Args:
        runs: results with references.

    Returns:
        One row per moment: run (position in `runs`), time_s, and the falls of `GAPS`; a rise is negative. "primal" is
        the gap of the incumbent to the instance's best known value, "dual" that of the bound to the best known value of
        the run's own plan space, and "primal_dual" that between the two.
    """
    steps = trace_steps(runs)
    best, own = (runs[name].to_numpy(dtype=float)[steps.run] for name in ("best", "space_best"))
    incumbent, bound = steps.incumbent.to_numpy(), steps.bound.to_numpy()
    gaps = pd.DataFrame(
        {
            "primal": relative_gap(incumbent, best),
            "dual": relative_gap(bound, own),
            "primal_dual": relative_gap(incumbent, bound),
        }
    )
    falls = gaps.groupby(steps.run).shift(1).fillna(1.0) - gaps
    return pd.concat([steps[["run", "time_s"]], falls], axis=1)


def integrals(frame: pd.DataFrame, horizon_s: float | None = None) -> pd.DataFrame:
    """Primal, dual and primal-dual integral of each run (Berthold 2013).

    A smaller integral means that a plan is good sooner (primal), its quality proven sooner (dual), or both. Units are
    seconds: a gap of 100 % for that time has the same area. A gap is 1 before the first moment of a trace and constant
    after the end of the run.

    Args:
        frame: results; runs on instances of which no plan is known are left out.
        horizon_s: end of the integrals; None means each run's time limit, or the longest time of all runs if it has
            none.

    Returns:
        One row per run: family, objective, instance, label, seed, repeat, horizon_s, primal_s, dual_s, primal_dual_s.
    """
    table = with_references(frame)
    longest = float(table.time_s.max()) if len(table) else 0.0
    shown = table[table.best.notna()]
    ends = shown.time_limit_s.astype(float).fillna(longest) if horizon_s is None else horizon_s
    shown = shown.assign(horizon_s=ends)
    end = shown.horizon_s.to_numpy(dtype=float)
    steps = gap_steps(shown)
    left = np.maximum(end[steps.run] - steps.time_s.to_numpy(), 0.0)
    for gap in GAPS:
        saved = np.bincount(steps.run, weights=steps[gap].to_numpy() * left, minlength=len(shown))
        shown[f"{gap}_s"] = np.maximum(end - saved, 0.0)
    columns = ["family", "objective", "instance", "label", "seed", "repeat", "horizon_s", *(f"{gap}_s" for gap in GAPS)]
    return shown[columns].reset_index(drop=True)


def integral_table(frame: pd.DataFrame, horizon_s: float | None = None) -> pd.DataFrame:
    """Shifted geometric means (shift 1 s) of the integrals of each solver's runs.

    Args:
        frame: results.
        horizon_s: as of `integrals`.

    Returns:
        One row per family, objective and label, the least primal-dual integral first: runs, primal_s, dual_s,
        primal_dual_s.
    """
    areas = integrals(frame, horizon_s)
    grouped = areas.groupby(["family", "objective", "label"], observed=True)
    means = grouped[[f"{gap}_s" for gap in GAPS]].agg(shifted_geometric_mean)
    means.insert(0, "runs", grouped.size())
    return means.reset_index().sort_values(["family", "objective", "primal_dual_s", "label"]).reset_index(drop=True)


def mean_gaps(runs: pd.DataFrame, moments: Values) -> Values:
    """Mean gaps of incumbent and of bound at given moments.

    Args:
        runs: runs with references, on instances of which a plan is known.
        moments: seconds, in order.

    Returns:
        Shape (2, moments): shares, 1 before the first incumbent or bound.
    """
    steps = gap_steps(runs)
    place = np.searchsorted(moments, steps.time_s)
    fallen = [np.bincount(place, steps[gap], minlength=moments.size + 1)[: moments.size] for gap in GAPS[:2]]
    return np.clip(1.0 - np.cumsum(fallen, axis=1) / max(len(runs), 1), 0.0, 1.0)


MOMENTS = 120
"""Moments of the mean gaps that are drawn."""


def trace_figure(frame: pd.DataFrame, instance: str | None = None) -> Figure:
    """How do incumbent and bound close in on one instance?

    Args:
        frame: results.
        instance: name of the instance; None means the one with the longest traces in each family.

    Returns:
        Per solver the incumbent (thick) and the bound (thin) of the first seed and repeat. A mark is the checked value
        at the end of the run. Incumbents over 200 % off the best known value and bounds over 50 % off are cut.

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
        axes[0].set(xlabel="time (s)", ylabel=unit_of(str(first.family), str(first.objective)))
        axes[0].set_title(str(first.instance), loc="left")
        grid(axes[0])
        legend(axes[0])
        return ""

    return figure(table, "How do incumbents (thick) and bounds (thin) close in?", draw, panel_in=height_for)


def _value_range(steps: pd.DataFrame, best: float) -> tuple[float, float]:
    """Limits around incumbents and bounds; values far off at the start of a run are cut."""
    shown = np.r_[_near(steps.incumbent.to_numpy(), best, 2.0), _near(steps.bound.to_numpy(), best, 0.5)]
    low, high = (float(shown.min()), float(shown.max())) if shown.size else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _near(values: Values, best: float, far: float) -> Values:
    """The values within a relative distance of the best; all of them if no plan is known."""
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
        Mean gaps of incumbents (left) and of bounds (right) over time, as in `gap_steps`; 100 % before the first one.
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
            panel.set_title(name, loc="left")
            time_axis(panel, moments)
            panel.set(ylim=(-2, 103), xlabel="time (s)")
            grid(panel)
        axes[0].set_ylabel("mean gap (%); 100: none yet")
        legend(axes[1])
        return ""

    question = "How soon are plans good and bounds tight?"
    return figure(frame, question, draw, columns=2, panel_in=height_for)
