"""What the runs come to (Piccolo §IV), by key of the published numbers."""

from __future__ import annotations

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Measured, measured
from studies.costs import costs, time_measures, within
from studies.modules import plans_of
from studies.papers.piccolo import PICCOLO, figures
from studies.sessions import by_solver
from studies.study import Collected

ALTERNATIVES = ("np", "nb", "nh", "1bpc", "2bpc", "2d", "dt", "tb", "q0.01", "q0.1", "0re", "1re", "nd")
"""The 13 alternatives of §IV-C, without what their names begin with."""
SPLIT_OPTIMUM = "piccolo-bruteforce"
PLAIN_SPLITS = "split-bruteforce, continuous"
"""Label of the search over the same vectors of budgets as they are, not stretched."""
PLAN_OPTIMUM = "exact, continuous"
"""Label of the optimum of Piccolo's own plan space, which holds dummies at any rate."""
QUANTIZED = "piccolo:q0.01"


def plan_optimum(runs: pd.DataFrame) -> pd.Series[float]:
    """Proven least cost per hour of each workload in Piccolo's plan space; empty where the proof is open."""
    proven = by_solver(runs, "status")[PLAN_OPTIMUM] == "optimal"
    return costs(runs)[PLAN_OPTIMUM].where(proven)


def settled(runs: pd.DataFrame) -> pd.Series[bool]:
    """On which workloads Piccolo costs what the proven plan optimum does, so that no split can be cheaper."""
    found: pd.Series[bool] = costs(runs)[PICCOLO] <= plan_optimum(runs) * (1 + OPTIMALITY_TOLERANCE)
    return found


def split_optimum(runs: pd.DataFrame) -> pd.Series[float]:
    """Least cost per hour over all splits of each workload: the brute force's, or Piccolo's own where that is settled.

    Empty where the workload is in no sample for it (`split_sample`), or the brute force was stopped by its limit.
    """
    table = costs(runs)
    searched = table[SPLIT_OPTIMUM] if SPLIT_OPTIMUM in table else pd.Series(float("nan"), index=table.index)
    sampled = runs.drop_duplicates("workload").set_index("workload").split_sample.reindex(table.index)
    return searched.where(~settled(runs), table[PICCOLO]).where(sampled)


def optimality_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """How often Piccolo matches the brute force over splits, and its largest extra cost over it."""
    hits, gap = within(costs(runs)[PICCOLO], split_optimum(runs))
    return {"optimal_share": hits, "optimal_gap_max": gap}


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published number."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    return {
        **measured(figures(plans_of(runs, allocations, PICCOLO), collected.details.given, ALTERNATIVES)),
        **optimality_measures(runs),
        **time_measures(collected.tables["timings"], PICCOLO, SPLIT_OPTIMUM, QUANTIZED),
    }
