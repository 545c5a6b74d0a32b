"""Reasons why costs under latency objectives differ from Figures 12 and 13, as far as the runs show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from euclio.core.words import percent
from euclio.workloads.session.scrooge_sessions import COMPARED
from studies.papers.published import printed_values
from studies.scrooge.changing import FRONT_ENDS, NEXUS_SYSTEM, OWN_TURN_OFF_S, SCROOGE_SYSTEM, TURN_OFFS_S
from studies.scrooge.changing_measures import OTHERS, OWN, of_nexus, of_scrooge
from studies.scrooge.objectives import (
    ALONE,
    SHOWN,
    SPATIAL,
    complete,
    objective_savings,
    of_shown_module,
    spatial_savings,
)

PROFILES = "Profiles beyond the printed points, and faces and persons per frame, are ours (data/scrooge.json)."


def complete_decisions(runs: pd.DataFrame) -> int:
    """Number of decisions with a plan under every objective, with and without spatial multiplexing."""
    return int(complete(runs).decision.nunique())


def objective_reasons(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """One sentence or two per compared number of Figures 12 and 13."""
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
    """The growth of savings with the objective, and the part of the cost that no objective changes."""
    savings = ", ".join(f"{m.value:.1f}" for m in objective_savings(runs, application)[1:])
    costs = runs[(runs.application == application) & (runs.solver == SPATIAL)].groupby("slo_s").cost_per_h.mean()
    dollars = f"{costs.iloc[0]:.1f}" if len(costs) else "none"
    return (
        f"Against the tightest objective (on average {dollars} dollars per hour) the looser ones save {savings} %. "
        f"{PROFILES}"
    )


def _averages(tables: Mapping[str, pd.DataFrame], label: str) -> str:
    """Average throughput of a shown module's machines at either end, with and without spatial multiplexing."""
    shown = next(s for s in SHOWN if s.label == label)
    rates = {solver: of_shown_module(tables, shown, solver).rps for solver in (SPATIAL, ALONE)}
    if any(rate.empty for rate in rates.values()):
        return PROFILES
    text = "; ".join(f"{solver} {rate.iloc[0]:.1f} to {rate.iloc[-1]:.1f}" for solver, rate in rates.items())
    gain = percent(rates[SPATIAL].iloc[-1] / rates[SPATIAL].iloc[0] - 1, 1)
    return f"Requests per second of a machine, tightest to loosest objective: {text} ({gain} more). {PROFILES}"


def changing_reasons(runs: pd.DataFrame) -> dict[str, str]:
    """One sentence or two per number of Figures 6 to 9 and 14."""
    found = dict(_compared(runs))
    for seconds in TURN_OFFS_S:
        for suffix, names in (("", COMPARED), ("_others", OTHERS)):
            text = _by_application(runs, names, seconds)
            found |= {f"turn_off_{seconds}{suffix}{end}": text for end in ("", "_least", "_most")}
    printed = printed_values("scrooge")
    return {key: text for key, text in found.items() if key in printed}


def changing_summary(runs: pd.DataFrame) -> str:
    """The summary of the runs."""
    own = {name: of_scrooge(runs, name, OWN).mean(numeric_only=True) for name in COMPARED}
    traffic = of_nexus(runs, "traffic", 0, OWN).mean(numeric_only=True)
    finish = ", ".join(f"{percent(means[OWN.finish], 1)} ({name})" for name, means in own.items())
    ratios = [traffic[key] / own["traffic"][key] for key in ("used_cost", "cost", "planned_cost")]
    cold, warm = (of_scrooge(runs, "traffic", OWN, s).mean(numeric_only=True)[OWN.finish] for s in (0, OWN_TURN_OFF_S))
    return (
        f"Over 1000 s in which twelve clients come and go, Scrooge answers {finish} of the frames in time. Nexus, "
        f"without spatial multiplexing and turn-off delay, answers {percent(traffic[OWN.finish], 1)} of traffic's at "
        f"{ratios[0]:.2f} times the cost of the workers in use. For rented workers the ratio is {ratios[1]:.2f}, for "
        f"the shares in the plans {ratios[2]:.2f}. Frames are lost while workers load a module: without a "
        f"turn-off delay Scrooge answers {percent(cold, 1)} of traffic's in time, with one of 30 s {percent(warm, 1)}. "
        "For face Nexus costs more than the paper prints, as the paper's own Figure 13 implies. With too few "
        "front-ends the finish rate depends on the time that a worker expects of later modules when it drops frames. "
        "Agreement within a tenth means little for finish rates near 100 %: Scrooge misses "
        f"{percent(1 - own['traffic'][OWN.finish], 1)} of traffic's frames where the paper prints 2.3 %."
    )


def _compared(runs: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for name in COMPARED:
        own = of_scrooge(runs, name, OWN)
        yield f"finish_{name}", _run(SCROOGE_SYSTEM, own)
        for front_ends in FRONT_ENDS[name]:
            theirs = of_nexus(runs, name, front_ends, OWN)
            key = f"{name}_{front_ends}" if front_ends else name
            yield f"nexus_finish_{key}", _run(NEXUS_SYSTEM, theirs)
            yield f"nexus_cost_{key}", _costs(own, theirs)
    saved = _costs(of_scrooge(runs, "traffic", OWN), of_nexus(runs, "traffic", 0, OWN))
    yield from ((key, saved) for key in ("saved_traffic", "saved_traffic_year", "saved_traffic_year_large"))


def _run(system: str, own: pd.DataFrame) -> str:
    """Events of a system's run."""
    means = own.mean(numeric_only=True)
    return (
        f"{system} allocates {means.allocations:.0f} times and starts {means.workers_started:.0f} workers; a type is "
        f"sold out {means.sold_out:.0f} times. Of all frames {percent(means.attainment, 1)} are answered in time."
    )


def _costs(own: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """Costs of both systems, counted in three ways."""
    ours, nexus = own.mean(numeric_only=True), theirs.mean(numeric_only=True)
    words = {"used_cost": "in use", "cost": "rented", "planned_cost": "by share"}
    text = ", ".join(f"{word} {ours[key]:.2f} and {nexus[key]:.2f}" for key, word in words.items())
    return f"Dollars of Scrooge and Nexus for the run: {text}."


def _by_application(runs: pd.DataFrame, names: tuple[str, ...], seconds: int) -> str:
    rates = {name: of_scrooge(runs, name, OWN, seconds)[OWN.finish].mean() for name in names}
    sold = {name: of_scrooge(runs, name, OWN, seconds).sold_out.mean() for name in names}
    text = ", ".join(f"{name} {percent(rate, 1)}" for name, rate in rates.items())
    out = ", ".join(f"{name} {count:.0f}" for name, count in sold.items() if count)
    return f"By application: {text}." + (f" A worker type is sold out for {out} times." if out else "")
