"""Import and compile a solver before it is timed (architecture, Runs: timing excludes import)."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from euclio.registry import Limits, Solver
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
