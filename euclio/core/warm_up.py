"""Import and compile a solver before it is timed, or all of them (docs/architecture.md)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.code_cache import LOCK, SUFFIX
from euclio.core.compiled import use, warms_up
from euclio.core.families import families, find_family
from euclio.core.registry import find_solver, solvers
from euclio.core.solver import AnySolver, Limits
from euclio.core.ways import Way

if TYPE_CHECKING:
    from concurrent.futures import Future

LIMIT_S = 10.0
MOST_RUNS = 3
KEPT_DAYS = 60.0
"""Days after which unread machine code is removed: each version of a function leaves its own."""
DAY_S = 86400.0


def warm_up(solver: AnySolver, space: Any) -> None:
    """Compile a solver for a plan space where runs are timed; elsewhere its first run is interpreted."""
    if warms_up():
        compile_solver(solver, space)


@cache
def compile_solver(solver: AnySolver, space: Any) -> None:
    """Let a solver run once on a tiny instance of its family; errors are ignored."""
    instance, narrowed = find_family(solver.family).tiny(space)
    with suppress(Exception):  # the following run shows an error that matters
        for _ in range(MOST_RUNS):
            started = time.perf_counter()
            solver.run(instance, narrowed, Limits(time_limit_s=LIMIT_S))
            # Compiling may have used up the run's time limit, so that the run ended before it reached all its code.
            if time.perf_counter() - started < LIMIT_S:
                break
        if solver.compile is not None:
            solver.compile()


def compile_named(name: str) -> str:
    """Compile a registered solver in its own plan space, in this process; returns its name."""
    use(Way.COMPILED)
    solver = find_solver(name)
    compile_solver(solver, solver.space)
    if solver.pieces is not None:
        # Least cost over a range of objectives, which a normal run does not compute; a range of one second is enough.
        instance, narrowed = find_family(solver.family).tiny(solver.space)
        with suppress(Exception):
            solver.pieces(instance, narrowed, Limits(time_limit_s=LIMIT_S), Fraction(1), Fraction(1))
    return name


def compile_rest(name: str) -> str:
    """Compile the code of a family that no solver reaches: its prover and its simulator; returns its name."""
    use(Way.COMPILED)
    family = find_family(name)
    family.warm_up_prover()
    if family.compile_rest is not None:
        family.compile_rest()
    return _rest(name)


def _rest(family: str) -> str:
    return f"prover and simulator of {find_family(family).instances}"


def parts(names: Iterable[str] | None = None) -> list[tuple[str, Callable[[str], str], str]]:
    """The parts to compile: name, compiling function, and its argument.

    Args:
        names: solvers. None means all, with all provers and simulators.
    """
    known = sorted(solvers() if names is None else names, key=lambda name: (":" in name, name))
    # Solvers that compile different code go first; the others then load most of theirs.
    found: list[tuple[str, Callable[[str], str], str]] = [(name, compile_named, name) for name in known]
    if names is None:
        found = [*((_rest(family.name), compile_rest, family.name) for family in families()), *found]
    return found


def compile_all(names: Iterable[str] | None = None, jobs: int | None = None) -> Iterator[str]:
    """Compile solvers, provers and simulators in separate processes; yields the name of each when it is done.

    Compiled code is kept, also if this is ended early.

    Args:
        names: solvers. None means all, with all provers and simulators.
        jobs: processes. None means one per core, at most four, since each waits for code that another one compiles.
    """
    # Every solve imports this module, and none starts processes here.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    wanted = parts(names)
    count = min(jobs or min(os.cpu_count() or 1, 4), len(wanted))
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        running: list[Future[str]] = [pool.submit(function, argument) for _, function, argument in wanted]
        try:
            for done in as_completed(running):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def main() -> None:
    """As `euclio warm-up`, without output."""
    for _ in compile_all():
        pass


def prune(folder: Path) -> int:
    """Remove machine code of all versions that was not used for `KEPT_DAYS`; returns the number of removed files.

    Args:
        folder: `euclio.core.code_cache.folder`; its parent holds the folders of other versions.
    """
    since, removed = time.time() - KEPT_DAYS * DAY_S, 0
    for file in chain(folder.parent.rglob(f"*{SUFFIX}"), folder.parent.rglob(f"*{LOCK}")):
        with suppress(OSError):
            if file.stat().st_mtime < since:
                file.unlink()
                removed += 1
    return removed


if __name__ == "__main__":
    main()
