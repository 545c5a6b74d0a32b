"""The solver registry: packages offer solvers by entry points, so that a user's own solver plugs in from outside.

Packages of solvers take from here what they make of (docs/howto/solver.md).
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from functools import cache
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.installed import offered_in
from euclio.core.references import is_reference
from euclio.core.solver import AnySolver, EngineOptions, Limits, Option, Solver, SolverLike, Variants
from euclio.core.variants import parts_of, variant

__all__ = [
    "AnySolver",
    "EngineOptions",
    "Limits",
    "Option",
    "Solver",
    "SolverLike",
    "Variants",
    "find_solver",
    "offered",
    "solvers",
    "solvers_of",
]

GROUP = "euclio.solvers"


@cache
def solvers() -> dict[str, AnySolver]:
    """All solvers that installed packages offer, by name."""
    found: dict[str, AnySolver] = {}
    for entry in sorted(offered_in(GROUP), key=lambda e: e.name):
        version = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
        for solver in entry.load():
            found[solver.name] = replace(solver, version=version)
    return found


def solvers_of(family: str) -> list[AnySolver]:
    """The solvers of a problem family, by name."""
    return [solver for solver in solvers().values() if solver.family == family]


def offered(name: str) -> AnySolver | None:
    """The registered solver of this name, with parts of it set where the name says so; None: there is none."""
    try:
        return _offered(name)
    except InputError:
        return None


def _offered(name: str) -> AnySolver | None:
    """As `offered`; a solver that has no such parts is refused."""
    known = solvers()
    if name in known:
        return known[name]
    try:
        base, parts = parts_of(name)
        return variant(known[base], parts) if parts and base in known else None
    except InputError as error:
        raise InputError(error.message, field="--solver") from None


def find_solver(name: SolverLike, folder: Path | None = None) -> AnySolver:
    """The solver of this name, or that a function is.

    Args:
        name: name of a registered solver, with parts of it set where it has such (`euclio.core.variants`), or
            ``path/to/file.py:function``, or the function itself (`euclio.core.own_solver`); a solver is its own.
        folder: what such a path is relative to; None: the current folder.

    Raises:
        InputError: there is none; names the nearest ones, or says what is wrong with the file or the function.
    """
    if isinstance(name, Solver):
        return name
    if not isinstance(name, str):
        from euclio.core.own_solver import solver_of

        own = solver_of(name)
        if offered(own.name) is not None:
            message = f"{own.name!r} is the name of a registered solver; give the function another one"
            raise InputError(message, field="--solver")
        return own
    if is_reference(name):
        from euclio.core.own_solver import load_solver

        return load_solver(name, folder)
    known = solvers()
    found = _offered(name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "`euclio solvers` lists them"
    raise InputError(f"unknown solver {name!r}; {hint}", field="--solver")
