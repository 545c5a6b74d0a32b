"""Single modules of plans (Harpagon §IV-C, Piccolo §IV-C): throughput, configurations, dispatch, latency left over.

The papers say "given modules" without naming them. Ours are those that the paper's own system spends most on in an
application. Throughput is per unit of money: with two machine types, requests per machine would call a plan better for
using more expensive machines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from euclio.analysis.statistics import Measured, largest, mean, share
from euclio.core.result import Result
from euclio.runs.solver_settings import solver_settings
from euclio.runs.task import SolverSetting
from euclio.session import Evaluation, Policy, Session, evaluate
from euclio.studies.sessions import by_solver

REPRICED = {"tc_latency_s": Policy.TC, "rr_latency_s": Policy.RR, "machine_rate_latency_s": Policy.MACHINE_RATE}
"""Worst-case latency of the plans of Harp-2d and Picc-2d under each dispatch."""
ROUND_ROBIN = "2d"
"""Name of either paper's variant with round-robin dispatch."""


def own_system(run: str) -> str:
    """The system that a run is a variant of, such as "harpagon" of "harpagon:nb"."""
    return run.partition(":")[0]


def variant(run: str) -> str:
    """What a run is called behind its system, such as "nb" of "harpagon:nb"; empty: the system itself."""
    return run.partition(":")[2]


def kept_by_allocation(solver: str, time_s: float, **changes: Any) -> SolverSetting:
    """A solver whose plans are kept allocation by allocation.

    Args:
        solver: name of the solver.
        time_s: limit of one run in seconds.
        **changes: fields of the setting.
    """
    (found,) = solver_settings(solver)
    return replace(found, **{"time_s": time_s, "measure": "euclio.studies.modules:allocation_rows", **changes})


def allocation_rows(session: Session, result: Result) -> list[dict[str, Any]]:
    """One row per allocation of an accepted plan; module figures repeat on each of its rows.

    A search that its limit stopped has none: how far it came depends on the machine.
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
    """A result's plan priced under each dispatch policy; whether it still meets the SLO does not matter here."""
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


@dataclass(frozen=True, slots=True)
class Given:
    """A module whose throughput is shown, by application and name."""

    application: str
    module: str

    def __str__(self) -> str:
        """As figures name it."""
        return f"{self.application}/{self.module}"


def given_modules(modules: pd.DataFrame, own: str, applications: Iterable[str]) -> list[Given]:
    """Of each application the module on which a system spends most over its workloads; without one, none.

    Args:
        modules: `module_figures`.
        own: the paper's own system.
        applications: names of the applications.
    """
    cost = modules.loc[own].cost
    application = cost.index.get_level_values("workload").str.rpartition("-").get_level_values(0)
    spent = cost.groupby([application, cost.index.get_level_values("module")]).sum()
    known = set(application)
    return [Given(name, str(spent.loc[name].idxmax())) for name in applications if name in known]


def given_module(modules: pd.DataFrame, own: str, application: str) -> Given:
    """The module of an application on which a system spends most; one without a name where there is no workload."""
    return next(iter(given_modules(modules, own, [application])), Given(application, ""))


def majority_configurations(allocations: pd.DataFrame, run: str) -> pd.DataFrame:
    """The configuration that carries the most rate of each workload's most expensive module, in a run's plans.

    Without a whole machine of it there is a single machine, which every dispatch gives the same requests: such a
    workload has no row.

    Args:
        allocations: rows of `allocation_rows`.
        run: name of the run.

    Returns:
        Rows of `allocations` with `left_rps`: the rate that is left when the configuration begins, dummies included.
    """
    mine = allocations[allocations.solver == run].sort_values(["workload", "module", "position"])
    mine = mine.assign(carried_rps=mine.machines * mine.throughput_rps + mine.partial_rps)
    before = mine.groupby(["workload", "module"], observed=True).carried_rps.cumsum() - mine.carried_rps
    mine = mine.assign(left_rps=mine.module_rate_rps + mine.module_dummy_rps - before)
    mine = mine.reset_index(drop=True)
    at = mine.loc[mine.groupby("workload", observed=True).module_cost_per_h.idxmax()]
    costliest = mine.merge(at[["workload", "module"]])
    most = costliest.loc[costliest.groupby("workload", observed=True).carried_rps.idxmax()]
    return most[most.machines > 0]


