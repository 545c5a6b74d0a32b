"""Makes a function a verb: its keywords as an editor shows them, and errors that name them.

The rooms below say what is wrong with an option (``--rate``). The command prints that as it is, and a call in Python is
told of its keyword (``rate=-3``). Other options in the message are spelled where it is made (`euclio.core.parameters`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from euclio.core.errors import InputError, KeywordError
from euclio.core.families import owner_in_words
from euclio.core.parameters import Group, Item, Parameter, as_typed, keyword_of, keywords_of, spelling
from euclio.core.values import one_of, read
from euclio.core.words import near_names
from euclio.files.row_warnings import strictly

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_SHOWN = 40
"""Characters of the longest value that an error repeats."""
SHOWN = (str, int, float, Decimal, Fraction)


def verb(*items: Item, typed: type | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function a verb.

    Args:
        *items: how its parameters are read, and the groups that it shares with other verbs, in the order of the help.
            A parameter of the function that has one here is read before the function is called.
        typed: typed dictionary of the keywords that it takes next to its parameters.

    Returns:
        The function, whose signature lists every keyword, and whose `InputError`s name them (`KeywordError`). One that
        takes `strict` refuses measured rows that are doubted where it is true (`euclio.files.row_warnings`).
    """

    def made(function: Callable[P, R]) -> Callable[P, R]:
        shown = _signature(function, typed)
        places = [name for name, one in shown.parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
        needed = {name for name, one in shown.parameters.items() if one.default is not None}
        readers = {one.keyword: one for one in _own(items)}
        unknown = [one.flag for name, one in readers.items() if name not in shown.parameters]
        if unknown:
            raise TypeError(f"{function.__name__}() has no parameter for {unknown[0]}")

        @wraps(function)
        def call(*given: P.args, **keywords: P.kwargs) -> R:
            if not keywords.keys() <= shown.parameters.keys():
                _refuse_unknown(function.__name__, keywords, keywords_of(items).union(shown.parameters))
            with spelling(typed=False), strictly(bool(keywords.get("strict"))):
                try:
                    pairs = zip(places, given, strict=False)
                    by_place: Any = (_read(readers.get(name), value, name in needed) for name, value in pairs)
                    by_name: Any = {
                        name: _read(readers.get(name), one, name in needed) for name, one in keywords.items()
                    }
                    rest: Any = given[len(places) :]
                    return function(*by_place, *rest, **by_name)
                except InputError as error:
                    asked = dict(zip(places, given, strict=False)) | keywords
                    raise _of_keyword(error, asked, shown.parameters.keys()) from None

        call.__signature__ = shown  # type: ignore[attr-defined]
        call.items = items  # type: ignore[attr-defined]
        return call

    return made


def as_read(value: Any) -> Any:
    """The value of a parameter inside its verb, which has been read: a number, for example, and no text of one."""
    return value


def _own(items: Iterable[Item]) -> Iterator[Parameter]:
    """The parameters that a verb reads itself; those of families are read by their own rules."""
    for item in items:
        if isinstance(item, Group):
            yield from item.parameters
        elif isinstance(item, Parameter):
            yield item


def _read(parameter: Parameter | None, value: Any, needed: bool) -> Any:
    """The value of a parameter; what nothing reads stays as it is, and None where it is not needed.

    Raises:
        InputError: it has no such value.
    """
    if parameter is None or parameter.stands_alone or (value is None and not needed):
        return value
    if parameter.parse is None:
        return one_of(parameter.choices, value, parameter.flag)
    return read(parameter.parse, value, parameter.flag)


def _signature(function: Callable[..., Any], typed: type | None) -> inspect.Signature:
    """The signature of a function with every keyword by its name."""
    own = inspect.signature(function)
    named = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in named}
    more = {} if typed is None else inspect.get_annotations(typed)
    extra = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=getattr(kind, "__forward_arg__", kind)
        )
        for name, kind in more.items()
        if name not in taken
    ]
    return own.replace(parameters=[*named, *extra])


def _refuse_unknown(function: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse a keyword that a verb does not have, as Python does, with the nearest one.

    Raises:
        TypeError: such a keyword.
    """
    for name in given:
        if name not in known:
            near = near_names(name, known, 1)
            hint = f"; did you mean {near[0]!r}{owner_in_words(near[0])}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def _of_keyword(error: InputError, given: Mapping[str, Any], known: Collection[str]) -> InputError:
    """An error of an option as one of the keyword, with what it was given; the command prints others as they are."""
    field = error.field or ""
    name = keyword_of(field) if field.startswith("--") else field
    if as_typed() or isinstance(error, KeywordError) or (name == field and name not in known):
        return error
    value, message = given.get(name), error.message
    text = repr(value) if isinstance(value, str) else str(value)
    kind = _kind(type(error))
    if name not in known or not isinstance(value, SHOWN) or len(text) > LONGEST_SHOWN:
        return kind(message, error.file, name)
    for doubled in (f"{value!r} ", f"{str(value)!r} ", f"is {value!r}; it ", f"is {value}; it ", f"is {value!r}; "):
        message = message.removeprefix(doubled)
    return kind(message, error.file, name, text)


def _kind(kind: type[InputError]) -> type[KeywordError]:
    """What an error of a kind becomes: one of that kind still, for those who wait for it."""
    return KeywordError if kind is InputError else type(kind.__name__, (KeywordError, kind), {})
