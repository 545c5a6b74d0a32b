"""Measures of the runs: extra cost over the optimum, times of decisions (Figures 10 and 11), and the rest."""

from __future__ import annotations

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Measured, largest, share
from studies.scrooge.changing_measures import changing_measures
from studies.scrooge.inputs import input_measures
from studies.scrooge.objectives import objective_measures
from studies.sessions import by_solver
from studies.study import Collected

MILP, GREEDY, BRUTE_FORCE = "scrooge-milp", "scrooge-greedy", "scrooge-bruteforce"
OPTIMUM = "exact"
"""The optimum of Scrooge's plan space, by a method that shares nothing with the brute force."""
FIVE_APPLICATIONS, OWN_SESSIONS = "five applications", "as in §4.2"
"""The source of a workload: the protocol, or Scrooge's own applications, rates and latency objective.

The paper's Figures 10 and 11 are about the decisions of its §4.2, so the measures use those."""
MANY_TYPES = 30


def on_types(solver: str, types: int = MANY_TYPES) -> str:
    """Label of a solver's runs on many worker types."""
    return f"{solver} ({types} types)"


def drawn_as(runs: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """The runs on workloads of one protocol."""
    return runs[runs.protocol == protocol]


def optima(runs: pd.DataFrame) -> pd.DataFrame:
    """Proven optimal costs, by label of the optimum; NaN means not proven within the limit."""
    proven = runs[runs.status == "optimal"]
    table = by_solver(proven, "cost_per_h").reindex(runs.workload.unique())
    found = {}
    for label, brute_force in ((OPTIMUM, BRUTE_FORCE), (on_types(OPTIMUM), on_types(BRUTE_FORCE))):
        exact = table[label] if label in table else pd.Series(float("nan"), index=table.index)
        found[label] = exact.combine_first(table[brute_force]) if brute_force in table else exact
    return pd.DataFrame(found)


def disagreements(runs: pd.DataFrame) -> int:
    """Workloads on which brute force and the other exact method claim different optima."""
    table = by_solver(runs[runs.status == "optimal"], "cost_per_h")
    count = 0
    for brute_force, label in ((BRUTE_FORCE, OPTIMUM), (on_types(BRUTE_FORCE), on_types(OPTIMUM))):
        if brute_force in table and label in table:
            both = table[[brute_force, label]].dropna()
            count += int(((both[brute_force] / both[label] - 1).abs() > OPTIMALITY_TOLERANCE).sum())
    return count


def ratio(runs: pd.DataFrame, solver: str, optimum: str = OPTIMUM) -> pd.Series[float]:
    """Cost over the optimum, per workload with both."""
    found: pd.Series[float] = (by_solver(runs, "cost_per_h")[solver] / optima(runs)[optimum]).dropna()
    return found


def wall(runs: pd.DataFrame, solver: str) -> pd.Series[float]:
    """Seconds per decision, model building included."""
    found: pd.Series[float] = runs[runs.solver == solver].set_index("workload").wall_s
    return found


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published number."""
    return {
        **input_measures(collected.asked.seed, MANY_TYPES),
        **decision_measures(drawn_as(collected.tables["runs"], OWN_SESSIONS)),
        **objective_measures(collected.tables),
        **changing_measures(collected.tables["changing"]),
    }


def decision_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Figures 10 and 11, by key of the published number."""
    found = {
        "milp_time_max": largest(wall(runs, MILP)),
        "milp_time_max_30": largest(wall(runs, on_types(MILP))),
        "bruteforce_time_max": largest(wall(runs, BRUTE_FORCE)),
    }
    for key, solver in (("milp", MILP), ("greedy", GREEDY)):
        over = ratio(runs, solver)
        found[f"{key}_same_share"] = share(over <= 1 + OPTIMALITY_TOLERANCE)
        found[f"{key}_extra_max"] = largest(over - 1, 100.0)
    return found
