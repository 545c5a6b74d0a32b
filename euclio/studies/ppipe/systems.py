"""The systems compared, and how each plans a cluster (§7.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from euclio.core.registry import find_solver
from euclio.core.solving import solve
from euclio.pipeline import Cluster
from euclio.studies.rows import Row
from euclio.verbs import ClusterResult

NP, DART, PPIPE, MANY, PRINTED, LITERAL = "NP", "DART-r", "PPipe", "many pipelines", "printed MILP", "literal MILP"
"""`MANY`: the same without the limit of one pipeline per sequence; `PRINTED`, `LITERAL`: appendix A on an open "
"solver."""


@dataclass(frozen=True, slots=True)
class System:
    """A way to plan.

    Attributes:
        label: its name in figures and results.
        solver: name in the registry.
        changes: fields of the plan space that differ from the solver's default.
        time_limit_s: seconds; None: none.
    """

    label: str
    solver: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    time_limit_s: float | None = None

    def plan(self, cluster: Cluster, time_limit_s: float | None = None) -> ClusterResult:
        """Plan a cluster and check the plan; a limit given here goes before the system's own."""
        limit = self.time_limit_s if time_limit_s is None else time_limit_s
        space = find_solver(self.solver).space
        return solve(cluster, self.solver, space=space, time_limit_s=limit, **self.changes)


EXACT_LIMIT_S = 20.0
LITERAL_LIMIT_S = 5.0
"""Enough to see whether there is any plan, which is all that is asked of it."""
SYSTEMS = {
    s.label: s
    for s in (
        System(NP, "no-partitioning"),
        System(DART, "dart-r"),
        System(PPIPE, "columns", {"one_per_sequence": True}, EXACT_LIMIT_S),
        System(MANY, "columns", {}, EXACT_LIMIT_S),
        System(PRINTED, "ppipe", {}, EXACT_LIMIT_S),
        System(LITERAL, "ppipe-literal", {}, LITERAL_LIMIT_S),
    )
}
"""All systems by label. PPipe's plan is the optimum of its MILP's plan space, found by columns."""
SERVED = (NP, DART, PPIPE)


def plan_row(cluster: Cluster, label: str, result: ClusterResult) -> Row:
    """The row of a checked plan: outcome, throughput, bound, GPUs in use, time."""
    found = result.evaluation
    used = {} if found is None else found.gpus
    return {
        "cluster": cluster.name,
        "system": label,
        "solver": result.solver,
        "status": result.status.value,
        "planned_rps": result.cost,
        "bound_rps": result.bound,
        "wall_s": result.wall_s,
        "pipelines": None if result.plan is None else len(result.plan.pipelines),
        "gpu_types": len(cluster.gpus),
        "gpus": sum(gpu.count for gpu in cluster.gpus),
        "gpus_used": float(sum(used.values())),
        "reason": result.reason,
        **{f"stat_{name}": float(value) for name, value in result.stats.items()},
    }
