"""Checked results as plain rows: one per run."""

from __future__ import annotations

from typing import Any

from euclio.core.result import Result
from euclio.session.workloads.protocol import Workload

Row = dict[str, Any]


def run_row(workload: Workload, label: str, result: Result) -> Row:
    """The row of a run: workload, plan space, outcome, costs, times and the solver's counters."""
    session, space = workload.session, result.space
    evaluation = result.evaluation
    return {
        "workload": session.name,
        "application": workload.application,
        "modules": len(session.modules),
        "rate_rps": float(workload.rate_rps),
        "slo_s": float(session.slo_s),
        "tightness": workload.tightness,
        "solver": label,
        "policy": space.policy.value,
        "dummy_rule": space.dummy.value,
        "max_allocations": space.max_allocations,
        "hardware": None if space.hardware is None else ",".join(space.hardware),
        "single_hardware": space.single_hardware,
        "batching": space.batching,
        "concurrency": space.concurrency,
        "status": result.status.value,
        "reason": result.reason,
        "cost_per_h": result.cost,
        "claimed_cost_per_h": result.claimed,
        "bound_per_h": result.bound,
        "latency_s": None if evaluation is None or evaluation.latency_s is None else float(evaluation.latency_s),
        "wall_s": result.wall_s,
        **{f"stat_{name}": float(value) for name, value in result.stats.items()},
    }
