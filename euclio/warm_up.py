"""Import and compile a solver before it is timed (architecture, Runs: timing excludes import)."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache

from rich.console import Console

from euclio.registry import Limits, Solver, find_solver, solvers
from euclio.session import Configuration, Hardware, Module, PlanSpace, Session


@cache
def warm_up(solver: Solver, space: PlanSpace) -> None:
    """Let a solver run once on a tiny session, whatever becomes of it."""
    profile = [Configuration("one", b, 1, d) for b, d in ((1, "0.01"), (2, "0.015"), (4, "0.025"))]
    modules = [Module(name, rate, profile) for name, rate in (("a", 55), ("b", 130), ("c", 170), ("d", 90))]
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    session = Session("warm-up", "0.2", [Hardware("one", 1)], modules, edges)
    if space.hardware is not None:
        space = space.on("one")
    with suppress(Exception):  # an error that matters shows again in the run that follows
        solver.run(session, space, Limits(time_limit_s=10))


def warm_up_named(name: str) -> str:
    """Warm up a registered solver in its own plan space; returns its name."""
    solver = find_solver(name)
    warm_up(solver, solver.space)
    return name


def main() -> None:
    """Compile every registered solver once, two at a time, so that later runs load machine code from disk."""
    console = Console(stderr=True)
    # Solvers that compile different code go first; the rest then loads most of theirs.
    names = sorted(solvers(), key=lambda name: (":" in name, name))
    with ProcessPoolExecutor(2) as pool, console.status("compiling the solvers (once, a few minutes)"):
        for _ in pool.map(warm_up_named, names):
            pass
    console.print(f"{len(names)} solvers are compiled")


if __name__ == "__main__":
    main()
