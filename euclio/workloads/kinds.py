"""Kinds of instances that `euclio generate` and experiment files draw; each family declares its own, with settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.parts import Kind, Setting
from euclio.core.words import nearest
from euclio.workloads.populations import POPULATIONS

# Settings of generated instances: plain values, each checked and read before anything is drawn.
#
# Every setting is declared once, by the family whose kinds take it; experiment files, the options of `euclio generate`
# and their help follow from that.


def refuse_unknown(known: Sequence[Setting], given: Mapping[str, Any], kind: str) -> None:
    """Refuse settings that a kind does not take.

    Raises:
        InputError: names the first of them, and those that the kind takes.
    """
    taken = [setting.name for setting in known]
    for name in given:
        if name not in taken:
            raise InputError(f"is no option of kind {kind!r}; it takes {', '.join(taken) or 'none'}", field=name)


def read_settings(known: Sequence[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings given, all of them known, as values to use.

    Raises:
        InputError: a value that the setting cannot have; names the setting.
    """
    by_name = {setting.name: setting for setting in known}
    found = {}
    for name, value in given.items():
        try:
            found[name] = by_name[name].read(value)
        except InputError as error:
            raise InputError(error.message, field=name) from None
    return found


def grid(known: Sequence[Setting], given: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """All combinations of settings whose values are lists of alternatives.

    Args:
        known: the settings of the kind.
        given: plain values; a list (of lists, where a value is a list) gives alternatives.

    Returns:
        Pairs: what distinguishes a combination from the others, such as ``modules2-tightness0.4`` (empty without
        alternatives), and its settings.

    Raises:
        InputError: a list of alternatives is empty or holds one twice.
    """
    listed = {setting.name for setting in known if setting.listed}
    varied = {name: values for name, values in given.items() if _is_grid(values, name in listed)}
    for name, values in varied.items():
        if not values or any(value in values[:k] for k, value in enumerate(values)):
            raise InputError("must be a value or a list of different values", field=name)
    fixed = {name: value for name, value in given.items() if name not in varied}
    return [
        (
            "-".join(f"{name}{_shown(value)}" for name, value in zip(varied, values, strict=True)),
            {**fixed, **dict(zip(varied, values, strict=True))},
        )
        for values in product(*varied.values())
    ]


def _is_grid(value: Any, listed: bool) -> bool:
    return isinstance(value, list) and (not listed or not value or isinstance(value[0], list))


def _shown(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def name_in(choices: Callable[[], Sequence[str]]) -> Callable[[Any], str]:
    """Reads one of some names, which are looked up only then."""

    def read(value: Any) -> str:
        known = choices()
        if not isinstance(value, str) or value not in known:
            raise InputError(f"is {value!r}; choose from {', '.join(known)}")
        return value

    return read


def names(value: Any) -> list[str]:
    """Reads a list of names."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise InputError(f"is {value!r}; it must be a list of names")
    if not all(isinstance(name, str) for name in value):
        raise InputError(f"is {list(value)!r}; it must be a list of names")
    return list(value)


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
