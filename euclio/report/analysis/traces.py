"""Incumbents and bounds over time as step functions, and the integrals of their gaps (Berthold 2013)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.report.analysis.references import with_references
from euclio.report.analysis.statistics import Values, shifted_geometric_mean

GAPS = ["primal", "dual", "primal_dual"]


def trace_steps(runs: pd.DataFrame) -> pd.DataFrame:
    """The traces of runs, each closed by its end.

    Args:
        runs: results with references.

    Returns:
        One row per moment, run by run in order of time: run (position in `runs`), time_s, incumbent and bound (missing:
        none yet). Incumbents on the way are as claimed, the last one as checked. A run without a trace has its end
        alone, and one that never answered has nothing there.
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

    It is 1 where one of the two is missing or their signs differ, and 0 where both are 0.
    """
    scale = np.maximum(np.abs(found), np.abs(reference))
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(scale == 0, 0.0, np.abs(found - reference) / scale)
    gap = np.where(np.isfinite(gap) & (np.sign(found) * np.sign(reference) >= 0), gap, 1.0)
    return np.minimum(gap, 1.0)


def gap_steps(runs: pd.DataFrame) -> pd.DataFrame:
    """What the gaps of runs fall by at each moment, from 1 at the start.

    Args:
        runs: results with references.

    Returns:
        One row per moment: run (position in `runs`), time_s, and the falls (negative: it rises) of `GAPS`: "primal", of
        the incumbent to the instance's best known value; "dual", of the bound to the best known value of the run's own
        plan space, which alone it is a bound on; "primal_dual", between the two.
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

    The smaller, the sooner a plan is good (primal), its quality proven (dual), or both. They are in seconds: the time
    for which a gap of 100 % would give the same area. A gap is 1 before the first moment of a trace and stays as it is
    after the end of the run.

    Args:
        frame: results; runs on instances of which no plan is known are left out.
        horizon_s: end of the integrals; None: each run's time limit, and where it has none the longest time of all.

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
        Shape (2, moments): shares, 1 where there is none yet.
    """
    steps = gap_steps(runs)
    place = np.searchsorted(moments, steps.time_s)
    fallen = [np.bincount(place, steps[gap], minlength=moments.size + 1)[: moments.size] for gap in GAPS[:2]]
    return np.clip(1.0 - np.cumsum(fallen, axis=1) / max(len(runs), 1), 0.0, 1.0)
