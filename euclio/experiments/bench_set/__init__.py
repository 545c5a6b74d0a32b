"""The benchmark set: named instances with the best plan and bound known, in classes by effort (`data/instances`)."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache
from typing import Any

from euclio.core.errors import InputError
from euclio.core.parameters import verb_text
from euclio.core.result import WrittenResult
from euclio.core.space_fields import word
from euclio.experiments.bench_set.manifest import (
    Difficulty,
    Effort,
    Entry,
    read_best,
    read_instance,
    read_manifest,
    set_folder,
)

__all__ = ["Difficulty", "Effort", "Entry", "best", "entries", "instances", "load"]


def entries(difficulty: str | None = None, family: str | None = None) -> tuple[Entry, ...]:
    """The manifest's entries of the instances, in the order of the set.

    Args:
        difficulty: class: easy, medium, hard or open; None means all.
        family: problem family by name; None means all.

    Raises:
        InputError: unknown class, or the set is not there.
    """
    wanted = None if difficulty is None else Difficulty(word(difficulty, Difficulty, "class"))
    return tuple(
        entry for entry in _all().values() if wanted in (None, entry.difficulty) and family in (None, entry.family)
    )


def instances(difficulty: str | None = None, family: str | None = None) -> Iterator[Any]:
    """The instances that `entries` lists, each read when it is asked for."""
    return (load(entry.name) for entry in entries(difficulty, family))


def load(name: str) -> Any:
    """An instance of the set by name; raises an `InputError` if there is none of this name."""
    return read_instance(set_folder(), find_entry(name))


def best(name: str) -> WrittenResult:
    """The best known result on an instance: plan, value, bound and the plan space that they are for.

    Raises:
        InputError: there is no instance of this name.
    """
    return read_best(set_folder(), load(name))


def find_entry(name: str) -> Entry:
    """The manifest's entry of an instance.

    Raises:
        InputError: there is none of this name; names the nearest ones.
    """
    known = _all()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"{verb_text('bench-set list')} lists them"
        raise InputError(f"the benchmark set has no instance {name!r}; {hint}")
    return known[name]


@cache
def _all() -> dict[str, Entry]:
    return {entry.name: entry for entry in read_manifest(set_folder()).entries}
