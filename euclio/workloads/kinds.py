"""The kinds of instances that `euclio generate` and experiment files draw; each family declares its own."""

from __future__ import annotations

from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.parts.kinds import Kind
from euclio.core.words import nearest
from euclio.workloads.populations import POPULATIONS


def needed(settings: dict[str, Any], name: str, hint: str) -> Any:
    """The value of a setting that a kind cannot do without.

    Raises:
        InputError: it is missing; `hint` says what to give.
    """
    if name not in settings:
        raise InputError(f"is missing; {hint}", field=name)
    return settings[name]


def kinds() -> dict[str, Kind]:
    """The kinds of all families by name."""
    return {kind.name: kind for family in families() for kind in family.kinds()}


def find_kind(name: str) -> Kind:
    """The kind of this name.

    Raises:
        InputError: there is none; names the nearest ones, populations among them, or all.
    """
    known = kinds()
    if name not in known:
        raise InputError(f"unknown kind {name!r}; {nearest(name, [*known, *POPULATIONS])}", field="kind")
    return known[name]
