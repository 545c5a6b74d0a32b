"""Figures 12 and 13 of Scrooge: cost against the latency objective, with and without spatial multiplexing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from euclio.core.result import Result
from euclio.problems.session import Session
from euclio.report.analysis.statistics import Measured, exactly, mean, ratio_of_sums

SPATIAL, ALONE = "Scrooge", "Scrooge-ns"
"""Scrooge's MILP, and with concurrency 1 only, the paper's Scrooge without spatial multiplexing."""
HOURS_A_DAY = 24.0


class ShownModule(NamedTuple):
    """A module in Figure 13b: its name in the paper, its application and its name there."""

    label: str
    application: str
    module: str


SHOWN = (
    ShownModule("Inception", "traffic", "detector"),
    ShownModule("Mobilenet", "tracker", "detector"),
    ShownModule("PRNet", "face", "keypoints"),
)
SUMMED = ("rate_rps", "machines", "batch_machines", "concurrency_machines")
AVERAGES = {
    "rps": ("rate_rps", "machines"),
    "batch": ("batch_machines", "machines"),
    "concurrency": ("concurrency_machines", "machines"),
}
"""Averages over the machines of a module, as columns of numerator and denominator."""
ENDS_MS = (400, 1000)
"""The tightest and the loosest objective, for which the paper prints averages."""


def machine_rows(session: Session, result: Result) -> list[dict[str, Any]]:
    """One row per module of an accepted plan: its rate, its machines, and these weighted with batch and concurrency.

    A partial machine counts for its used share, as in its cost.
    """
    if result.plan is None or result.evaluation is None:
        return []
    rows = []
    for module, plan, priced in zip(session.modules, result.plan.modules, result.evaluation.modules, strict=True):
        last = plan.allocations[-1].configuration
        used = [(a.configuration, float(a.machines)) for a in plan.allocations]
        used.append((last, float(priced.partial_rps / last.throughput_rps)))
        rows.append(
            {
                "module": module.name,
                "rate_rps": float(module.rate_rps),
                "machines": sum(n for _, n in used),
                "batch_machines": sum(n * c.batch for c, n in used),
                "concurrency_machines": sum(n * c.concurrency for c, n in used),
            }
        )
    return rows


def with_decisions(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of workloads with the decision of each, its name without the objective at the end."""
    return rows.assign(decision=rows.workload.str.rsplit("-", n=1).str[0])


def complete(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs on decisions with a plan at every objective, with and without spatial multiplexing."""
    planned: pd.Series[bool] = runs.cost_per_h.notna().groupby(runs.decision).transform("all")
    return runs[planned]


def costs(runs: pd.DataFrame, application: str) -> pd.DataFrame:
    """Costs of an application's decisions: one row per decision, columns (solver, objective in milliseconds)."""
    own = complete(runs[runs.application == application])
    own = own.assign(objective_ms=(1000 * own.slo_s).round().astype(int))
    return own.pivot(index="decision", columns=["solver", "objective_ms"], values="cost_per_h")


def saved(less: pd.Series[float], more: pd.Series[float]) -> Measured:
    """The saving in the total of one column over another's, in per cent.

    The interval resamples decisions.
    """
    return ratio_of_sums(more - less, more, 100.0)


def objective_savings(runs: pd.DataFrame, application: str) -> list[Measured]:
    """Savings of an application against the tightest objective in per cent, by objective, tightest first."""
    table = costs(runs, application)
    if table.empty:
        return []
    own = table[SPATIAL]
    return [saved(own[ms], own[own.columns.min()]) for ms in sorted(own.columns)]


def spatial_savings(runs: pd.DataFrame, application: str) -> list[Measured]:
    """Savings of an application by spatial multiplexing in per cent, by objective, tightest first."""
    table = costs(runs, application)
    return [saved(table[SPATIAL][ms], table[ALONE][ms]) for ms in sorted(table[SPATIAL].columns)] if len(table) else []


def of_shown_module(tables: Mapping[str, pd.DataFrame], shown: ShownModule, solver: str = SPATIAL) -> pd.DataFrame:
    """Average throughput per machine, batch and concurrency of a shown module, one row per objective in seconds."""
    runs, machines = tables["objectives"], tables["machines"]
    own = complete(runs[runs.application == shown.application])
    own = own[own.solver == solver].set_index("workload")
    rows = machines[(machines.solver == solver) & (machines.module == shown.module)]
    rows = rows[rows.workload.isin(own.index)]
    sums = rows.groupby(rows.workload.map(own.slo_s))[list(SUMMED)].sum()
    return pd.DataFrame({name: sums[above] / sums[below] for name, (above, below) in AVERAGES.items()})


def objective_measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, Measured]:
    """Figures 12 and 13 and the cost of a day, by key of the published number."""
    runs = tables["objectives"]
    found: dict[str, Measured] = {}
    everywhere: list[Measured] = []
    for application in sorted(runs.application.unique()):
        found[f"slo_{application}"] = _most(objective_savings(runs, application))
        spatial = spatial_savings(runs, application)
        everywhere += spatial
        if any(application == shown.application for shown in SHOWN):
            found[f"spatial_{application}_least"] = _least(spatial)
            found[f"spatial_{application}_most"] = _most(spatial)
    found["spatial_least"] = _least(everywhere)
    for shown in SHOWN:
        found |= _averages(tables, shown)
    tight = runs[(runs.application == "traffic") & (runs.solver == SPATIAL) & (runs.slo_s == runs.slo_s.min())]
    found["traffic_day"] = mean(tight.cost_per_h, HOURS_A_DAY)
    return found


def _averages(tables: Mapping[str, pd.DataFrame], shown: ShownModule) -> dict[str, Measured]:
    """Averages of a shown module at the tightest and the loosest objective; batch and concurrency of Inception only."""
    table = of_shown_module(tables, shown)
    columns = AVERAGES if shown.label == "Inception" else ("rps",)
    return {
        f"{shown.label.lower()}_{column}_{ms}": exactly(table[column].get(ms / 1000, float("nan")))
        for ms in ENDS_MS
        for column in columns
    }


def _most(measured: Sequence[Measured]) -> Measured:
    return max(measured, key=lambda m: m.value, default=Measured(float("nan")))


def _least(measured: Sequence[Measured]) -> Measured:
    return min(measured, key=lambda m: m.value, default=Measured(float("nan")))
