"""Figures 6 to 9 and 14 of Scrooge: workloads of 1000 s that change while they are served (§4.2, §4.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import pandas as pd

import euclio.experiments.results as results
from euclio.experiments.solver_settings import measure
from euclio.problems.session import Session
from euclio.serving.dynamics.rules import SCROOGE, Expecting, Rules, nexus
from euclio.serving.dynamics.run import Record, run
from euclio.serving.dynamics.world import SECONDS, draw_world
from euclio.workloads.session.scrooge_sessions import (
    COMPARED,
    MOST_CLIENTS,
    find_scrooge_application,
    scrooge_applications,
)
from studies.collector import Collector

SCROOGE_SYSTEM, NEXUS_SYSTEM = "Scrooge", "Nexus"
FRONT_ENDS: Mapping[str, tuple[int, ...]] = {"traffic": (0,), "face": (1, 3, 6), "tracker": (1, 3, 4)}
"""Front-ends of Nexus (§4.2); traffic has no CPU module."""
TURN_OFFS_S = (0, 30, 120)
OWN_TURN_OFF_S = 30
"""Turn-off delay of Scrooge in §4.2, which its finish rates there and in §4.4 imply."""
FEWER_CLIENTS = (2, 6)
SWEPT: Mapping[str, tuple[int, ...]] = {"face": (1,), "tracker": (1, 4)}
"""Front-ends of Nexus next to Scrooge in runs with fewer clients."""
LEAST_SECONDS = 60
PREFIX = "changing-"
RUN = ("application", "system", "front_ends")
"""Columns that name a drawn run."""
BY_SECOND, INPUTS = ("frames", "in_time", "used_per_h"), "invocations"
"""Columns of the drawings over time."""


@dataclass(frozen=True, slots=True)
class WorldCase:
    """A run: an application, the system that serves it, and its settings.

    Attributes:
        application: the application.
        system: Scrooge or Nexus.
        front_ends: Nexus's workers for CPU modules; 0 if it needs none, or is Scrooge.
        turn_off_s: turn-off delay.
        expecting: expectation of workers on later modules when they drop frames.
        clients: number of clients.
        front_ends_first: whether Nexus's front-ends do their work before all other modules.
        drawn: whether the page draws it over time.
    """

    application: str
    system: str = SCROOGE_SYSTEM
    front_ends: int = 0
    turn_off_s: int = OWN_TURN_OFF_S
    expecting: str = Expecting.EXECUTION.value
    clients: int = MOST_CLIENTS
    front_ends_first: bool = False
    drawn: bool = False

    @property
    def rules(self) -> Rules:
        """The coordinator's rules."""
        rules = nexus(self.front_ends) if self.system == NEXUS_SYSTEM else SCROOGE
        expecting, first = Expecting(self.expecting), self.front_ends_first
        return replace(rules, turn_off_s=Fraction(self.turn_off_s), expecting=expecting, front_ends_first=first)


def cases() -> list[WorldCase]:
    """All runs on one world of each application."""
    return [*_main(), *_other_readings(), *_fewer_clients()]


def _main() -> Iterator[WorldCase]:
    for name in scrooge_applications():
        for seconds in TURN_OFFS_S:
            drawn = name in COMPARED and seconds == OWN_TURN_OFF_S
            yield WorldCase(name, turn_off_s=seconds, drawn=drawn)
        for front_ends in FRONT_ENDS.get(name, ()):
            yield WorldCase(name, NEXUS_SYSTEM, front_ends, turn_off_s=0, drawn=True)


def _other_readings() -> Iterator[WorldCase]:
    for name in COMPARED:
        worst = Expecting.WORST_CASE.value
        yield WorldCase(name, expecting=worst)
        for front_ends in FRONT_ENDS[name]:
            yield WorldCase(name, NEXUS_SYSTEM, front_ends, turn_off_s=OWN_TURN_OFF_S)
            yield WorldCase(name, NEXUS_SYSTEM, front_ends, turn_off_s=0, expecting=worst)
            if front_ends:
                yield WorldCase(name, NEXUS_SYSTEM, front_ends, turn_off_s=0, front_ends_first=True)


