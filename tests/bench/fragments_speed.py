"""`fragment-columns` on fleets of Graft's five networks and on random ones: proven in CPU seconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.core.words import duration
from euclio.problems.fragments import Fleet, FragmentSpace
from euclio.workloads.fragments.clients import fleets_of
from euclio.workloads.fragments.networks import find_model, model_names
from euclio.workloads.fragments.random_fleets import random_fleet
from tests.bench.measuring import Timed, bar
from tests.bench.report import Section, at_most, complete, slowest

SOLVER = "fragment-columns"
SEEDS = 3
LAYERS = 8
LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Size:
    """Fragments of a fleet, most of a set (None: any number), and the CPU seconds in which each is to be proven."""

    fragments: int
    most: int | None
    target_s: float


SIZES = (Size(25, None, 10.0), Size(50, 5, 60.0))


def fragments_speed() -> list[Section]:
    """One section per size."""
    warm_up(find_solver(SOLVER), FragmentSpace())
    return [_section(size) for size in SIZES]


def _section(size: Size) -> Section:
    groups = dict(_groups(size.fragments))
    runs: dict[str, list[Timed]] = {}
    with bar(f"{size.fragments} fragments", sum(map(len, groups.values()))) as advance:
        for name, fleets in groups.items():
            for fleet in fleets:
                runs.setdefault(name, []).append(_timed(fleet, name, size.most))
                advance()
    every = [run for own in runs.values() for run in own]
    lines = (
        complete("proven optimal", sum(run.result.status is Status.OPTIMAL for run in every), len(every)),
        at_most("worst", max(run.seconds for run in every), size.target_s),
    )
    sets = "any sets" if size.most is None else f"sets of at most {size.most}"
    title = f"{SOLVER}: {size.fragments} fragments, {sets} ({len(every)} fleets, CPU seconds)"
    columns = ("fleets", "proven", "median", "worst", "root gap")
    rows = tuple(_row(name, own) for name, own in runs.items())
    return Section(title, lines, slowest=slowest(every), runs=tuple(every), columns=columns, rows=rows)


def _groups(number: int) -> Iterator[tuple[str, list[Fleet]]]:
    """Fleets by name: of each network with one device and with a quarter of TX2, and random ones."""
    for model in model_names():
        yield f"{model}, Nano", list(fleets_of(find_model(model), number, 0, SEEDS, 0))
        yield f"{model}, Nano and TX2", list(fleets_of(find_model(model), number, number // 4, SEEDS, 0))
    yield "random", [random_fleet(seed, number, LAYERS) for seed in range(2 * SEEDS)]


def _timed(fleet: Fleet, name: str, most: int | None) -> Timed:
    before = time.process_time()
    result = solve(fleet, SOLVER, space=FragmentSpace(max_members=most), time_limit_s=LIMIT_S)
    return Timed(fleet.name, name, result, time.process_time() - before)


def _row(name: str, runs: list[Timed]) -> tuple[str, ...]:
    """A row: fleets, how many are proven, median and worst time, and how far the first bound is below the plans."""
    proven = sum(run.result.status is Status.OPTIMAL for run in runs)
    seconds = [run.seconds for run in runs]
    gaps = [1 - run.result.stats["root_bound"] / float(run.result.value) for run in runs if run.result.value]
    gap = f"{100 * max(gaps):.1f} %"
    return name, f"{proven} of {len(runs)}", duration(statistics.median(seconds)), duration(max(seconds)), gap
