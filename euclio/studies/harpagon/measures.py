"""What the runs come to (Harpagon §IV-B, Figures 6, 8(a), 12 and the run times), by key of the published figures."""

from __future__ import annotations

from functools import partial

import pandas as pd

from euclio.analysis.statistics import Measured, exactly, largest, mean, share
from euclio.comparison.decomposing import gap_row
from euclio.comparison.gap import Gap
from euclio.core.registry import find_solver
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.session import FULL_SPACE
from euclio.session.workloads.acceptance import ABLATIONS, BASELINES, SYSTEMS
from euclio.studies.harpagon.modules import HARPAGON, module_measures, residual_measures
from euclio.studies.sessions import by_solver
from euclio.studies.study import Collected

ABLATION_RUNS = tuple(f"harpagon:{name}" for name in ABLATIONS)
SPLIT_OPTIMUM = "split-bruteforce"
SPLIT_BREAKPOINTS = "split-bruteforce:breakpoints"
SPLIT_CENTISECONDS = "split-bruteforce:0.01"
ENUMERATION = "split-enumeration"
"""The papers' brute force as plain enumeration; only timed."""
PLAN_OPTIMUM = "exact"
PLAN_OPTIMUM_SHARED = "exact tc-shared"
QUANTIZED = "harpagon:q0.01"
SPLIT_LIMIT_S = 30.0
"""Limit of a search over splits; the report counts the searches that it stopped."""
THROUGHPUT_SPLIT = ("scrooge", "inferline", "harpagon:tb")
"""Systems that split the latency by throughput (Harpagon Table III)."""


def own_optimum(system: str) -> str:
    """Label of the run that finds the optimum of a system's own plan space."""
    solver = find_solver(system)
    return PLAN_OPTIMUM if solver.space == FULL_SPACE and solver.narrow is None else f"{PLAN_OPTIMUM} for {system}"


def costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Checked cost per hour; one row per workload, one column per solver.

    A split search that its limit stopped has no cost here: what it found is no reference.
    """
    table = runs.pivot(index="workload", columns="solver", values="cost_per_h")
    return table.mask(stopped(runs))


def stopped(runs: pd.DataFrame) -> pd.DataFrame:
    """Which searches their limit stopped, laid out as `costs`."""
    share = runs.stat_share if "stat_share" in runs else pd.Series(1.0, index=runs.index)
    return runs.assign(stopped=share < 1).pivot(index="workload", columns="solver", values="stopped").eq(True)


def normalized(runs: pd.DataFrame) -> pd.DataFrame:
    """Normalized cost (Harpagon §IV-A): cost over Harpagon's on the same workload."""
    table = costs(runs)
    return table.div(table[HARPAGON], axis=0)


def baseline_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Extra cost of the four baselines: least and largest of their means and of their maxima."""
    table = normalized(runs)
    means = [mean(table[name] - 1, 100) for name in BASELINES]
    tops = [largest(table[name] - 1, 100) for name in BASELINES]
    cheapest = (table[list(BASELINES)] >= 1 - OPTIMALITY_TOLERANCE).all(axis=1)
    return {
        "baseline_mean_extra_min": min(means, key=lambda m: m.value),
        "baseline_mean_extra_max": max(means, key=lambda m: m.value),
        "baseline_max_extra_min": min(tops, key=lambda m: m.value),
        "baseline_max_extra_max": max(tops, key=lambda m: m.value),
        "harpagon_cheapest_share": share(cheapest),
    }


def optimality(runs: pd.DataFrame, reference: str = SPLIT_OPTIMUM) -> tuple[Measured, Measured]:
    """Share of workloads on which Harpagon costs no more than a reference, and its largest extra cost over it.

    Workloads without an answer of the reference are left out.
    """
    table = costs(runs)[[HARPAGON, reference]].dropna()
    ratio = table[HARPAGON] / table[reference]
    return share(ratio <= 1 + OPTIMALITY_TOLERANCE), largest(ratio - 1, 100)


def ablation_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Mean and maximum extra cost of every ablation."""
    table = normalized(runs)
    found: dict[str, Measured] = {}
    for name in ABLATIONS:
        extra = table[f"harpagon:{name}"] - 1
        found[f"{name}_mean_extra"] = mean(extra, 100)
        found[f"{name}_max_extra"] = largest(extra, 100)
    return found


def comparison_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """On how many workloads an ablation costs the same, less or more, and what a feature saves where it saves."""
    table = normalized(runs)
    two, quantized = table["harpagon:2c"], table["harpagon:q0.01"]
    found = {
        "2c_same_share": share((two - 1).abs() <= OPTIMALITY_TOLERANCE),
        "q0.01_cheaper_share": share(quantized < 1 - OPTIMALITY_TOLERANCE),
        "q0.01_dearer_share": share(quantized > 1 + OPTIMALITY_TOLERANCE),
    }
    for name in ("nnm", "ncd"):
        without = table[f"harpagon:{name}"]
        helped = without > 1 + OPTIMALITY_TOLERANCE
        found[f"{name}_share"] = share(helped)
        found[f"{name}_cost_reduction"] = mean(1 - 1 / without[helped], 100)
    return found


def cost_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """All measures of this module, by key of the published figure."""
    split_share, split_gap = optimality(runs)
    return {
        **baseline_measures(runs),
        "optimal_share": split_share,
        "optimal_gap_max": split_gap,
        **ablation_measures(runs),
        **comparison_measures(runs),
    }


def time_measures(timings: pd.DataFrame) -> dict[str, Measured]:
    """Mean run times of the single-process timing and their ratios; times carry no interval.

    A run that its limit cut off counts as its time over the share of its search that it went through.
    """
    whole = timings.assign(whole_s=timings.wall_s / timings.stat_share.fillna(1.0))
    seconds = whole.groupby("solver").whole_s.mean()
    time = partial(exactly, n=timings.workload.nunique())
    return {
        "brute_force_runtime": time(seconds[ENUMERATION]),
        "harpagon_runtime": time(seconds[HARPAGON]),
        "brute_force_runtime_ratio": time(seconds[ENUMERATION] / seconds[HARPAGON]),
        "q0.01_runtime": time(seconds[QUANTIZED]),
        "q0.01_runtime_ratio": time(seconds[QUANTIZED] / seconds[HARPAGON]),
    }


def gaps(runs: pd.DataFrame) -> pd.DataFrame:
    """The gap of every system on every workload, as `euclio.decompose` gives it; unproven optima are left out.

    Args:
        runs: one row per workload and run, the optima of the systems' own plan spaces included.
    """
    cost, proven = costs(runs), by_solver(runs, "status") == "optimal"
    optima = cost.where(proven)
    rows = []
    for system in SYSTEMS:
        columns = (cost[system], optima[own_optimum(system)], optima[PLAN_OPTIMUM])
        for workload, *values in zip(cost.index, *columns, strict=True):
            reached, own, best = (None if pd.isna(v) else float(v) for v in values)
            rows.append(gap_row(str(workload), system, Gap(reached, own, best)))
    return pd.DataFrame.from_records(rows)


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published figure."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    return {
        **cost_measures(runs),
        **module_measures(allocations),
        **residual_measures(runs, allocations),
        **time_measures(collected.tables["timings"]),
    }
