"""The plans of checked results as plain rows: one per allocation."""

from __future__ import annotations

from dataclasses import replace

from euclio.core.result import Result
from euclio.session import Evaluation, Policy, Session, evaluate
from euclio.session.workloads.protocol import Workload
from euclio.studies.rows import Row

REPRICED = {"tc_latency_s": Policy.TC, "rr_latency_s": Policy.RR, "machine_rate_latency_s": Policy.MACHINE_RATE}
"""Worst-case latency of Harp-2d's plans under each dispatch (Harpagon §IV-C, Fig. 7(a))."""
REPRICED_RUN = "harpagon:2d"


def allocation_rows(workload: Workload, label: str, result: Result) -> list[Row]:
    """One row per allocation of an accepted plan; module figures repeat on each of its rows.

    A search that its limit stopped has none: how far it came depends on the machine.
    """
    if result.plan is None or result.value is None or result.evaluation is None:
        return []
    if result.stats.get("share", 1.0) < 1.0:
        return []
    session = workload.session
    price = session.price
    repriced = _repriced(session, result) if label == REPRICED_RUN else {}
    rows: list[Row] = []
    for m, (module, plan) in enumerate(zip(session.modules, result.plan.modules, strict=True)):
        found = result.evaluation.modules[m]
        for position, allocation in enumerate(plan.allocations):
            c = allocation.configuration
            last = position == len(plan.allocations) - 1
            rows.append(
                {
                    "workload": session.name,
                    "solver": label,
                    "module": module.name,
                    "position": position,
                    "hardware": c.hardware,
                    "batch": c.batch,
                    "concurrency": c.concurrency,
                    "throughput_rps": float(c.throughput_rps),
                    "price_per_h": float(price[c.hardware]),
                    "machines": allocation.machines,
                    "partial_rps": float(found.partial_rps) if last else 0.0,
                    "module_rate_rps": float(module.rate_rps),
                    "module_dummy_rps": float(found.dummy_rps),
                    "module_latency_s": float(found.worst_case_latency_s),
                    "module_cost_per_h": float(found.cost_per_h),
                    **{column: _module_latency(e, m) for column, e in repriced.items()},
                }
            )
    return rows


def _repriced(session: Session, result: Result) -> dict[str, Evaluation]:
    """The same plan under each dispatch; whether it still meets the SLO does not matter here."""
    assert result.plan is not None
    plan, space = result.plan, result.space
    return {column: evaluate(session, plan, replace(space, policy=policy)) for column, policy in REPRICED.items()}


def _module_latency(evaluation: Evaluation, module: int) -> float:
    return float(evaluation.modules[module].worst_case_latency_s)
