"""`exact` on machines that are charged whole: the measured sessions and the protocol's workloads."""

from __future__ import annotations

import statistics
from pathlib import Path

from euclio import load
from euclio.core.result import Status
from euclio.session import PlanSpace, Session
from tests.bench.measuring import Timed, bar, drawn, timed
from tests.bench.report import Line, Section, all_of, at_most, slowest, spread

SPACE = PlanSpace(charging="whole")
LIMIT_S = 60.0
MEDIAN_TARGET_S, WORST_TARGET_S = 5e-3, 5.0
MEAN_TARGET_S = 3e-3


def whole_speed(folder: Path, count: int) -> list[Section]:
    """Both sections; the measured sessions are skipped with a sentence where they are absent.

    Args:
        folder: the folder of the measured instances.
        count: number of workloads.
    """
    return [_measured(folder / "sessions"), _workloads(count)]


def _measured(folder: Path) -> Section:
    files = sorted(folder.glob("*.json"))
    if not files:
        return Section("Whole machines, measured sessions", notes=(f"Skipped: {folder} is not there.",))
    runs = _timed([load(file) for file in files], ranked=False)
    seconds = [run.seconds for run in runs]
    lines = [
        at_most("median", statistics.median(seconds), MEDIAN_TARGET_S),
        at_most("worst", max(seconds), WORST_TARGET_S),
    ]
    return _section(f"Whole machines, measured sessions ({len(runs)}, one core)", runs, lines)


def _workloads(count: int) -> Section:
    runs = _timed(drawn(count), ranked=True)
    lines = [at_most("mean", statistics.mean(run.seconds for run in runs), MEAN_TARGET_S)]
    return _section(f"Whole machines, workloads of the protocol ({len(runs)}, one core)", runs, lines)


def _timed(sessions: list[Session], *, ranked: bool) -> list[Timed]:
    runs = []
    with bar("whole machines", len(sessions)) as advance:
        for session in sessions:
            found = timed(session, ["exact"], space=SPACE, label="whole", time_limit_s=LIMIT_S, ranked=ranked)
            runs.append(found["exact"])
            advance()
    return runs


def _section(title: str, runs: list[Timed], lines: list[Line]) -> Section:
    decided = sum(run.result.status in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)
    first = all_of("proven optimal or infeasible", decided, len(runs))
    every = (first, *lines, *spread("exact", [run.seconds for run in runs]))
    return Section(title, every, slowest=slowest(runs), runs=tuple(runs))
