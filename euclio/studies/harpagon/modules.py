"""Single modules (Harpagon §IV-C): Figures 7, 8(b), 9 and 11, configurations, residual workload, what splits leave.

The paper says "given modules" without naming them. Ours are those that Harpagon spends most on: of each application the
most expensive module, and of these the three most expensive ones; the single one is the first of them. The
three-module application is `traffic`. Throughput is per unit of money: with two machine types, requests per machine
would call a plan better for using more expensive machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from euclio.analysis.statistics import Measured, largest, mean, share
from euclio.core.result import Result
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.session import Evaluation, Policy, Session, evaluate
from euclio.studies.sessions import by_solver

HARPAGON = "harpagon"
NO_DUMMIES = "harpagon:nd"
REPRICED = {"tc_latency_s": Policy.TC, "rr_latency_s": Policy.RR, "machine_rate_latency_s": Policy.MACHINE_RATE}
"""Worst-case latency of Harp-2d's plans under each dispatch (Harpagon §IV-C, Fig. 7(a))."""
REPRICED_RUN = "harpagon:2d"


def allocation_rows(session: Session, result: Result) -> list[dict[str, Any]]:
    """One row per allocation of an accepted plan; module figures repeat on each of its rows.

    A search that its limit stopped has none: how far it came depends on the machine.
    """
    if result.plan is None or result.value is None or result.evaluation is None:
        return []
    if result.stats.get("share", 1.0) < 1.0:
        return []
    price = session.price
    repriced = _repriced(session, result) if result.solver == REPRICED_RUN else {}
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


THREE_MODULE_APPLICATION = ("traffic", ("detector", "vehicle", "face"))


@dataclass(frozen=True, slots=True)
class Given:
    """A module whose throughput is shown, by application and name."""

    application: str
    module: str

    def __str__(self) -> str:
        """As figures name it."""
        return f"{self.application}/{self.module}"


GIVEN = 3
"""So many modules are given where the paper shows three."""


def given_modules(modules: pd.DataFrame) -> list[Given]:
    """Of each application the module on which Harpagon spends most, by falling mean cost per hour; the first three.

    Args:
        modules: `module_figures`.
    """
    cost = modules.loc[HARPAGON].cost
    application = cost.index.get_level_values("workload").str.rpartition("-").get_level_values(0)
    spent = cost.groupby([application, cost.index.get_level_values("module")]).mean().sort_values(ascending=False)
    most = spent[~spent.index.get_level_values(0).duplicated()]
    return [Given(str(name), str(module)) for name, module in most.index[:GIVEN]]


def majority_latency(allocations: pd.DataFrame, policy: str) -> Measured:
    """Extra worst-case latency of Harp-2d's majority configurations under another dispatch (Harpagon Figure 7(a)).

    The figure compares the same configuration under each dispatch: d + b/w with the rate w that is left when it begins,
    2d, or d + b/t. Module plans would compare their partial machines, which take d + b/f under every dispatch. Of each
    workload it is the configuration that carries the most rate of Harp-2d's most expensive module. Without a whole
    machine of it there is a single one, which every dispatch gives the same requests: such a workload says nothing.

    Args:
        allocations: rows of `allocation_rows`, a module's by position.
        policy: "rr" or "machine-rate".
    """
    plans = allocations[allocations.solver == REPRICED_RUN].reset_index(drop=True)
    carried = plans.machines * plans.throughput_rps + plans.partial_rps
    before = carried.groupby([plans.workload, plans.module]).cumsum() - carried
    costliest = plans.loc[plans.groupby("workload").module_cost_per_h.idxmax()].set_index("workload").module
    own = plans.module == plans.workload.map(costliest)
    most = carried[own].groupby(plans.workload[own]).idxmax()
    c = plans.loc[most].assign(left_rps=plans.module_rate_rps + plans.module_dummy_rps - before)
    c = c[c.machines > 0]
    duration = c.batch * c.concurrency / c.throughput_rps
    other = 2 * duration if policy == "rr" else duration + c.batch / c.throughput_rps
    return mean(other / (duration + c.batch / c.left_rps) - 1, 100)


def dispatch_latency(allocations: pd.DataFrame, column: str) -> Measured:
    """Extra worst-case latency of Harp-2d's module plans under another dispatch, against throughput-cost dispatch."""
    plans = allocations[allocations.solver == REPRICED_RUN].drop_duplicates(["workload", "module"])
    return mean(plans[column] / plans.tc_latency_s - 1, 100)


def relative_throughput(modules: pd.DataFrame, run: str, given: Given, column: str = "ratio") -> pd.Series[float]:
    """A run's module figure over Harpagon's, on the workloads of the module's application.

    Args:
        modules: `module_figures`.
        run: name of the run.
        given: the module.
        column: "ratio" (requests per second per unit of money), "first" or "second" (throughput of a configuration).
    """
    both = []
    for name in (run, HARPAGON):
        one = modules.loc[name]
        one = one[one.index.get_level_values("workload").str.startswith(f"{given.application}-")]
        one = one[one.index.get_level_values("module") == given.module]
        both.append(one[column].droplevel("module"))
    return (both[0] / both[1]).dropna()


