"""Measures of the simulations: percentiles by key of the published numbers, errors by group, largest loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from euclio.report.analysis.statistics import Measured, mean
from studies.mlperf.inputs import PERCENTILES, ServerCase, cases
from studies.mlperf.rules import CONFIGURED
from studies.study import Collected

NUMBERS = [*PERCENTILES, "mean_batch", "largest_rps", "capacity_rps"]
"""Columns of a simulation; only the first two rules give `largest_rps`."""
CHANGED = [f"{name}_{change}" for name in PERCENTILES for change in ("less", "more")]
"""Percentiles at slightly less and slightly more load, by the first rule."""


def measures(collected: Collected) -> dict[str, Measured]:
    """Simulated percentiles in seconds, by key of the published number, as means over the seeds."""
    own = of_rule(collected.tables["servers"], CONFIGURED.label)
    rows = {case.name: own[own.case == case.name] for case in cases()}
    return {f"{case.key}_{name}": mean(rows[case.name][name]) for case in cases() for name in PERCENTILES}


def of_rule(servers: pd.DataFrame, rule: str) -> pd.DataFrame:
    """The rows of a rule."""
    return servers[servers.rule == rule]


def by_case(rows: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Means of the numbers of each server, by its name."""
    columns = [name for name in (*NUMBERS, *CHANGED) if name in rows]
    means = rows.groupby("case")[columns].mean()
    return {str(row["case"]): {name: float(row[name]) for name in columns} for row in records(means.reset_index())}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain data."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def held_against(servers: pd.DataFrame, rule: str) -> pd.DataFrame:
    """One row per server: simulated and measured percentiles in seconds, errors, largest load and the one reached.

    An error is simulated over measured, less 1.
    """
    simulated = by_case(of_rule(servers, rule))
    return pd.DataFrame([_held(case, simulated[case.name]) for case in cases()])


def _held(case: ServerCase, simulated: Mapping[str, float]) -> dict[str, Any]:
    measured = case.on_hardware_s
    return {
        "case": case.name,
        "group": case.group,
        "kind": case.kind.value,
        "batch": case.batch,
        "submitted_rps": case.submitted_rps,
        "bound_s": case.bound_s,
        **simulated,
        **{f"measured_{name}": measured[name] for name in PERCENTILES},
        **{f"error_{name}": simulated[name] / measured[name] - 1.0 for name in PERCENTILES},
        "over_reached": simulated["largest_rps"] / case.submitted_rps,
        "used": case.submitted_rps / simulated["capacity_rps"],
    }


def median_errors(held: pd.DataFrame) -> pd.Series[float]:
    """Median over the servers of the absolute errors, by percentile."""
    errors = held[[f"error_{name}" for name in PERCENTILES]].abs()
    errors.columns = pd.Index(PERCENTILES)
    found: pd.Series[float] = errors.median()
    return found


def group_errors(held: pd.DataFrame) -> pd.Series[float]:
    """Median over the groups of accelerator and model of their median errors, by percentile."""
    errors = held.set_index("group")[[f"error_{name}" for name in PERCENTILES]].abs()
    errors.columns = pd.Index(PERCENTILES)
    found: pd.Series[float] = errors.groupby(level=0).median().median()
    return found


def within(held: pd.DataFrame, share: float) -> dict[str, int]:
    """The number of servers predicted to within a share, by percentile."""
    return {name: int((held[f"error_{name}"].abs() <= share).sum()) for name in PERCENTILES}


def reached(held: pd.DataFrame) -> int:
    """The number of servers whose largest simulated load is at or above the load that was reached."""
    return int((held.over_reached >= 1.0).sum())


def median_share(errors: pd.Series[float]) -> float:
    """Median of absolute errors."""
    return float(np.median(errors.abs()))
