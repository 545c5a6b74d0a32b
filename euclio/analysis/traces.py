"""Incumbents and bounds over time as step functions, and the integrals of their gaps (Berthold 2013)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from euclio.analysis.references import with_references
from euclio.analysis.statistics import shifted_geometric_mean

Values = NDArray[np.float64]


def trace_of(run: Any) -> Values:
    """The trace of a run, closed by its end.

    Args:
        run: a row of the results (`DataFrame.itertuples`) with references.

    Returns:
        Rows of (seconds, incumbent, bound), NaN: none yet; incumbents within are as claimed, the last one as checked.
        A run without a trace has its end alone, one that never answered no bound and no incumbent there.
    """
    moments = [] if run.trace is None or len(run.trace) == 0 else [list(moment) for moment in run.trace]
    value = run.value if run.has_plan else None
    bound = run.bound if run.status != "error" else None
    return np.array([*moments, [run.time_s, value, bound]], dtype=np.float64)


def relative_gap(found: Values, reference: Values | float) -> Values:
    """The gap of Berthold (2013, section 2): |a - b| / max(|a|, |b|), at most 1.

    It is 1 where one of the two is missing or their signs differ, and 0 where both are 0.
    """
    scale = np.maximum(np.abs(found), np.abs(reference))
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(scale == 0, 0.0, np.abs(found - reference) / scale)
    gap = np.where(np.isfinite(gap) & (np.sign(found) * np.sign(reference) >= 0), gap, 1.0)
    return np.minimum(gap, 1.0)


def gaps_over_time(run: Any) -> tuple[Values, Values, Values, Values]:
    """Gaps of a run after each moment of its trace.

    Args:
        run: a row of the results (`DataFrame.itertuples`) with references.

    Returns:
        The moments in seconds; the gap of the incumbent to the instance's best known value; that of the bound to the
        best known value of the run's own plan space, which alone it is a bound on; and the gap between the two.
    """
    trace = trace_of(run)
    incumbent, bound = trace[:, 1], trace[:, 2]
    primal, dual = relative_gap(incumbent, run.best), relative_gap(bound, run.space_best)
    return np.maximum.accumulate(trace[:, 0]), primal, dual, relative_gap(incumbent, bound)


def integral(moments: Values, gaps: Values, horizon_s: float) -> float:
    """Area under a gap that is 1 before the first moment and stays as it is after the last, up to the horizon.

    Args:
        moments: seconds, in order.
        gaps: gap from each moment on.
        horizon_s: end of the integral in seconds.
    """
    at = np.minimum(np.r_[0.0, moments, horizon_s], horizon_s)
    return float((np.diff(at) * np.r_[1.0, gaps]).sum())


def integrals(frame: pd.DataFrame, horizon_s: float | None = None) -> pd.DataFrame:
    """Primal, dual and primal-dual integral of each run (Berthold 2013).

    The smaller, the sooner a plan is good (primal), its quality proven (dual), or both. They are in seconds: the time
    for which a gap of 100 % would give the same area.

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
    areas = [_areas(run) for run in shown.itertuples()]
    found = pd.DataFrame(areas, columns=["primal_s", "dual_s", "primal_dual_s"], index=shown.index, dtype=float)
    columns = ["family", "objective", "instance", "label", "seed", "repeat", "horizon_s"]
    return pd.concat([shown[columns], found], axis=1).reset_index(drop=True)


def _areas(run: Any) -> tuple[float, float, float]:
    moments, *gaps = gaps_over_time(run)
    primal, dual, both = (integral(moments, gap, run.horizon_s) for gap in gaps)
    return primal, dual, both


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
    means = grouped[["primal_s", "dual_s", "primal_dual_s"]].agg(shifted_geometric_mean)
    means.insert(0, "runs", grouped.size())
    return means.reset_index().sort_values(["family", "objective", "primal_dual_s", "label"]).reset_index(drop=True)
