"""The solver registry: packages offer solvers by entry points, so that users can plug in their own solvers.

Packages of solvers import the classes for them from here (docs/howto/solver.md).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.families import homes, offered_in
from euclio.core.parameters import verb_text
from euclio.core.references import is_reference
from euclio.core.solver import AnySolver, EngineOptions, Limits, Option, Solver, SolverLike, Variants
from euclio.core.words import nearest

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


# Names that set parts of a solver, ``harpagon:splitter=even:merge=no``: every combination of parts is a solver.

SIGN = "="


def parts_of(name: str) -> tuple[str, dict[str, str]]:
    """The parts in a name.

    Args:
        name: ``NAME:PART=WORD:PART=WORD``; without an equals sign it sets none.

    Returns:
        The name of the solver whose parts are set, and the word of each part.

    Raises:
        InputError: a part is set twice, or something else follows one.
    """
    pieces = name.split(":")
    first = next((place for place, piece in enumerate(pieces) if SIGN in piece), len(pieces))
    parts: dict[str, str] = {}
    for piece in pieces[first:]:
        part, sign, word = piece.partition(SIGN)
        if not sign or part in parts:
            raise InputError(f"{piece!r} in {name!r} must set a part that is not set yet, as in splitter=even")
        parts[part] = word
    return ":".join(pieces[:first]), parts


def with_parts(name: str, parts: Mapping[str, str]) -> str:
    """The name of a solver with these parts set; without parts its own."""
    return ":".join([name, *(f"{part}{SIGN}{word}" for part, word in parts.items())])


def variant(solver: AnySolver, parts: Mapping[str, str]) -> AnySolver:
    """A solver with some of its parts set.

    Args:
        solver: the solver.
        parts: the word of each part that is set.

    Raises:
        InputError: it has no such part, or the part has no such word; the error names the existing ones.
    """
    known = {} if solver.variants is None else solver.variants.words
    for part, word in parts.items():
        if part not in known:
            hint = nearest(part, list(known)) if known else "it has no parts that can be set"
            raise InputError(f"{solver.name!r} has no part {part!r}; {hint}")
        if word not in known[part]:
            raise InputError(f"{part} of {solver.name!r} is {word!r}; it must be one of {', '.join(known[part])}")
    if solver.variants is None or not parts:
        return solver
    return replace(solver.variants.make(with_parts(solver.name, parts), parts), version=solver.version)


GROUP = "euclio.solvers"


@cache
def solvers(family: str | None = None) -> dict[str, AnySolver]:
    """The solvers that installed packages offer, by name.

    Args:
        family: name of the problem family; entry points of other families are not imported. None means all families.
    """
    others = set() if family is None else homes().keys() - {family}
    found: dict[str, AnySolver] = {}
    for entry in sorted(offered_in(GROUP), key=_place):
        if entry.name.rpartition(".")[2] in others:
            continue
        version = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
        for solver in entry.load():
            if family in (None, solver.family):
                found[solver.name] = replace(solver, version=version)
    return found


def _place(entry: EntryPoint) -> tuple[str, int]:
    """Sort key of an entry point's solvers: the package, then the order of the families."""
    package, _, family = entry.name.rpartition(".")
    return (package, list(homes()).index(family)) if family in homes() else (entry.name, -1)


def solvers_of(family: str) -> list[AnySolver]:
    """The solvers of a problem family."""
    return list(solvers(family).values())


def offered(name: str, family: str | None = None) -> AnySolver | None:
    """The registered solver of this name, with the parts that the name sets. None means that there is none.

    Args:
        name: its name.
        family: name of the family of the solvers. None means all families.
    """
    try:
        return _offered(name, solvers(family))
    except InputError:
        return None


def _offered(name: str, known: Mapping[str, AnySolver]) -> AnySolver | None:
    """As `offered`; raises an error if the solver has no such parts."""
    if name in known:
        return known[name]
    try:
        base, parts = parts_of(name)
        return variant(known[base], parts) if parts and base in known else None
    except InputError as error:
        raise InputError(error.message, field="--solver") from None


def find_solver(name: SolverLike, folder: Path | None = None) -> AnySolver:
    """The solver of this name, or made of this function.

    Args:
        name: name of a registered solver, optionally with parts (`euclio.core.registry`), or
            ``path/to/file.py:function``, or the function itself (`euclio.core.own_solver`). A solver is returned
            unchanged.
        folder: base folder of such a path. None means the current folder.

    Raises:
        InputError: there is none. The error names the nearest ones, or the fault of the file or the function.
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
    found = _offered(name, known)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"{verb_text('solvers')} lists them"
    raise InputError(f"unknown solver {name!r}; {hint}", field="--solver")
