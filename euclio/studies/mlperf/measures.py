"""What the simulations come to: percentiles by key of the published figures, errors by group, largest loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from euclio.analysis.statistics import Measured, exactly, mean
from euclio.studies.mlperf.inputs import PERCENTILES, cases
from euclio.studies.mlperf.rules import CONFIGURED, RULES, SWEPT
from euclio.studies.study import Collected
from euclio.studies.verdicts import OtherReading

QUESTION = "How the server is modelled, which the results leave open"


def measures(collected: Collected) -> dict[str, Measured]:
    """Simulated percentiles in seconds, by key of the published figure, as means over the seeds."""
    own = of_rule(collected.tables["servers"], CONFIGURED.label)
    by_case = {str(case): rows for case, rows in own.groupby("case")}
    return {f"{case.key}_{name}": mean(by_case[case.name][name]) for case in cases() for name in PERCENTILES}


def readings(collected: Collected) -> Mapping[str, Sequence[OtherReading]]:
    """The same under the other rules."""
    servers = collected.tables["servers"]
    found: dict[str, list[OtherReading]] = {}
    for rule in (*RULES[1:], *SWEPT):
        rows = of_rule(servers, rule.label).set_index("case")
        for case in cases():
            for name in PERCENTILES:
                simulated = exactly(rows.at[case.name, name], 1)
                found.setdefault(f"{case.key}_{name}", []).append(OtherReading(QUESTION, rule.answer, simulated))
    return found


def of_rule(servers: pd.DataFrame, rule: str) -> pd.DataFrame:
    """The rows of a rule."""
    return servers[servers.rule == rule]


def held_against(servers: pd.DataFrame, rule: str) -> pd.DataFrame:
    """One row per server: simulated and measured percentiles in seconds, errors, largest load and the one reached.

    An error is simulated over measured, less 1.
    """
    own = of_rule(servers, rule)
    simulated = own.groupby("case")[[*PERCENTILES, "mean_batch", "largest_rps", "capacity_rps"]].mean()
    rows = []
    for case in cases():
        found = simulated.loc[case.name]
        row = {"case": case.name, "group": case.group, "accelerator": case.accelerator, "harness": case.harness}
        row |= {"model": case.result.benchmark, "round": case.result.round, "batch": case.batch}
        row |= {"submitted_rps": case.submitted_rps, "bound_s": case.bound_s}
        row |= {name: float(found[name]) for name in simulated}
        for name, measured in case.on_hardware_s.items():
            row |= {f"measured_{name}": measured, f"error_{name}": float(found[name]) / measured - 1.0}
        row["over_reached"] = float(found.largest_rps) / case.submitted_rps
        rows.append(row)
    return pd.DataFrame(rows)


def group_errors(held: pd.DataFrame) -> pd.DataFrame:
    """Median absolute error of each percentile by group, as a share of what was measured."""
    errors = held.set_index("group")[[f"error_{name}" for name in PERCENTILES]].abs()
    errors.columns = pd.Index(PERCENTILES)
    return errors.groupby(level=0).median()


def median_errors(servers: pd.DataFrame, rule: str) -> pd.Series[float]:
    """Median over the groups of their median absolute errors, by percentile."""
    found: pd.Series[float] = group_errors(held_against(servers, rule)).median()
    return found


def reached(held: pd.DataFrame) -> int:
    """On how many servers the largest load that was found is at or above the one that was reached."""
    return int((held.over_reached >= 1.0).sum())


def median_share(errors: pd.Series[float]) -> float:
    """Median of absolute errors."""
    return float(np.median(errors.abs()))
