"""How much longer `exact` takes than Harpagon's heuristic, instance by instance: the price of a proof."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from euclio import load
from euclio.core.solving import asked
from euclio.problems.session import Session
from euclio.workloads.populations import find_population
from tests.bench.instances_speed import SETS
from tests.bench.measuring import bar
from tests.bench.report import Line, Section, percentile

PROVER, HEURISTIC = "exact", "harpagon"
POPULATIONS = ("harpagon", "piccolo")
REPEATS = 7
MEDIAN_TARGET, HIGH_TARGET, WORST_TARGET = 1.0, 5.0, 20.0
HIGH = 0.95
COLUMNS = ("instances", "number", "median", "95th percentile", "worst", "no slower", "worst of all")


def ratio_speed(folder: Path, count: int) -> Section:
    """Ratios of processor time on measured sessions and on both papers' workloads.

    Args:
        folder: the sets of measured sessions; those that are absent are skipped.
        count: workloads of each paper at most.
    """
    sets: dict[str, tuple[int, Callable[[], Iterable[Session]]]] = {}
    for one in SETS:
        files = sorted((folder / one.name).glob("*.json"))
        if files:
            sets[one.name] = len(files), partial(map, load, files)
    for name in POPULATIONS:
        whole = find_population(name)
        number = min(count, whole.count)
        sets[f"workloads {name}"] = number, partial(whole.draw, number, whole.seed)
    rows: list[tuple[str, ...]] = []
    lines: list[Line] = []
    for title, (number, make) in sets.items():
        ratios: dict[str, float] = {}
        with bar(f"{PROVER} / {HEURISTIC}, {title}", number) as advance:
            for session in make():
                ratios[session.name] = _ratio(session)
                advance()
        rows.append(_row(title, ratios))
        lines += _targets(title, list(ratios.values()))
    note = f"Processor time, the least of {REPEATS} runs in alternation; what runs of a session share is made before."
    return Section(
        f"{PROVER} / {HEURISTIC}, ratios of processor time", tuple(lines), (note,), columns=COLUMNS, rows=tuple(rows)
    )


def _ratio(session: Session) -> float:
    """The least processor time of `exact` over that of Harpagon, in alternation."""
    runs = {name: asked(session, name) for name in (PROVER, HEURISTIC)}
    least = dict.fromkeys(runs, float("inf"))
    for run in runs.values():
        run.warm_up()
    for _ in range(REPEATS):
        for name, run in runs.items():
            started = time.process_time()
            run.answer()
            least[name] = min(least[name], time.process_time() - started)
    return least[PROVER] / least[HEURISTIC]


def _row(title: str, ratios: dict[str, float]) -> tuple[str, ...]:
    values = list(ratios.values())
    worst = max(ratios, key=lambda name: ratios[name])
    cells = (statistics.median(values), percentile(values, HIGH), ratios[worst])
    no_slower = sum(value <= 1.0 for value in values)
    return title, f"{len(values)}", *(f"{cell:.2f}" for cell in cells), f"{no_slower}", worst


def _targets(title: str, values: list[float]) -> list[Line]:
    measured = (
        ("median", statistics.median(values), MEDIAN_TARGET),
        ("95th percentile", percentile(values, HIGH), HIGH_TARGET),
        ("worst", max(values), WORST_TARGET),
    )
    return [
        Line(f"{title}, {what}", f"{value:.2f}", f"≤ {target:g}", value <= target) for what, value, target in measured
    ]
