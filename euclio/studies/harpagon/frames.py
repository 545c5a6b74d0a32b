"""Views of the result tables that the measures share: costs per workload, and module figures per run."""

from __future__ import annotations

import pandas as pd

from euclio.studies.harpagon.tasks import HARPAGON

SAME = 1e-6
"""Costs within this share of each other are the same."""


def costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Checked cost per hour; one row per workload, one column per solver.

    A split search that its limit stopped has no cost here: what it found is no reference.
    """
    table = runs.pivot(index="workload", columns="solver", values="cost_per_h")
    return table.mask(stopped(runs))


def stopped(runs: pd.DataFrame) -> pd.DataFrame:
    """Which searches their limit stopped, laid out as `costs`."""
    share = runs.stat_share if "stat_share" in runs else pd.Series(1.0, index=runs.index)
    return runs.assign(stopped=share < 1).pivot(index="workload", columns="solver", values="stopped").eq(True)


def normalized(runs: pd.DataFrame) -> pd.DataFrame:
    """Normalized cost (Harpagon §IV-A): cost over Harpagon's on the same workload."""
    table = costs(runs)
    return table.div(table[HARPAGON], axis=0)


def counters(runs: pd.DataFrame, column: str) -> pd.DataFrame:
    """Another column of the runs, laid out as `costs`."""
    return runs.pivot(index="workload", columns="solver", values=column)


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
