"""Why costs under latency objectives differ from Figures 12 and 13, as far as the runs can say."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from euclio.core.words import percent
from studies.scrooge.objectives import (
    ALONE,
    SHOWN,
    SPATIAL,
    complete,
    objective_savings,
    of_shown_module,
    spatial_savings,
)

PROFILES = "Profiles beyond the printed points, faces and persons per frame are ours (data/scrooge.json)."


def complete_decisions(runs: pd.DataFrame) -> int:
    """How many decisions have a plan under every objective, with and without spatial multiplexing."""
    return int(complete(runs).decision.nunique())


def objective_reasons(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """One sentence or two per number of Figures 12 and 13 that counts."""
    runs = tables["objectives"]
    found = {f"slo_{name}": _saved_by(runs, name) for name in sorted(runs.application.unique())}
    lowest: dict[str, float] = {}
    for name in sorted(runs.application.unique()):
        spatial = [m.value for m in spatial_savings(runs, name)]
        lowest[name] = min(spatial, default=float("nan"))
        by = ", ".join(f"{value:.1f}" for value in spatial)
        text = f"By objective, tightest first: {by} %. Levels of concurrency: 1 to 4. {PROFILES}"
        if any(shown.application == name for shown in SHOWN):
            found |= {f"spatial_{name}_{end}": text for end in ("least", "most")}
    by = ", ".join(f"{name} {value:.1f} %" for name, value in lowest.items())
    found["spatial_least"] = f"Least over the objectives, by application: {by}. {PROFILES}"
    for shown in SHOWN:
        text = _averages(tables, shown.label)
        columns = ("rps", "batch", "concurrency") if shown.label == "Inception" else ("rps",)
        found |= {f"{shown.label.lower()}_{column}_{ms}": text for column in columns for ms in (400, 1000)}
    return {**found, "traffic_day": f"Mean over 1 to 12 clients, drawn evenly. {PROFILES}"}


def _saved_by(runs: pd.DataFrame, application: str) -> str:
    """How savings grow with the objective, and what part of the cost the objective cannot change."""
    savings = ", ".join(f"{m.value:.1f}" for m in objective_savings(runs, application)[1:])
    costs = runs[(runs.application == application) & (runs.solver == SPATIAL)].groupby("slo_s").cost_per_h.mean()
    dollars = f"{costs.iloc[0]:.1f}" if len(costs) else "none"
    return (
        f"Against the tightest objective (on average {dollars} dollars per hour) the looser ones save {savings} %. "
        f"{PROFILES}"
    )


def _averages(tables: Mapping[str, pd.DataFrame], label: str) -> str:
    """What machines of a shown module serve on average at either end, with and without spatial multiplexing."""
    shown = next(s for s in SHOWN if s.label == label)
    rates = {solver: of_shown_module(tables, shown, solver).rps for solver in (SPATIAL, ALONE)}
    if any(rate.empty for rate in rates.values()):
        return PROFILES
    text = "; ".join(f"{solver} {rate.iloc[0]:.1f} to {rate.iloc[-1]:.1f}" for solver, rate in rates.items())
    gain = percent(rates[SPATIAL].iloc[-1] / rates[SPATIAL].iloc[0] - 1, 1)
    return f"Requests per second of a machine, tightest to loosest objective: {text} ({gain} more). {PROFILES}"
