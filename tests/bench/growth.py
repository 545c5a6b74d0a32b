"""How the time of each exact method grows with modules, configurations and rate."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.words import duration
from euclio.session import Session
from euclio.session.workloads.random_sessions import chain_from_modules, random_session
from tests.bench.measuring import Timed, bar, timed
from tests.bench.race import ALL, BRUTE, HEURISTIC, MODELS, THREADS
from tests.bench.report import Section

SEEDS = range(3)
LIMIT_S, BRUTE_LIMIT_S = 5.0, 1.0
MODULES = (2, 5, 10, 20, 40)
CONFIGURATIONS = (8, 30, 120, 480, 960)
RATES = (3, 30, 300, 3000)
TIGHTNESS = 0.4


def growth() -> list[Section]:
    """One section per parameter."""
    return [
        _measure("modules", MODULES, lambda seed, n: chain_from_modules(seed, n, TIGHTNESS)),
        _measure("configurations per module", CONFIGURATIONS, _with_configurations),
        _measure("rate (requests per second)", RATES, _with_rate),
    ]


def _with_configurations(seed: int, count: int) -> Session:
    return random_session(
        seed, 4, count, hardware=24, concurrency=8, shape="chain", rates_rps=(20, 60), slo_over_least=(2, 4)
    )


def _with_rate(seed: int, rate: int) -> Session:
    return random_session(
        seed, 4, 24, hardware=3, concurrency=2, shape="diamond", rates_rps=(rate, rate), slo_over_least=(2, 4)
    )


def _measure(what: str, values: Sequence[int], make: Callable[[int, int], Session]) -> Section:
    names = [name for name in ALL if name in solvers()]
    rows: list[tuple[str, ...]] = []
    everything: list[Timed] = []
    with bar(what, len(values) * len(SEEDS)) as advance:
        for value in values:
            runs: dict[str, list[Timed]] = {name: [] for name in names}
            for seed in SEEDS:
                session = make(seed, value)
                for name in names:
                    limit = BRUTE_LIMIT_S if name == BRUTE else LIMIT_S
                    threads = {name: THREADS} if name in MODELS else None
                    runs[name].append(timed(session, (name,), time_limit_s=limit, repeats=1, threads=threads)[name])
                advance()
            rows.append((f"{value}", *(_cell(found, name) for name, found in runs.items())))
            everything += [run for found in runs.values() for run in found]
    notes = (
        f"Median time of {len(SEEDS)} seeds; in brackets how many of them were not proven, - where none was. Limit "
        f"{LIMIT_S:g} s, {BRUTE} {BRUTE_LIMIT_S:g} s.",
    )
    title = f"Growth with {what}"
    return Section(title, notes=notes, runs=tuple(everything), columns=(what, *names), rows=tuple(rows))


def _cell(runs: Sequence[Timed], name: str) -> str:
    unproven = sum(run.result.status not in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)
    if name != HEURISTIC and unproven == len(runs):
        return "-"
    time = duration(statistics.median(run.seconds for run in runs))
    return time if name == HEURISTIC or not unproven else f"{time} ({unproven})"
