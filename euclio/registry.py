"""The solver registry: packages offer solvers by entry points, so that somebody's own solver plugs in from outside."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

from euclio.errors import InputError
from euclio.result import Answer
from euclio.session import FULL_SPACE, PlanSpace, Session

GROUP = "euclio.solvers"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run.

    Attributes:
        time_limit_s: seconds; None: none.
        seed: seed of every random choice.
    """

    time_limit_s: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver of sessions.

    Attributes:
        name: name on the command line.
        kind: "heuristic", "exact" or "brute force".
        summary: one line: what it is and where it is published.
        run: instance, plan space and limits in, unchecked answer out.
        space: the plan space that it searches by default.
    """

    name: str
    kind: str
    summary: str
    run: Callable[[Session, PlanSpace, Limits], Answer]
    space: PlanSpace = FULL_SPACE


@cache
def solvers() -> dict[str, Solver]:
    """All solvers that installed packages offer, by name."""
    found: dict[str, Solver] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        for solver in entry.load():
            found[solver.name] = solver
    return found


def find_solver(name: str) -> Solver:
    """The solver of this name.

    Raises:
        InputError: there is none; names the nearest ones.
    """
    known = solvers()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "`euclio solvers` lists them"
    raise InputError(f"unknown solver {name!r}; {hint}", field="--solver")
