"""Frozen dataclasses with slots that are sent and changed thousands of times a second (ours).

What `dataclasses` makes for these asks for the list of fields anew each time and sets every field through two calls of
Python. A record of 43 fields takes 25 µs to be changed so, and more to be sent to another process and taken there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

RecordT = TypeVar("RecordT")


def quick(record: type[RecordT]) -> type[RecordT]:
    """A class of records, pickled by the values of its fields; decorates a frozen dataclass with slots.

    What it makes of pickled values is what was pickled: `__init__` and `__post_init__` do not run again.
    """
    record.__reduce__ = _reduced  # type: ignore[method-assign, assignment]
    return record


def changed(record: RecordT, **changes: Any) -> RecordT:
    """A copy of a record with some fields changed, as of `dataclasses.replace`, but that `__post_init__` does not run.

    Raises:
        TypeError: it has no such field.
    """
    kind: Any = type(record)
    names, values, _ = _parts(kind)
    own = dict(zip(names, values(record), strict=True))
    if not changes.keys() <= own.keys():
        raise TypeError(f"{kind.__name__} has no field {min(changes.keys() - own.keys())!r}")
    made: RecordT = _made(kind, tuple((own | changes).values()))
    return made


def _reduced(record: Any) -> tuple[Callable[..., Any], tuple[type, tuple[Any, ...]]]:
    return _made, (record.__class__, _parts(record.__class__)[1](record))


def _made(kind: Any, values: tuple[Any, ...]) -> Any:
    """A record with these values of its fields, in their order."""
    made = object.__new__(kind)
    for put, value in zip(_parts(kind)[2], values, strict=True):
        put(made, value)
    return made


@cache
def _parts(kind: Hashable) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]], tuple[Callable[..., None], ...]]:
    """Of a class of records: names of its fields, what gives their values, and what sets each of them."""
    names = tuple(field.name for field in fields(cast(Any, kind)))
    # Of a single name, what is got would be its value and no tuple.
    values = attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),)
    # The slots themselves, since a frozen dataclass refuses to have its attributes set.
    return names, values, tuple(getattr(kind, name).__set__ for name in names)
