"""Measures of runs on changing workloads: finish rates and costs by key of the published number, other readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from euclio.core.words import counted
from euclio.report.analysis.statistics import Measured, mean
from euclio.serving.dynamics.rules import Expecting
from euclio.serving.dynamics.world import SECONDS
from euclio.workloads.session.scrooge_sessions import COMPARED, MOST_CLIENTS, scrooge_applications
from studies.readings import Moved, OtherReading
from studies.scrooge.changing import FEWER_CLIENTS, NEXUS_SYSTEM, OWN_TURN_OFF_S, SCROOGE_SYSTEM

PERCENT = 100.0
YEAR_S = 365 * 24 * 3600
MACHINES, LARGE_MACHINES = 16, 1000
"""Machines of the testbed, and of the larger scale to which §4.2 extrapolates savings."""
OTHERS = tuple(name for name in scrooge_applications() if name not in COMPARED and name != "pose")
"""The applications of Figure 14b that a turn-off delay helps in print."""


@dataclass(frozen=True, slots=True)
class ChangingReading:
    """A reading of the runs and their results.

    Attributes:
        turn_off_s: turn-off delay of Nexus.
        expecting: expectation of workers on later modules when they drop frames.
        finish: column of the finish rate.
        cost: column of the cost.
        clients: number of clients.
        front_ends_first: whether Nexus's front-ends do their work before all other modules.
    """

    turn_off_s: int = 0
    expecting: str = Expecting.EXECUTION.value
    finish: str = "finish_rate"
    cost: str = "used_cost"
    clients: int = MOST_CLIENTS
    front_ends_first: bool = False


OWN = ChangingReading()
OTHER_READINGS: Mapping[tuple[str, str], ChangingReading] = {
    (
        "The time that a worker expects of later modules when it drops frames early (§3.6)",
        "their worst case, with the wait for a batch",
    ): replace(OWN, expecting=Expecting.WORST_CASE.value),
    ("Whether Nexus has a turn-off delay", "30 s, as Scrooge"): replace(OWN, turn_off_s=OWN_TURN_OFF_S),
    (
        "When Nexus's front-ends do the work of CPU modules (§4.2 footnote 10)",
        "when a frame comes, before its first GPU module",
    ): replace(OWN, front_ends_first=True),
    ("The unit of the mean of finish rates (§4.1)", "frames, not seconds"): replace(OWN, finish="attainment"),
    ("Which workers cost (§4.1)", "all rented ones, including those in turn-off delay"): replace(OWN, cost="cost"),
    ("Which workers cost (§4.1)", "shares of workers, as in the allocation"): replace(OWN, cost="planned_cost"),
}
"""Questions that the paper leaves open, each with the other answer."""


def changing_measures(runs: pd.DataFrame, reading: ChangingReading = OWN) -> dict[str, Measured]:
    """Figures 6 to 9 and 14, by key of the published number, without those that no run measures."""
    found = {f"finish_{name}": _finish(of_scrooge(runs, name, reading), reading) for name in ("traffic", "face")}
    for name, front_ends, cost in (
        ("traffic", 0, True),
        ("face", 1, True),
        ("face", 3, False),
        ("face", 6, True),
        ("tracker", 1, True),
        ("tracker", 4, True),
    ):
        key = f"{name}_{front_ends}" if front_ends else name
        own, theirs = of_scrooge(runs, name, reading), of_nexus(runs, name, front_ends, reading)
        found[f"nexus_finish_{key}"] = _finish(theirs, reading)
        if cost:
            found[f"nexus_cost_{key}"] = mean(theirs[reading.cost] / own[reading.cost])
    own, theirs = of_scrooge(runs, "traffic", reading), of_nexus(runs, "traffic", 0, reading)
    found |= _savings(theirs[reading.cost] - own[reading.cost])
    if reading.expecting == OWN.expecting:
        found |= _turn_offs(runs, reading)
    return {key: measured for key, measured in found.items() if measured.n}


def _savings(saved: pd.Series[float]) -> dict[str, Measured]:
    """Savings of a run, of a year of such runs, and of one on the larger scale of §4.2.

    Args:
        saved: dollars per run of `SECONDS`, world by world.
    """
    yearly = saved * (YEAR_S / SECONDS)
    return {
        "saved_traffic": mean(saved),
        "saved_traffic_year": mean(yearly),
        "saved_traffic_year_large": mean(yearly * (LARGE_MACHINES / MACHINES)),
    }


def _turn_offs(runs: pd.DataFrame, reading: ChangingReading) -> dict[str, Measured]:
    """Figure 14: least and largest of some applications' finish rates at a turn-off delay."""

    def rates(names: Sequence[str], seconds: int) -> list[Measured]:
        own = [_finish(of_scrooge(runs, name, reading, seconds), reading) for name in names]
        return [measured for measured in own if measured.n] or [Measured(float("nan"))]

    def least(names: Sequence[str], seconds: int) -> Measured:
        return min(rates(names, seconds), key=lambda m: m.value)

    return {
        "turn_off_0_least": least(COMPARED, 0),
        "turn_off_0_most": max(rates(COMPARED, 0), key=lambda m: m.value),
        "turn_off_30": least(COMPARED, 30),
        "turn_off_120": least(COMPARED, 120),
        "turn_off_30_others": least(OTHERS, 30),
        "turn_off_120_others": least(OTHERS, 120),
    }


