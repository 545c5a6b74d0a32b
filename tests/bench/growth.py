"""How the time of each exact method grows with modules, configurations, rate and edges."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.words import duration
from euclio.problems.session import Session
from euclio.workloads.session.random_sessions import chain_from_modules, random_session
from tests.bench.large_sessions import dag_of_edges
from tests.bench.measuring import Timed, bar, timed
from tests.bench.race import ALL, BRUTE, HEURISTIC, MODELS, THREADS
from tests.bench.report import Section

SEEDS = range(3)
LIMIT_S, BRUTE_LIMIT_S = 5.0, 1.0
MODULES = (2, 5, 10, 20, 40)
CONFIGURATIONS = (8, 30, 120, 480, 960)
RATES = (3, 30, 300, 3000)
EDGES = (30, 60, 120, 200, 300)
TIGHTNESS = 0.4


class Parameter(NamedTuple):
    """What is made larger while all else stays as it is.

    Attributes:
        what: the parameter with its unit.
        values: its values, rising.
        make: the session of a seed and a value.
    """

    what: str
    values: tuple[int, ...]
    make: Callable[[int, int], Session]


def _with_modules(seed: int, modules: int) -> Session:
    return chain_from_modules(seed, modules, TIGHTNESS)


def _with_configurations(seed: int, count: int) -> Session:
    return random_session(
        seed, 4, count, hardware=24, concurrency=8, shape="chain", rates_rps=(20, 60), slo_over_least=(2, 4)
    )


def _with_rate(seed: int, rate: int) -> Session:
    return random_session(
        seed, 4, 24, hardware=3, concurrency=2, shape="diamond", rates_rps=(rate, rate), slo_over_least=(2, 4)
    )


PARAMETERS = (
    Parameter("modules", MODULES, _with_modules),
    Parameter("configurations per module", CONFIGURATIONS, _with_configurations),
    Parameter("rate (requests per second)", RATES, _with_rate),
    Parameter("edges between 40 modules", EDGES, dag_of_edges),
)


def growth() -> list[Section]:
    """One section per parameter."""
    return [_measure(*parameter) for parameter in PARAMETERS]


def _measure(what: str, values: Sequence[int], make: Callable[[int, int], Session]) -> Section:
    names = [name for name in ALL if name in solvers()]
    rows: list[tuple[str, ...]] = []
    everything: list[Timed] = []
    # Whoever proves nothing at one value would mostly take all of its limit at larger ones too.
    left = list(names)
    with bar(what, len(values) * len(SEEDS)) as advance:
        for value in values:
            runs: dict[str, list[Timed]] = {name: [] for name in names}
            for seed in SEEDS:
                session = make(seed, value)
                for name in left:
                    limit = BRUTE_LIMIT_S if name == BRUTE else LIMIT_S
                    threads = {name: THREADS} if name in MODELS else None
                    runs[name].append(timed(session, (name,), time_limit_s=limit, repeats=1, threads=threads)[name])
                advance()
            rows.append((f"{value}", *(_cell(found, name) for name, found in runs.items())))
            everything += [run for found in runs.values() for run in found]
            left = [name for name in left if name == HEURISTIC or _proven(runs[name])]
    notes = (
        f"Median time of {len(SEEDS)} seeds; in brackets how many of them were not proven, - where none was, "
        f"after which the method is not asked. Limit {LIMIT_S:g} s, {BRUTE} {BRUTE_LIMIT_S:g} s.",
    )
    title = f"Growth with {what}"
    return Section(title, notes=notes, runs=tuple(everything), columns=(what, *names), rows=tuple(rows))


def _proven(runs: Sequence[Timed]) -> int:
    return sum(run.result.status in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)


def _cell(runs: Sequence[Timed], name: str) -> str:
    if not runs:
        return "not asked"
    unproven = len(runs) - _proven(runs)
    if name != HEURISTIC and unproven == len(runs):
        return "-"
    time = duration(statistics.median(run.seconds for run in runs))
    return time if name == HEURISTIC or not unproven else f"{time} ({unproven})"
