"""What the runs come to (Piccolo §IV), by key of the published figures."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import Measured, largest, share
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.studies.costs import (
    baseline_measures,
    cheaper,
    costs,
    extra_measures,
    more_expensive,
    normalized,
    same,
    time_measures,
    within,
)
from euclio.studies.modules import (
    given_module,
    less,
    majority_latency,
    module_figures,
    more_than_two,
    relative_throughput,
    remaining_measures,
)
from euclio.studies.sessions import by_solver
from euclio.studies.study import Collected

PICCOLO = "piccolo"
ALTERNATIVES = ("np", "nb", "nh", "1bpc", "2bpc", "2d", "dt", "tb", "q0.01", "q0.1", "0re", "1re", "nd")
"""The 13 alternatives of §IV-C, without what their names begin with."""
SPLIT_OPTIMUM = "piccolo-bruteforce"
PLAIN_SPLITS = "split-bruteforce, continuous"
"""Label of the search over the same vectors of budgets as they are, not stretched."""
PLAN_OPTIMUM = "exact, continuous"
"""Label of the optimum of Piccolo's own plan space, which holds dummies at any rate."""
QUANTIZED = "piccolo:q0.01"
THROUGHPUT_SPLIT = "piccolo:tb"
TWO_MODULES = 2


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


def share_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """How often alternatives cost the same, less or more."""
    table = normalized(runs, PICCOLO)
    return {
        **{f"{name}_same_share": same(table[f"piccolo:{name}"]) for name in ("1bpc", "2bpc", "nd")},
        "q0.01_cheaper_share": cheaper(table[QUANTIZED]),
        "q0.01_more_expensive_share": more_expensive(table[QUANTIZED]),
    }


def by_modules(runs: pd.DataFrame) -> tuple[pd.Series[float], pd.Series[float]]:
    """Normalized cost of Picc-tb on applications of two modules, and of three (ours may have more)."""
    modules = runs.drop_duplicates("workload").set_index("workload").modules
    ratio = normalized(runs, PICCOLO)[THROUGHPUT_SPLIT]
    count = modules.reindex(ratio.index)
    return ratio[count == TWO_MODULES], ratio[count > TWO_MODULES]


def throughput_split_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Figure 9: Picc-tb on two and on three modules."""
    two, three = by_modules(runs)
    return {
        "tb_two_modules_same_share": same(two),
        "tb_two_modules_max_extra": largest(two - 1, 100),
        "tb_three_modules_more_expensive_share": more_expensive(three),
        "tb_three_modules_min_extra": largest(1 - three, -100),
        "tb_three_modules_max_extra": largest(three - 1, 100),
    }


def module_measures(allocations: pd.DataFrame, application: str) -> dict[str, Measured]:
    """Figures 6 and 8, and how many configurations Piccolo assigns.

    Args:
        allocations: rows of `euclio.studies.modules.allocation_rows`.
        application: whose most expensive module is the given one of Figure 6.
    """
    modules = module_figures(allocations)
    given = given_module(modules, PICCOLO, application)
    return {
        **{f"{name}_throughput_less": less(modules, f"piccolo:{name}", given) for name in ("np", "nb", "nh")},
        "np_throughput_more_share": share(relative_throughput(modules, "piccolo:np", given) > 1 + OPTIMALITY_TOLERANCE),
        "more_than_two_share": more_than_two(modules, PICCOLO),
        "2d_latency_extra": majority_latency(allocations, "piccolo:2d", "rr"),
        "dt_latency_extra": majority_latency(allocations, "piccolo:2d", "machine-rate"),
    }


def cost_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """All measures of costs and of the latency that is left, by key of the published figure."""
    return {
        **baseline_measures(runs, PICCOLO),
        **optimality_measures(runs),
        **extra_measures(runs, PICCOLO, ALTERNATIVES),
        **share_measures(runs),
        **throughput_split_measures(runs),
        **remaining_measures(runs, PICCOLO),
    }


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published figure."""
    return {
        **cost_measures(collected.tables["runs"]),
        **module_measures(collected.tables["allocations"], collected.details.given),
        **time_measures(collected.tables["timings"], PICCOLO, SPLIT_OPTIMUM, QUANTIZED),
    }
