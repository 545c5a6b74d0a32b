"""Fields of plan spaces: each is declared once, where the field stands in its dataclass.

The declaration gives the option of the commands, the settings of experiments, and the plan space in result files and in
words. It also gives the restrictions that an explanation lifts, and the changes that solvers are tried with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, cast

from euclio.core.errors import InputError
from euclio.core.numbers import count_number
from euclio.core.parameters import Parameter

_KEY = "space"
_PLAIN = (bool, int, str, type(None))
"""Types that files hold unchanged; a tuple becomes a list of names, and other values are written as their `value`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceField:
    """The declaration of a field of a plan space.

    Attributes:
        kind: type of the value in files: str, int, bool, or tuple for a list of names; also None if that is the
            default.
        words: the value in a few words; empty if it goes without saying.
        read: takes the value of the file, the instance and the place in the file, and returns the value of the field;
            raises an `InputError`.
        required: whether files must state it.
        option: the option of the commands; None if there is none.
        variants: takes an instance and a plan space, and returns other values of the field to try a solver with, each
            with a name.
        contains: whether every plan under a second value is one under the first, and is no slower there.
        restriction: the option that sets a value, and the restriction that it puts on a user, for a sentence.
        lifted: rank of the field among the restrictions that an explanation lists.
    """

    kind: type
    words: Callable[[Any], str]
    read: Callable[[Any, Any, str], Any] = lambda value, instance, field: value
    required: bool = False
    option: Parameter | None = None
    variants: Callable[[Any, Any], Iterable[tuple[str, Any]]]
    contains: Callable[[Any, Any], bool] = lambda wide, narrow: wide == narrow
    restriction: Callable[[Any], tuple[str, str]] = lambda value: ("", "")
    lifted: int = 0

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the dataclass field."""
        return {_KEY: self}


def one_of(kind: type[StrEnum], label: str, option: Parameter, **details: Any) -> SpaceField:
    """A field whose value is a member of an enumeration; its names are the option's choices, and follow the label."""
    own: dict[str, Any] = {
        "words": lambda value: value.words,
        "read": lambda name, instance, place: kind(word(name, kind, place)),
        "variants": lambda _, space: ((f"{label} {k}", k) for k in kind if k is not getattr(space, option.field)),
        "option": dataclasses.replace(option, choices=tuple(one.value for one in kind)),
    }
    return SpaceField(kind=str, **(own | details))


def most_of(things: str, tried: tuple[int, int], option: Parameter, **details: Any) -> SpaceField:
    """A limit on a number of things, None if there is none; solvers are tried with the first number that it is not."""

    def variants(_: Any, space: Any) -> Iterator[tuple[str, int]]:
        most = tried[getattr(space, option.field) == tried[0]]
        yield f"at most {most} {things}", most

    own: dict[str, Any] = {"variants": variants, "read": lambda most, instance, place: count_number(most, place)}
    return SpaceField(kind=int, option=option, **(own | details))


@cache
def space_fields(space: Hashable) -> dict[str, SpaceField]:
    """The fields of a class of plan spaces, by name and in their order."""
    return {field.name: field.metadata[_KEY] for field in dataclasses.fields(cast(Any, space))}


def options_of(space: type) -> tuple[Parameter, ...]:
    """The options of the commands that change a field of such a plan space."""
    return tuple(declared.option for declared in space_fields(space).values() if declared.option is not None)


def described(space: Any) -> dict[str, object]:
    """A plan space as plain data, as in results and on the command line."""
    return dict(_described(space))


@lru_cache(maxsize=4096)
def _described(space: Any) -> dict[str, object]:
    """A plan space as plain data, computed once for each, since a run asks several times."""
    return {name: _plain(getattr(space, name)) for name in space_fields(space.__class__)}


def in_words(space: Any) -> str:
    """A plan space in a few words, without the values that go without saying."""
    words = (declared.words(getattr(space, name)) for name, declared in space_fields(space.__class__).items())
    return ", ".join(word for word in words if word)


def variants_of(instance: Any, space: Any) -> Iterator[tuple[str, Any]]:
    """A plan space with one field changed at a time, with a name for each, to try a solver with."""
    for name, declared in space_fields(space.__class__).items():
        for label, value in declared.variants(instance, space):
            yield label, dataclasses.replace(space, **{name: value})


def contains(wide: Any, narrow: Any) -> bool:
    """Whether, by each field, every plan of a narrow space is known to be in a wide one and no slower there."""
    fields = space_fields(wide.__class__)
    return all(declared.contains(getattr(wide, name), getattr(narrow, name)) for name, declared in fields.items())


def word(value: str, words: Iterable[str], field: str) -> str:
    """The value, if it is one of the words; raises an `InputError` if it is not."""
    allowed = list(words)
    if value not in allowed:
        raise InputError(f"is {value[:40]!a}; it must be one of {', '.join(allowed)}", field=field)
    return value


def at_most(value: int | None, unit: str) -> str:
    """A limit in words; empty if there is none."""
    return "" if value is None else f"at most {value} {unit}{'s' if value > 1 else ''}"


def at_least_as_many(wide: int | None, narrow: int | None) -> bool:
    """Whether a limit allows all that another one does; None means no limit."""
    return wide is None or (narrow is not None and wide >= narrow)


def _plain(value: Any) -> object:
    if value.__class__ in _PLAIN:
        return value
    return list(value) if isinstance(value, tuple) else value.value
