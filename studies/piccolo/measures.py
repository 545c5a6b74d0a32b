"""Measures of the runs (Piccolo §IV), by key of the published numbers."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Measured, Sample, measured
from studies.costs import costs, time_measures, within
from studies.modules import module_figures, plans_of
from studies.papers.costs import extras, same
from studies.papers.modules import more_than_two
from studies.papers.piccolo import PICCOLO, figures
from studies.readings import OWN_SCROOGE, SHARED_RATE, OfSystems, Reading, moved_by_systems
from studies.session_figures import PaperSystem
from studies.sessions import by_solver
from studies.study import Collected

ALTERNATIVES = ("np", "nb", "nh", "1bpc", "2bpc", "2d", "dt", "tb", "q0.01", "q0.1", "0re", "1re", "nd")
"""The 13 alternatives of §IV-C, by their names without the prefix."""
SPLIT_OPTIMUM = "piccolo-bruteforce"
PLAIN_SPLITS = "split-bruteforce, continuous"
"""Label of the search over the same vectors of budgets, but not stretched."""
PLAN_OPTIMUM = "exact, continuous"
"""Label of the optimum of Piccolo's own plan space, which holds dummies at any rate."""
QUANTIZED = "piccolo:q0.01"


def plan_optimum(runs: pd.DataFrame) -> pd.Series[float]:
    """Proven least cost per hour of each workload in Piccolo's plan space; empty without a proof."""
    proven = by_solver(runs, "status")[PLAN_OPTIMUM] == "optimal"
    return costs(runs)[PLAN_OPTIMUM].where(proven)


def settled(runs: pd.DataFrame) -> pd.Series[bool]:
    """Whether Piccolo costs the same as the proven plan optimum on each workload, so that no split can be cheaper."""
    found: pd.Series[bool] = costs(runs)[PICCOLO] <= plan_optimum(runs) * (1 + OPTIMALITY_TOLERANCE)
    return found


def split_optimum(runs: pd.DataFrame) -> pd.Series[float]:
    """Least cost per hour over all splits of each workload: the brute force's, or Piccolo's own if that is optimal.

    Empty if the workload is in no sample for it (`split_sample`), or a limit stopped the brute force.
    """
    table = costs(runs)
    searched = table[SPLIT_OPTIMUM] if SPLIT_OPTIMUM in table else pd.Series(float("nan"), index=table.index)
    sampled = runs.drop_duplicates("workload").set_index("workload").split_sample.reindex(table.index)
    return searched.where(~settled(runs), table[PICCOLO]).where(sampled)


SYSTEM = PaperSystem(
    PICCOLO,
    "Piccolo",
    "Picc",
    workloads=663,
    share="97.13",
    scheduler="the scheduler",
    variants=ALTERNATIVES,
    split=split_optimum,
    plan=plan_optimum,
    means=(1.044, 1.443),
    largest=2.018,
)


def optimality_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Share of workloads on which Piccolo matches the brute force over splits, and its largest extra cost over it."""
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


FEW = ("1bpc", "2bpc")
"""Alternatives with few configurations per module."""


def filled(name: str) -> str:
    """Label of an alternative that adds Piccolo's dummies."""
    return f"piccolo:{name}, with dummies"


FILLED = Reading(
    "Which dummies Picc-1bpc and Picc-2bpc add",
    "none",
    "those of Piccolo",
    "With dummies, two configurations nearly always cost the same as Piccolo, where 56.26 % is printed.",
    tuple((f"piccolo:{name}", filled(name)) for name in FEW),
)
MORE_THAN_TWO = Reading(
    "Where more than two configurations are counted",
    "in plans without dummies (Picc-nd)",
    "in Piccolo's plans",
    "43.74 % is 100 % less the 56.26 % on which Picc-2bpc costs the same. Dummies leave few plans with more than two.",
)


def _of_filled(_: pd.DataFrame, ratio: pd.DataFrame) -> dict[str, Sample]:
    return {**extras(ratio, PICCOLO, FEW), **{f"{name}_same_share": same(ratio[f"piccolo:{name}"]) for name in FEW}}


OF_SYSTEMS: Mapping[Reading, OfSystems | None] = {SHARED_RATE: None, OWN_SCROOGE: None, FILLED: _of_filled}
"""Readings of whole systems, with the numbers that they move; None means those of the baselines."""
OTHER_ROWS = tuple(other for reading in (SHARED_RATE, OWN_SCROOGE) for _, other in reading.rows)
"""Solvers of the other answers, except for the alternatives with dummies."""


def other_readings(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[Reading, dict[str, Measured]]:
    """The numbers that each reading moves under the other answer, by key of the published number.

    Args:
        runs: one row per workload and run.
        allocations: rows of `studies.modules.allocation_rows`.
    """
    found = {
        **moved_by_systems(runs, PICCOLO, OF_SYSTEMS),
        MORE_THAN_TWO: {"more_than_two_share": more_than_two(module_figures(allocations), PICCOLO)},
    }
    return {reading: measured(figures) for reading, figures in found.items()}
