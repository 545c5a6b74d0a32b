"""Costs of systems on drawn sessions: one system's own cost is the unit, as Harpagon and Piccolo both print it."""

from __future__ import annotations

from functools import partial

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Measured, largest, of_one_run, share


def costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Checked cost per hour; one row per workload, one column per solver.

    A split search that reached its limit has no cost here: its result is no reference.
    """
    table = runs.pivot(index="workload", columns="solver", values="cost_per_h")
    return table.mask(stopped(runs))


def stopped(runs: pd.DataFrame) -> pd.DataFrame:
    """Whether a limit stopped each search, laid out as `costs`."""
    share = runs.stat_share if "stat_share" in runs else pd.Series(1.0, index=runs.index)
    return runs.assign(stopped=share < 1).pivot(index="workload", columns="solver", values="stopped").eq(True)


def within(cost: pd.Series[float], reference: pd.Series[float]) -> tuple[Measured, Measured]:
    """Share of workloads whose cost is at most a reference, and the largest extra cost over it.

    Workloads without one of them are left out.
    """
    ratio = (cost / reference).dropna()
    return share(ratio <= 1 + OPTIMALITY_TOLERANCE), largest(ratio - 1, 100)


def time_measures(timings: pd.DataFrame, own: str, enumeration: str, quantized: str) -> dict[str, Measured]:
    """Mean run times of a single-process timing and their ratios; times carry no interval.

    A run that reached its limit counts as its time divided by the searched share of its search space.

    Args:
        timings: one row per workload and solver.
        own: the paper's own system.
        enumeration: its brute force.
        quantized: its variant that splits the latency in steps of 0.01 s.
    """
    whole = timings.assign(whole_s=timings.wall_s / timings.stat_share.fillna(1.0))
    seconds = whole.groupby("solver").whole_s.mean()
    time = partial(of_one_run, n=timings.workload.nunique())
    return {
        "brute_force_runtime": time(seconds[enumeration]),
        f"{own}_runtime": time(seconds[own]),
        "brute_force_runtime_ratio": time(seconds[enumeration] / seconds[own]),
        "q0.01_runtime": time(seconds[quantized]),
        "q0.01_runtime_ratio": time(seconds[quantized] / seconds[own]),
    }
