"""Plans as a study stores them, allocation by allocation, and the plain columns for measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from euclio.core.result import Result
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import SolverSetting
from euclio.problems.session import Evaluation, Policy, Session, evaluate
from euclio.report.analysis.statistics import Sample, mean
from studies.costs import costs
from studies.papers.modules import ROUND_ROBIN, Plans, variant
from studies.sessions import by_solver

REPRICED = {"tc_latency_s": Policy.TC, "rr_latency_s": Policy.RR, "machine_rate_latency_s": Policy.MACHINE_RATE}
"""Worst-case latency of the plans of Harp-2d and Picc-2d under each dispatch."""


def kept_by_allocation(solver: str, time_s: float | None, **changes: Any) -> SolverSetting:
    """A solver whose plans are kept allocation by allocation.

    Args:
        solver: name of the solver.
        time_s: limit of one run in seconds; None means none.
        **changes: fields of the setting.
    """
    (found,) = solver_settings(solver)
    return replace(found, **{"time_s": time_s, "measure": "studies.modules:allocation_rows", **changes})


def allocation_rows(session: Session, result: Result) -> list[dict[str, Any]]:
    """One row per allocation of an accepted plan; module numbers repeat on each of its rows.

    A search that its limit stopped has none, since its progress depends on the machine.
    """
    if result.plan is None or result.value is None or result.evaluation is None:
        return []
    if result.stats.get("share", 1.0) < 1.0:
        return []
    price = session.price
    repriced = _repriced(session, result) if variant(result.solver) == ROUND_ROBIN else {}
    rows: list[dict[str, Any]] = []
    for m, (module, plan) in enumerate(zip(session.modules, result.plan.modules, strict=True)):
        found = result.evaluation.modules[m]
        for position, allocation in enumerate(plan.allocations):
            c = allocation.configuration
            last = position == len(plan.allocations) - 1
            rows.append(
                {
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
                    **{column: float(e.modules[m].worst_case_latency_s) for column, e in repriced.items()},
                }
            )
    return rows


def _repriced(session: Session, result: Result) -> dict[str, Evaluation]:
    """A result's plan priced under each dispatch policy, even if it then misses the SLO."""
    assert result.plan is not None
    plan, space = result.plan, result.space
    return {column: evaluate(session, plan, replace(space, policy=policy)) for column, policy in REPRICED.items()}


def module_figures(allocations: pd.DataFrame) -> pd.DataFrame:
    """One row per workload, solver and module.

    Returns:
        A frame indexed by (solver, workload, module) with `rate`, `dummy`, `latency` and `cost` of the module,
        `configurations` used, `machines` (partial ones as the share they are used), `first` and `second`: throughput
        of the first two configurations, `first_machines`: whole machines of the first one, `first_key` and
        `cost_of_first`: its name and unit price, and
        `ratio`: requests per second that a unit of money per hour serves.
    """
    a = allocations.assign(
        used=allocations.machines + allocations.partial_rps / allocations.throughput_rps,
        key=allocations.hardware + "/" + allocations.batch.astype(str) + "/" + allocations.concurrency.astype(str),
    )
    index = ["solver", "workload", "module"]
    groups = a.groupby(index, sort=True, observed=True)
    table = groups.agg(
        rate=("module_rate_rps", "first"),
        dummy=("module_dummy_rps", "first"),
        latency=("module_latency_s", "first"),
        cost=("module_cost_per_h", "first"),
        configurations=("position", "size"),
        machines=("used", "sum"),
    )
    first = a[a.position == 0].set_index(index)
    second = a[a.position == 1].set_index(index)
    table["first"] = first.throughput_rps
    table["first_machines"] = first.machines
    table["first_key"] = first.key
    table["cost_of_first"] = first.price_per_h
    table["second"] = second.throughput_rps
    table["ratio"] = table.rate / table.cost
    return table


def majority_configurations(allocations: pd.DataFrame, run: str) -> pd.DataFrame:
    """The configuration that carries the most rate of each workload's most expensive module, in a run's plans.

    Without a whole machine of it there is a single machine, and every dispatch gives it the same requests. Such a
    workload has no row.

    Args:
        allocations: rows of `allocation_rows`.
        run: name of the run.

    Returns:
        Rows of `allocations` with `duration_s`, and `left_rps`: the remaining rate when the configuration begins,
        dummies included (`Plans.majority`).
    """
    mine = allocations[allocations.solver == run].sort_values(["workload", "module", "position"])
    mine = mine.assign(carried_rps=mine.machines * mine.throughput_rps + mine.partial_rps)
    before = mine.groupby(["workload", "module"], observed=True).carried_rps.cumsum() - mine.carried_rps
    mine = mine.assign(left_rps=mine.module_rate_rps + mine.module_dummy_rps - before)
    mine = mine.reset_index(drop=True)
    at = mine.loc[mine.groupby("workload", observed=True).module_cost_per_h.idxmax()]
    costliest = mine.merge(at[["workload", "module"]])
    most = costliest.loc[costliest.groupby("workload", observed=True).carried_rps.idxmax()]
    most = most[most.machines > 0]
    return most.assign(duration_s=most.batch * most.concurrency / most.throughput_rps)


def dispatch_latency(allocations: pd.DataFrame, run: str, column: str) -> Sample:
    """Extra worst-case latency of a run's module plans under another dispatch, against throughput-cost dispatch."""
    plans = allocations[allocations.solver == run].drop_duplicates(["workload", "module"])
    return Sample(plans[column] / plans.tc_latency_s - 1, mean)


def left(runs: pd.DataFrame) -> pd.DataFrame:
    """The objective less the latency end to end, in seconds; one row per workload and one column per solver."""
    return by_solver(runs.assign(left=runs.slo_s - runs.latency_s), "left")


def sizes(runs: pd.DataFrame) -> pd.Series[int]:
    """Number of modules of each workload."""
    found: pd.Series[int] = runs.drop_duplicates("workload").set_index("workload").modules
    return found


def plans_of(runs: pd.DataFrame, allocations: pd.DataFrame, own: str) -> Plans:
    """The columns of a study's runs.

    Args:
        runs: one row per workload and run.
        allocations: rows of `allocation_rows`.
        own: the paper's own system.
    """
    counted = {name: by_solver(runs, f"stat_{name}") for name in ("iterations", "reassignments")}
    majority = majority_configurations(allocations, f"{own}:{ROUND_ROBIN}")
    return Plans(costs(runs), left(runs), module_figures(allocations), majority, counted, sizes(runs))
