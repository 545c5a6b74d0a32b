"""The kinds of instances that `euclio generate` and experiment files draw; each family declares its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from euclio.core.errors import InputError
from euclio.core.family import families
from euclio.workloads.settings import Setting


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance.

    Attributes:
        name: its name.
        settings: the settings that it takes.
        draw: settings as read, count and seed in, instances out; checks them before it returns.
        example: settings that it can be drawn with in no time, of all that it takes or needs.
        single: one instance only, with nothing drawn.
        seed: seed of its published draws, used where a verb is given none.
    """

    name: str
    settings: tuple[Setting, ...]
    draw: Callable[[dict[str, Any], int, int], Iterator[Any]]
    example: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False
    seed: int = 0


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
        InputError: there is none; names them all.
    """
    known = kinds()
    if name not in known:
        raise InputError(f"unknown kind {name!r}; choose from {', '.join(known)}", field="kind")
    return known[name]
