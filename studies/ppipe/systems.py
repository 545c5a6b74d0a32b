"""The compared systems, their ways of planning a cluster (§7.1), and their plans as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from euclio.core.result import Result
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import SolverSetting
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, PlanEvaluation
from studies.collector import COLUMNS_LIMIT_S, LITERAL_LIMIT_S
from studies.sessions import counters

NP, DART, PPIPE, MANY, PRINTED, LITERAL = "NP", "DART-r", "PPipe", "many pipelines", "printed MILP", "literal MILP"
"""`MANY`: without the limit of one pipeline per sequence; `PRINTED`, `LITERAL`: appendix A on an open solver."""
SERVED = (NP, DART, PPIPE)


def _system(label: str, solver: str, time_s: float | None = None, **changes: Any) -> SolverSetting:
    (found,) = solver_settings(solver, label=label, **changes)
    return replace(found, time_s=time_s, measure="studies.ppipe.systems:plan_figures")


SYSTEMS = {
    system.label: system
    for system in (
        _system(NP, "no-partitioning"),
        _system(DART, "dart-r"),
        _system(PPIPE, "columns", COLUMNS_LIMIT_S, one_per_sequence=True),
        _system(MANY, "columns", COLUMNS_LIMIT_S),
        _system(PRINTED, "ppipe", COLUMNS_LIMIT_S),
        _system(LITERAL, "ppipe-literal", LITERAL_LIMIT_S),
    )
}
"""All systems by label. PPipe's plan is the optimum of its MILP's plan space, from column generation."""


def plan_figures(cluster: Cluster, result: Result[PipelinePlan, PipelineSpace, PlanEvaluation]) -> list[dict[str, Any]]:
    """Numbers of pipelines and GPUs of a plan; no pipelines without a plan."""
    used = {} if result.evaluation is None else result.evaluation.gpus
    pipelines = None if result.plan is None else len(result.plan.pipelines)
    return [{"pipelines": pipelines, "gpus_used": float(sum(used.values()))}]


def plan_table(
    frame: pd.DataFrame, clusters: Mapping[str, Cluster], heads: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """One row per plan: outcome, throughput, bound, GPUs in use, seconds and the solver's counters.

    Args:
        frame: results frame.
        clusters: the clusters by name of the instance.
        heads: the first columns of an instance's rows, by its name.
    """
    if frame.empty:
        return pd.DataFrame()
    own = [clusters[name] for name in frame.instance]
    figures = [{} if text is None else json.loads(text)[0] for text in frame.measured]
    table = pd.DataFrame(
        {
            "cluster": [cluster.name for cluster in own],
            "system": frame.label,
            "solver": frame.solver,
            "status": frame.status,
            "planned_rps": frame.value,
            "bound_rps": frame.bound,
            "wall_s": frame.wall_s,
            "pipelines": [row.get("pipelines") for row in figures],
            "gpu_types": [len(cluster.gpus) for cluster in own],
            "gpus": [sum(gpu.count for gpu in cluster.gpus) for cluster in own],
            "gpus_used": [row.get("gpus_used", 0.0) for row in figures],
            "reason": frame.reason,
        }
    )
    first = pd.DataFrame.from_records([dict(heads[name]) for name in frame.instance], index=frame.index)
    return pd.concat([first, table, counters(frame)], axis=1)
