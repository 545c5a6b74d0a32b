"""Why figures of changing workloads differ, as far as the runs can say."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from euclio.core.words import percent
from euclio.session.workloads.scrooge_sessions import COMPARED
from euclio.studies.scorecard import published_figures
from euclio.studies.scrooge.changing import FRONT_ENDS, NEXUS_SYSTEM, SCROOGE_SYSTEM, TURN_OFFS_S
from euclio.studies.scrooge.changing_measures import OTHERS, OWN, of_nexus, of_scrooge


def changing_reasons(runs: pd.DataFrame) -> dict[str, str]:
    """One sentence or two per figure of Figures 6 to 9 and 14."""
    found = dict(_compared(runs))
    for seconds in TURN_OFFS_S:
        for suffix, names in (("", COMPARED), ("_others", OTHERS)):
            text = _by_application(runs, names, seconds)
            found |= {f"turn_off_{seconds}{suffix}{end}": text for end in ("", "_least", "_most")}
    printed = {figure.key for figure in published_figures("scrooge")}
    return {key: text for key, text in found.items() if key in printed}


def _compared(runs: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for name in COMPARED:
        own = of_scrooge(runs, name, OWN)
        yield f"finish_{name}", _run(SCROOGE_SYSTEM, own)
        for front_ends in FRONT_ENDS[name]:
            theirs = of_nexus(runs, name, front_ends, OWN)
            key = f"{name}_{front_ends}" if front_ends else name
            yield f"nexus_finish_{key}", _run(NEXUS_SYSTEM, theirs)
            yield f"nexus_cost_{key}", _costs(own, theirs)
    yield "saved_traffic", _costs(of_scrooge(runs, "traffic", OWN), of_nexus(runs, "traffic", 0, OWN))


def _run(system: str, own: pd.DataFrame) -> str:
    """What a system's run went through."""
    means = own.mean(numeric_only=True)
    return (
        f"{system} allocates {means.allocations:.0f} times and starts {means.workers_started:.0f} workers; a type is "
        f"sold out {means.sold_out:.0f} times. Of all frames {percent(means.attainment, 1)} are answered in time."
    )


def _costs(own: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """What both pay, counted in three ways."""
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
