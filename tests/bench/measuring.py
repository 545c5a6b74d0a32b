"""Timing of single runs: one process, compiled before, arrays made anew as for a fresh instance."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache

from euclio.core.code_cache import SUFFIX, folder
from euclio.core.progress import progress_bar
from euclio.core.registry import find_solver
from euclio.core.result import Result
from euclio.core.solving import solve
from euclio.core.warm_up import warm_up
from euclio.problems.session import PlanSpace, Session, arrays
from euclio.workloads.session.acceptance import accept_by
from euclio.workloads.session.protocol import workloads

REPEATS = 3
REPEATED_WITHIN_S = 1.0
"""A run that took longer is not repeated."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A run and the least of its repeats' solver times in seconds (`Result.wall_s`): more is other processes' doing."""

    instance: str
    label: str
    result: Result
    seconds: float

    def describe(self) -> dict[str, object]:
        """The run as plain data."""
        return {
            "instance": self.instance,
            "run": self.label,
            "status": self.result.status.value,
            "cost_per_h": self.result.cost,
            "bound_per_h": self.result.bound,
            "seconds": self.seconds,
            "stats": self.result.stats,
        }


def timed(
    session: Session,
    names: Iterable[str],
    *,
    space: PlanSpace | None = None,
    label: str | None = None,
    time_limit_s: float | None = None,
    ranked: bool = False,
    repeats: int = REPEATS,
    threads: Mapping[str, int] | None = None,
) -> dict[str, Timed]:
    """Time solvers on one session in alternation, so that they meet the same state of the machine.

    Args:
        session: the instance.
        names: solvers.
        space: plan space; by default each solver's own.
        label: what the run is called in the output; by default the solver's name.
        time_limit_s: limit of each run.
        ranked: the profiles have been ranked before, as those that the workloads of an application share; otherwise
            ranking them is part of every run, as for a session from a file.
        repeats: runs per solver, as long as they are short.
        threads: threads of the solvers that take them.

    Returns:
        One entry per solver.
    """
    results: dict[str, list[Result]] = {name: [] for name in names}
    for _ in range(repeats):
        for name, done in results.items():
            if sum(result.wall_s for result in done) < REPEATED_WITHIN_S:
                forget(session, ranked=ranked)
                count = (threads or {}).get(name)
                done.append(solve(session, name, space=space, time_limit_s=time_limit_s, threads=count))
    return {
        name: Timed(session.name, label or name, done[-1], min(r.wall_s for r in done))
        for name, done in results.items()
    }


def forget(session: Session, *, ranked: bool = False) -> None:
    """Forget what earlier runs have made of a session, so that the next one begins as from a file.

    Args:
        session: the session.
        ranked: keep the rankings of profiles.
    """
    arrays.arrays_kept(session).clear()
    if not ranked:
        arrays._profiles.clear()


@cache
def drawn(count: int) -> list[Session]:
    """The protocol's workloads; every draw is shown to all 20 systems."""
    accept = accept_by()
    with bar("drawing workloads", count) as advance:

        def advancing(session: Session) -> list[str]:
            against = accept(session)
            if not against:
                advance()
            return against

        return [workload.session for workload in workloads(advancing, count).workloads]


def compile_solver(name: str) -> tuple[float, int]:
    """Compile a solver or load its machine code from disk.

    Returns:
        Seconds, and the number of functions that had to be compiled (0: all were on disk).
    """
    solver = find_solver(name)
    before, started = _compiled_functions(), time.perf_counter()
    warm_up(solver, solver.space)
    return time.perf_counter() - started, _compiled_functions() - before


def _compiled_functions() -> int:
    return sum(1 for _ in folder().rglob(f"*{SUFFIX}"))


def bar(name: str, total: int) -> AbstractContextManager[Callable[[], None]]:
    """A progress bar on standard error, or lines where that is no terminal; what it gives advances it by one."""
    return progress_bar(name, total)


def processor_s() -> float:
    """Processor time of this process and of those of its children that have ended, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
