"""What the runs come to (Harpagon §IV-B, Figures 6, 8(a), 12 and the run times), by key of the published numbers."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import Measured, measured
from euclio.comparison.decomposing import gap_row
from euclio.comparison.gap import Gap
from euclio.core.registry import find_solver
from euclio.papers.harpagon import HARPAGON, figures
from euclio.papers.modules import ROUND_ROBIN
from euclio.session import FULL_SPACE
from euclio.session.workloads.acceptance import ABLATIONS, SYSTEMS
from euclio.studies.costs import costs, time_measures, within
from euclio.studies.modules import plans_of
from euclio.studies.sessions import by_solver
from euclio.studies.study import Collected

ABLATION_RUNS = tuple(f"harpagon:{name}" for name in ABLATIONS)
SPLIT_OPTIMUM = "split-bruteforce"
SPLITS = "split-bruteforce:million"
"""The search that finds it here: nodes end it and no clock; what they stop is left out of its share, and counted."""
SPLIT_BREAKPOINTS = "split-bruteforce:breakpoints"
SPLIT_CENTISECONDS = "split-bruteforce:0.01"
ENUMERATION = "split-enumeration"
"""The papers' brute force as plain enumeration; only timed."""
PLAN_OPTIMUM = "exact"
PLAN_OPTIMUM_SHARED = "exact tc-shared"
QUANTIZED = "harpagon:q0.01"
SPLIT_LIMIT_S = 30.0
"""Limit of a search over a finer grid of splits; the report counts the searches that are stopped."""
REPRICED_RUN = f"{HARPAGON}:{ROUND_ROBIN}"
"""Its plans are priced under each dispatch (Harpagon §IV-C, Fig. 7(a))."""
THREE_MODULE_APPLICATION = ("traffic", ("detector", "vehicle", "face"))
THROUGHPUT_SPLIT = ("inferline", "harpagon:tb")
"""Systems that split the latency by throughput (Harpagon Table III)."""


def own_optimum(system: str) -> str:
    """Label of the run that finds the optimum of a system's own plan space."""
    solver = find_solver(system)
    return PLAN_OPTIMUM if solver.space == FULL_SPACE and solver.narrow is None else f"{PLAN_OPTIMUM} for {system}"


def optimality(runs: pd.DataFrame, reference: str = SPLIT_OPTIMUM) -> tuple[Measured, Measured]:
    """Share of workloads on which Harpagon costs no more than a reference, and its largest extra cost over it.

    Workloads without an answer of the reference are left out.
    """
    table = costs(runs)
    return within(table[HARPAGON], table[reference])


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
    """Every measure, by key of the published number."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    split_share, split_gap = optimality(runs)
    return {
        **measured(figures(plans_of(runs, allocations, HARPAGON), collected.details.given, ABLATIONS)),
        "optimal_share": split_share,
        "optimal_gap_max": split_gap,
        **time_measures(collected.tables["timings"], HARPAGON, ENUMERATION, QUANTIZED),
    }
