"""Planners of fragments on random fleets and on the five networks: gap to the proven bound, and processor seconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import chain

from euclio.core.result import Result
from euclio.core.solving import solve
from euclio.core.words import duration
from euclio.problems.fragments import Fleet
from euclio.workloads.fragments.clients import fleets_of
from euclio.workloads.fragments.networks import find_model, model_names
from euclio.workloads.fragments.random_fleets import random_fleet
from tests.bench.measuring import Timed, bar, compile_solver
from tests.bench.report import Line, Section, all_of, at_most, slowest

PLANNERS = ("graft", "graft:massive", "gslice", "gslice+", "regroup")
OURS = "regroup"
BOUND = "fragment-columns"
SIZES = {50: (1.0, 1.0), 1000: (3.0, 10.0)}
"""By number of fragments: largest gap of our planner in percent of the bound, and most seconds of it and of Graft."""
BOUND_S = 120.0
"""Time limit of the bound."""
SEEDS, LAYERS = 5, 8


def planners_speed() -> list[Section]:
    """One section per number of fragments."""
    for name in (*PLANNERS, BOUND):
        compile_solver(name)
    return [_section(number) for number in SIZES]


def fleets(number: int) -> Iterator[Fleet]:
    """Random fleets, and one of each network, all with so many fragments."""
    random = (random_fleet(seed, number, LAYERS) for seed in range(SEEDS))
    return chain(random, (fleet for model in model_names() for fleet in fleets_of(find_model(model), number, 0, 1, 0)))


def _section(number: int) -> Section:
    gap_pct, seconds = SIZES[number]
    rows: list[tuple[str, ...]] = []
    runs: list[Timed] = []
    title = f"{number} fragments"
    with bar(title, SEEDS + len(model_names())) as advance:
        for fleet in fleets(number):
            bound = _timed(fleet, BOUND, BOUND_S)
            own = [bound, *(_timed(fleet, name, None) for name in PLANNERS)]
            rows.append((fleet.name, _whole(bound.result.bound), *(_cell(run, bound.result) for run in own)))
            runs += own
            advance()
    bounds = {run.instance: run.result for run in runs if run.label == BOUND}
    ours = [run for run in runs if run.label == OURS]
    gaps = [_gap(run.result, bounds[run.instance]) for run in ours]
    graft = max(run.seconds for run in runs if run.label.startswith("graft"))
    lines = (
        all_of(f"{OURS} has a plan", sum(run.result.value is not None for run in ours), len(ours)),
        Line(f"gap of {OURS}, largest", f"{max(gaps):.2f} %", f"≤ {gap_pct:g} %", max(gaps) <= gap_pct),
        Line(f"gap of {OURS}, median", f"{statistics.median(gaps):.2f} %"),
        at_most(f"{OURS}, longest", max(run.seconds for run in ours), seconds),
        at_most("graft and graft:massive, longest", graft, seconds),
        at_most("bound, longest", max(run.seconds for run in runs if run.label == BOUND), BOUND_S),
    )
    columns = ("fleet", "bound %", BOUND, *PLANNERS)
    return Section(title, lines, columns=columns, rows=tuple(rows), slowest=slowest(runs), runs=tuple(runs))


def _timed(fleet: Fleet, name: str, limit_s: float | None) -> Timed:
    started = time.process_time()
    result = solve(fleet, name, time_limit_s=limit_s)
    return Timed(fleet.name, name, result, time.process_time() - started)


def _gap(result: Result, bound: Result) -> float:
    assert result.value is not None
    assert bound.bound is not None
    return 100 * (float(result.value) / float(bound.bound) - 1)


def _cell(run: Timed, bound: Result) -> str:
    return f"{_gap(run.result, bound):.2f} %, {duration(run.seconds)}"


def _whole(value: object) -> str:
    return f"{value}" if value is None else f"{float(str(value)):.0f}"
