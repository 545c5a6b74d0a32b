"""Why simulated percentiles differ from measured ones, as far as the data say."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.core.words import duration
from euclio.studies.mlperf.inputs import PERCENTILES, Case, cases
from euclio.studies.mlperf.measures import held_against, of_rule
from euclio.studies.mlperf.rules import CONFIGURED, RULES, variation
from euclio.studies.study import Collected

VARYING = 0.1
"""Coefficient of variation of single inputs from which their lengths are said to vary."""


def reasons(collected: Collected) -> dict[str, str]:
    """Why, for every published figure."""
    servers = collected.tables["servers"]
    held = held_against(servers, CONFIGURED.label).set_index("case")
    others = {rule.label: of_rule(servers, rule.label).set_index("case") for rule in RULES[1:]}
    return {
        f"{case.key}_{name}": " ".join(_why(case, name, held.loc[case.name], others))
        for case in cases()
        for name in PERCENTILES
    }


def _why(case: Case, name: str, row: pd.Series[float], others: Mapping[str, pd.DataFrame]) -> list[str]:
    rules = "; ".join(f"{label} {duration(float(rows.at[case.name, name]))}" for label, rows in others.items())
    found = [f"Under other rules: {rules}."]
    in_flight = case.submitted_rps * case.on_hardware_s["p50"]
    found.append(
        f"At the measured median {in_flight:.0f} requests are under way (load times latency), {in_flight / case.batch:.1f} "
        f"of the largest batches; simulated, {case.submitted_rps * row['p50'] / case.batch:.1f}."
    )
    if variation(case) >= VARYING:
        found.append(
            f"Lengths of inputs vary: single ones take {100 * variation(case):.0f} % more or less (SingleStream). How "
            "a batch of them varies is not measured."
        )
    if case.streams > 1:
        found.append(
            f"{case.streams} streams execute batches at a time; how much they slow each other is not measured."
        )
    if not case.stated:
        found.append("The configuration states no time-out; the harness's default was taken.")
    return found
