"""Import and compile a solver before it is timed (docs/architecture.md)."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any

from euclio.core.family import families, find_family
from euclio.core.registry import AnySolver, Limits, find_solver, solvers

LIMIT_S = 10.0
MOST_RUNS = 3


@cache
def warm_up(solver: AnySolver, space: Any) -> None:
    """Let a solver run once on a tiny instance of its family, whatever becomes of it."""
    instance, narrowed = find_family(solver.family).tiny(space)
    with suppress(Exception):  # an error that matters shows again in the run that follows
        for _ in range(MOST_RUNS):
            started = time.perf_counter()
            solver.run(instance, narrowed, Limits(time_limit_s=LIMIT_S))
            # Compiling may have eaten the time of a run, which then ended before it had reached all that it compiles.
            if time.perf_counter() - started < LIMIT_S:
                break
        if solver.compile is not None:
            solver.compile()


def warm_up_named(name: str) -> str:
    """Warm up a registered solver in its own plan space; returns its name."""
    solver = find_solver(name)
    warm_up(solver, solver.space)
    return name


def compile_rest(name: str) -> None:
    """Compile what no solver of a family reaches: its prover and its simulator."""
    family = find_family(name)
    family.warm_up_prover()
    if family.compile_rest is not None:
        family.compile_rest()


def main() -> None:
    """Compile all solvers, provers and simulators once, two at a time: later runs load machine code."""
    from rich.console import Console

    console, known = Console(stderr=True), families()
    # Solvers that compile different code go first; the rest then loads most of theirs.
    names = sorted(solvers(), key=lambda name: (":" in name, name))
    with (
        ProcessPoolExecutor(2) as pool,
        console.status("compiling solvers, provers and simulators (once, a few minutes)"),
    ):
        rest = [pool.submit(compile_rest, family.name) for family in known]
        for _ in pool.map(warm_up_named, names):
            pass
        for started in rest:
            started.result()
    console.print(f"{len(names)} solvers, and provers and simulators of {len(known)} families are compiled")


if __name__ == "__main__":
    main()