def majority_latency(allocations: pd.DataFrame, run: str, policy: str) -> Measured:
    """Extra worst-case latency of the majority configurations under another dispatch (Figures 7(a) and 8).

    The figures compare the same configuration under each dispatch: d + b/w with all the rate that is left, 2d, or
    d + b/t. Module plans would compare their partial machines, which take d + b/f under every dispatch.

    Args:
        allocations: rows of `allocation_rows`.
        run: the paper's variant with round robin, whose plans name the configurations.
        policy: "rr" or "machine-rate".
    """
    c = majority_configurations(allocations, run)
    duration = c.batch * c.concurrency / c.throughput_rps
    other = 2 * duration if policy == "rr" else duration + c.batch / c.throughput_rps
    return mean(other / (duration + c.batch / c.left_rps) - 1, 100)


def dispatch_latency(allocations: pd.DataFrame, run: str, column: str) -> Measured:
    """Extra worst-case latency of a run's module plans under another dispatch, against throughput-cost dispatch."""
    plans = allocations[allocations.solver == run].drop_duplicates(["workload", "module"])
    return mean(plans[column] / plans.tc_latency_s - 1, 100)


def relative_throughput(
    modules: pd.DataFrame, run: str, given: Given, column: str = "ratio", against: str = ""
) -> pd.Series[float]:
    """A variant's module figure over its own system's, on the workloads of the module's application.

    Args:
        modules: `module_figures`.
        run: name of the run, such as "harpagon:nb".
        given: the module.
        column: "ratio" (requests per second per unit of money), "first" or "second" (throughput of a configuration).
        against: the run that it is set against; empty: its own system's.
    """
    both = []
    for name in (run, against or own_system(run)):
        one = modules.loc[name]
        one = one[one.index.get_level_values("workload").str.startswith(f"{given.application}-")]
        one = one[one.index.get_level_values("module") == given.module]
        both.append(one[column].droplevel("module"))
    return (both[0] / both[1]).dropna()


def less(modules: pd.DataFrame, run: str, given: Given, column: str = "ratio", against: str = "") -> Measured:
    """By how many per cent the figure lies below the own system's, or another run's, on average."""
    return mean(1 - relative_throughput(modules, run, given, column, against), 100)


def more_than_two(modules: pd.DataFrame, run: str) -> Measured:
    """Share of workloads on which some module of a run's plan has more than two configurations."""
    return share(modules.loc[run].configurations.groupby(level="workload").max() > 2)


LEAST_REMAINING_S = 1e-6
"""A remaining budget below a microsecond counts as none: a ratio to it says nothing."""


def remaining_budget(runs: pd.DataFrame, run: str) -> pd.Series[float]:
    """Remaining latency budget (SLO less end-to-end latency) of a variant over its own system's, where that has any."""
    own = own_system(run)
    left = by_solver(runs.assign(left=runs.slo_s - runs.latency_s), "left")
    some = left[own] > LEAST_REMAINING_S
    return left.loc[some, run] / left.loc[some, own]


def remaining_measures(runs: pd.DataFrame, own: str) -> dict[str, Measured]:
    """Mean and maximum of what is left without reassignment and with one, over what the own system leaves."""
    found = {}
    for name in ("0re", "1re"):
        ratio = remaining_budget(runs, f"{own}:{name}")
        found[f"{name}_remaining_budget"] = mean(ratio)
        found[f"{name}_remaining_budget_max"] = largest(ratio)
    return found
