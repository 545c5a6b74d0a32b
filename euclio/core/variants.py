"""Names that set parts of a solver, ``harpagon:splitter=even:merge=no``: every combination of parts is a solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from euclio.core.errors import InputError
from euclio.core.solver import AnySolver
from euclio.core.words import nearest

SIGN = "="


def parts_of(name: str) -> tuple[str, dict[str, str]]:
    """What a name says of parts.

    Args:
        name: ``NAME:PART=WORD:PART=WORD``; without any sign of equality it sets none.

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
        InputError: it has no such part, or the part cannot be set to that; names what there is.
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