def of(runs: pd.DataFrame, application: str, system: str, **columns: object) -> pd.DataFrame:
    """The runs of a system on an application with the given values of other columns, one row per world."""
    own = runs[(runs.application == application) & (runs.system == system)]
    for name, value in columns.items():
        own = own[own[name] == value]
    return own.set_index("seed")


def of_scrooge(
    runs: pd.DataFrame, name: str, reading: ChangingReading, turn_off_s: int = OWN_TURN_OFF_S
) -> pd.DataFrame:
    """Scrooge's runs on an application under a reading, one row per world."""
    common = {"expecting": reading.expecting, "clients": reading.clients}
    return of(runs, name, SCROOGE_SYSTEM, turn_off_s=turn_off_s, **common)


def of_nexus(runs: pd.DataFrame, name: str, front_ends: int, reading: ChangingReading) -> pd.DataFrame:
    """Nexus's runs on an application under a reading, one row per world."""
    common = {"expecting": reading.expecting, "clients": reading.clients}
    own = {"front_ends": front_ends, "turn_off_s": reading.turn_off_s, "front_ends_first": reading.front_ends_first}
    return of(runs, name, NEXUS_SYSTEM, **own, **common)


def _finish(own: pd.DataFrame, reading: ChangingReading) -> Measured:
    return mean(own[reading.finish], PERCENT)


def changing_readings(runs: pd.DataFrame) -> dict[str, list[OtherReading]]:
    """Figures under the other readings, by key, without those that a reading does not change."""
    own = changing_measures(runs)
    found: dict[str, list[OtherReading]] = {}
    for (question, answer), reading in OTHER_READINGS.items():
        for key, measured in changing_measures(runs, reading).items():
            if measured.value != own[key].value:
                found.setdefault(key, []).append(OtherReading(question, answer, measured))
    return found


def movements(runs: pd.DataFrame) -> dict[str, tuple[Moved, ...]]:
    """The effect of fewer clients on numbers, by key; the paper does not print the number of simultaneous clients."""
    counts = (*FEWER_CLIENTS, MOST_CLIENTS)
    tables = [changing_measures(runs, replace(OWN, clients=clients)) for clients in counts]
    found: dict[str, tuple[Moved, ...]] = {}
    for key in set.intersection(*(set(table) for table in tables)):
        values = [table[key].value for table in tables]
        if len(set(values)) > 1:
            words = (
                f"how many clients are there at once at most ({counts[0]} to {counts[-1]}; as run here: {counts[-1]}; "
                f"on {counted(runs.seed.nunique(), 'workload')})"
            )
            found[key] = (Moved(words, values[0], values[-1]),)
    return found