def _fewer_clients() -> Iterator[WorldCase]:
    for name, front_ends in SWEPT.items():
        for clients in FEWER_CLIENTS:
            yield WorldCase(name, clients=clients)
            yield from (WorldCase(name, NEXUS_SYSTEM, n, turn_off_s=0, clients=clients) for n in front_ends)


def changing_rows(session: Session, seed: int, seconds: int, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measure in a worker process: serve a world of one application in all given ways.

    Args:
        session: names the application.
        seed: seed of the world.
        seconds: its length.
        asked: fields of the cases; those of other applications do not count.

    Returns:
        One row per case: its fields, totals, and values over time if the page draws it.
    """
    found = []
    for case in (WorldCase(**fields) for fields in asked):
        if PREFIX + case.application != session.name:
            continue
        record = run(draw_world(case.application, seed, case.clients, seconds), case.rules)
        own = _series(record) if case.drawn else {}
        found.append({**asdict(case), "seed": seed, **record.describe(), **own})
    return found


def _series(record: Record) -> dict[str, Any]:
    """Values to draw over time, as lists with an entry per second."""
    by_second = record.by_second()
    own = {name: by_second[f"{name}_by_s"] for name in BY_SECOND}
    return {**own, INPUTS: dict(zip(record.modules, record.invocations.T.tolist(), strict=True))}


def run_changing(collector: Collector, seed: int, part: float, worlds: int) -> dict[str, pd.DataFrame]:
    """Make all runs.

    Args:
        collector: makes them.
        seed: seed of the first world; the others follow it.
        part: of their length.
        worlds: worlds per application.

    Returns:
        Totals, one row per case and world; seconds of the drawn runs on the first world; invocations by second and
        module there.
    """
    asked = [asdict(case) for case in cases()]
    seconds = min(SECONDS, max(LEAST_SECONDS, round(part * SECONDS)))
    settings = [
        measure(f"{__name__}:changing_rows", f"world {k}", "session", seed=seed + k, seconds=seconds, asked=asked)
        for k in range(worlds)
    ]
    frame = collector.staged("changing workloads", [named_session(name) for name in scrooge_applications()], settings)
    rows = results.measured(frame).drop(columns=["instance", "label"])
    drawn = rows[rows.drawn & (rows.seed == seed)]
    totals = rows.drop(columns=["drawn", INPUTS, *BY_SECOND])
    return {"changing": totals, "changing_seconds": _seconds(drawn), "changing_inputs": _inputs(drawn)}


def named_session(application: str) -> Session:
    """A session that stands for an application; worlds have rates of their own."""
    found = find_scrooge_application(application)
    return found.application.session(PREFIX + application, Fraction(1), found.objectives_s[0])


def _seconds(drawn: pd.DataFrame) -> pd.DataFrame:
    """One row per drawn run and second."""
    rows = [
        {**{name: row[name] for name in RUN}, "second": second, **dict(zip(BY_SECOND, values, strict=True))}
        for row in drawn.to_dict("records")
        for second, values in enumerate(zip(*(row[name] for name in BY_SECOND), strict=True))
    ]
    return pd.DataFrame(rows, columns=[*RUN, "second", *BY_SECOND])


def _inputs(drawn: pd.DataFrame) -> pd.DataFrame:
    """One row per application, module and second, of the drawn worlds."""
    rows = [
        {"application": row["application"], "module": module, "second": second, INPUTS: count}
        for row in drawn[drawn.system == SCROOGE_SYSTEM].to_dict("records")
        for module, counts in row[INPUTS].items()
        for second, count in enumerate(counts)
    ]
    return pd.DataFrame(rows, columns=["application", "module", "second", INPUTS])
