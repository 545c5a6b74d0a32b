"""Normalized costs (Harpagon §IV-A, Piccolo §IV-A): cost over that of the paper's own system on the same workload."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Sample, largest, mean, share
from euclio.workloads.session.acceptance import BASELINES


def normalized(cost: pd.DataFrame, own: str) -> pd.DataFrame:
    """Normalized costs of all systems. NaN means that a system has no plan; measures leave it out.

    Args:
        cost: money per hour, one row per workload and one column per system.
        own: the paper's own system.
    """
    return cost.div(cost[own], axis=0)


def same(ratio: pd.Series[float]) -> Sample:
    """Share of workloads on which a normalized cost is 1."""
    return Sample((ratio.dropna() - 1).abs() <= OPTIMALITY_TOLERANCE, share)


def cheaper(ratio: pd.Series[float]) -> Sample:
    """Share of workloads on which a normalized cost is below 1."""
    return Sample(ratio.dropna() < 1 - OPTIMALITY_TOLERANCE, share)


def more_expensive(ratio: pd.Series[float]) -> Sample:
    """Share of workloads on which a normalized cost is above 1."""
    return Sample(ratio.dropna() > 1 + OPTIMALITY_TOLERANCE, share)


def baselines(ratio: pd.DataFrame, own: str) -> dict[str, Sample]:
    """Extra cost of the four baselines: least and largest of their means and of their maxima.

    Args:
        ratio: normalized costs.
        own: the paper's own system.
    """
    means = [Sample(ratio[name] - 1, mean) for name in BASELINES]
    tops = [Sample(ratio[name] - 1, largest) for name in BASELINES]
    return {
        "baseline_mean_extra_min": min(means, key=lambda s: s.value),
        "baseline_mean_extra_max": max(means, key=lambda s: s.value),
        "baseline_max_extra_min": min(tops, key=lambda s: s.value),
        "baseline_max_extra_max": max(tops, key=lambda s: s.value),
        f"{own}_cheapest_share": Sample(~(ratio[list(BASELINES)] < 1 - OPTIMALITY_TOLERANCE).any(axis=1), share),
    }


def extras(ratio: pd.DataFrame, own: str, names: Iterable[str]) -> dict[str, Sample]:
    """Mean and maximum extra cost of a system's variants, such as ``nb`` of ``harpagon:nb``."""
    found: dict[str, Sample] = {}
    for name in names:
        extra = ratio[f"{own}:{name}"] - 1
        found[f"{name}_mean_extra"] = Sample(extra, mean)
        found[f"{name}_max_extra"] = Sample(extra, largest)
    return found


def per_module(ratio: pd.Series[float], sizes: pd.Series[int]) -> Sample:
    """Extra cost per further module: the least-squares slope over workloads (ours).

    Both papers state only in words that a split by throughput costs more with more modules (§IV-C). A slope above 0
    states this for all sizes of applications at once; with two sizes it is the difference of two means.
    The resampled observations come from the linearised slope: each is the slope plus its own effect, so that their mean
    is the slope. There is no slope if all have one size.

    Args:
        ratio: normalized costs.
        sizes: number of modules of each workload.
    """
    ratio = ratio.dropna()
    extra = ratio - 1
    more = sizes.reindex(ratio.index) - sizes.reindex(ratio.index).mean()
    spread = float((more**2).mean())
    if not spread > 0:
        return Sample(np.zeros(0), mean)
    slope = float((more * extra).mean()) / spread
    return Sample(slope + more * (extra - extra.mean() - slope * more) / spread, mean)