def less(modules: pd.DataFrame, run: str, given: Given, column: str = "ratio") -> Measured:
    """By how many per cent the figure lies below Harpagon's, on average."""
    return mean(1 - relative_throughput(modules, run, given, column), 100)


def module_measures(allocations: pd.DataFrame) -> dict[str, Measured]:
    """Measures of single modules, by key of the published figure."""
    modules = module_figures(allocations)
    found = {
        "2d_latency_extra": majority_latency(allocations, "rr"),
        "dt_latency_extra": majority_latency(allocations, "machine-rate"),
        # The dummy generator leaves hardly any plan with three configurations (docs/findings/two-features.md).
        "more_than_two_share": more_than_two(modules, NO_DUMMIES),
    }
    return found | throughput_measures(modules, given_modules(modules))


def more_than_two(modules: pd.DataFrame, run: str) -> Measured:
    """Share of workloads on which some module of a run's plan has more than two configurations."""
    return share(modules.loc[run].configurations.groupby(level="workload").max() > 2)


def throughput_measures(modules: pd.DataFrame, given: Sequence[Given]) -> dict[str, Measured]:
    """Throughput of given modules below Harpagon's, by key; where the paper gives one module it is the first."""
    found = {}
    for name in ("2d", "dt"):
        three = [less(modules, f"harpagon:{name}", one) for one in given]
        found[f"{name}_throughput_less_min"] = min(three, key=lambda m: m.value)
        found[f"{name}_throughput_less_max"] = max(three, key=lambda m: m.value)
    found["1c_throughput_less"] = less(modules, "harpagon:1c", given[0], "first")
    found["2c_second_throughput_less"] = less(modules, "harpagon:2c", given[0], "second")
    for name in ("nb", "nhc", "nhe"):
        found[f"{name}_throughput_less"] = less(modules, f"harpagon:{name}", given[0])
    found["nhe_throughput_more_share"] = share(
        relative_throughput(modules, "harpagon:nhe", given[0]) > 1 + OPTIMALITY_TOLERANCE
    )
    return found


LEAST_REMAINING_S = 1e-6
"""A remaining budget below a microsecond counts as none: a ratio to it says nothing."""


def dummy_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """How often dummies are used, and what they do to residual workload and cost where they are.

    Residual workload: what the whole machines of the first configuration leave over, as many of them as the plans
    with and without dummies share. Its throughput is per unit of money; extra resources are the dummies' share of it.
    """
    table = by_solver(runs, "cost_per_h")
    modules = module_figures(allocations)
    with_dummies = modules.loc[HARPAGON]
    used = pd.DataFrame(with_dummies[with_dummies.dummy > 0])
    workloads = pd.Index(used.index.get_level_values("workload").unique())
    residual = _residuals(used, pd.DataFrame(modules.loc[NO_DUMMIES]).reindex(used.index))
    saved = 1 - table.loc[workloads, HARPAGON] / table.loc[workloads, NO_DUMMIES]
    return {
        "dummy_share": share(pd.Series(table.index.isin(workloads), index=table.index)),
        "dummy_throughput_gain": mean(residual.gain, 100),
        "dummy_resources": mean(residual.extra, 100),
        "dummy_cost_reduction": mean(saved, 100),
    }


def _residuals(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Per module: gain in throughput of the residual from plan b to plan a, and dummies over residual workload."""
    shared = np.where(a.first_key == b.first_key, np.minimum(a.first_machines, b.first_machines), 0)
    rate = a.rate - shared * a["first"]
    price = (a.cost_of_first, b.cost_of_first)
    cost_a, cost_b = a.cost - shared * price[0], b.cost - shared * price[1]
    kept = (rate > 1e-9 * a.rate) & (cost_a > 0) & (cost_b > 0)
    gain = ((rate + a.dummy) / cost_a) / (rate / cost_b) - 1
    return pd.DataFrame({"gain": gain[kept], "extra": (a.dummy / rate)[kept]})


def remaining_budget(runs: pd.DataFrame, run: str) -> pd.Series[float]:
    """Remaining latency budget (SLO less end-to-end latency) of a run over Harpagon's, where Harpagon leaves any."""
    left = by_solver(runs.assign(left=runs.slo_s - runs.latency_s), "left")
    some = left[HARPAGON] > LEAST_REMAINING_S
    return left.loc[some, run] / left.loc[some, HARPAGON]


def residual_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """Measures of residual workload and split, by key of the published figure."""
    found = dummy_measures(runs, allocations)
    for name in ("0re", "1re"):
        ratio = remaining_budget(runs, f"harpagon:{name}")
        found[f"{name}_remaining_budget"] = mean(ratio)
        found[f"{name}_remaining_budget_max"] = largest(ratio)
    found["reassigned_share"] = share(by_solver(runs, "stat_reassignments")[HARPAGON] > 0)
    iterations = by_solver(runs, "stat_iterations")
    found["harpagon_iterations"] = mean(iterations[HARPAGON])
    found["tb_iterations"] = mean(iterations["harpagon:tb"])
    return found
