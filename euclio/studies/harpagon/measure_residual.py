"""Measures of Harpagon §IV-C about the residual workload and the split: dummies, reassigned latency, iterations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.analysis.statistics import Measured, largest, mean, share
from euclio.studies.harpagon.frames import costs, counters, module_figures
from euclio.studies.harpagon.tasks import HARPAGON

NO_DUMMIES = "harpagon:nd"
LEAST_REMAINING_S = 1e-6
"""A remaining budget below a microsecond counts as none: a ratio to it says nothing."""


def dummy_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """How often dummies are used, and what they do to residual workload and cost where they are.

    Residual workload: what the whole machines of the first configuration leave over, as many of them as the plans
    with and without dummies share. Its throughput is per unit of money; extra resources are the dummies' share of it.
    """
    table = costs(runs)
    modules = module_figures(allocations)
    with_dummies = modules.loc[HARPAGON]
    used = pd.DataFrame(with_dummies[with_dummies.dummy > 0])
    workloads = pd.Index(used.index.get_level_values("workload").unique())
    residual = _residuals(used, pd.DataFrame(modules.loc[NO_DUMMIES]).reindex(used.index))
    saved = 1 - table.loc[workloads, HARPAGON] / table.loc[workloads, NO_DUMMIES]
    return {
        "dummy_share": share(pd.Series(table.index.isin(workloads), index=table.index)),
        "dummy_throughput_gain": mean(residual.gain, 100),
        "dummy_resources": mean(residual.extra, 100),
        "dummy_cost_reduction": mean(saved, 100),
    }


def _residuals(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Per module: gain in throughput of the residual from plan b to plan a, and dummies over residual workload."""
    shared = np.where(a.first_key == b.first_key, np.minimum(a.first_machines, b.first_machines), 0)
    rate = a.rate - shared * a["first"]
    price = (a.cost_of_first, b.cost_of_first)
    cost_a, cost_b = a.cost - shared * price[0], b.cost - shared * price[1]
    kept = (rate > 1e-9 * a.rate) & (cost_a > 0) & (cost_b > 0)
    gain = ((rate + a.dummy) / cost_a) / (rate / cost_b) - 1
    return pd.DataFrame({"gain": gain[kept], "extra": (a.dummy / rate)[kept]})


def remaining_budget(runs: pd.DataFrame, run: str) -> pd.Series[float]:
    """Remaining latency budget (SLO less end-to-end latency) of a run over Harpagon's, where Harpagon leaves any."""
    left = counters(runs.assign(left=runs.slo_s - runs.latency_s), "left")
    some = left[HARPAGON] > LEAST_REMAINING_S
    return left.loc[some, run] / left.loc[some, HARPAGON]


def residual_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """All measures of this module, by key of the published figure."""
    found = dummy_measures(runs, allocations)
    for name in ("0re", "1re"):
        ratio = remaining_budget(runs, f"harpagon:{name}")
        found[f"{name}_remaining_budget"] = mean(ratio)
        found[f"{name}_remaining_budget_max"] = largest(ratio)
    found["reassigned_share"] = share(counters(runs, "stat_reassignments")[HARPAGON] > 0)
    iterations = counters(runs, "stat_iterations")
    found["harpagon_iterations"] = mean(iterations[HARPAGON])
    found["tb_iterations"] = mean(iterations["harpagon:tb"])
    return found


def time_measures(timings: pd.DataFrame, enumeration: str, quantized: str) -> dict[str, Measured]:
    """Mean run times of the single-process timing and their ratios; times carry no interval.

    A run that its limit cut off counts as its time over the share of its search that it went through.
    """
    whole = timings.assign(whole_s=timings.wall_s / timings.stat_share.fillna(1.0))
    seconds = whole.groupby("solver").whole_s.mean()
    n = timings.workload.nunique()

    def time(value: float) -> Measured:
        return Measured(float(value), n=n)

    return {
        "brute_force_runtime": time(seconds[enumeration]),
        "harpagon_runtime": time(seconds[HARPAGON]),
        "brute_force_runtime_ratio": time(seconds[enumeration] / seconds[HARPAGON]),
        "q0.01_runtime": time(seconds[quantized]),
        "q0.01_runtime_ratio": time(seconds[quantized] / seconds[HARPAGON]),
    }
