"""Frozen dataclasses in files: their fields are the format, so that nothing is said twice (ours).

Fields may be names (`str`), any texts (`euclio.files.boundary.Text`), whole numbers, flags, floats (any number in the
file), fractions (any number, or a text such as ``1/3``), plain data (`Any`, its numbers as fractions), enumerations of
texts, other such dataclasses, tuples or objects of one of these, and any of them or None. If a dataclass refuses its
fields (an `InputError`), the error names the place in the file.
"""

from __future__ import annotations

import types
from collections.abc import Hashable
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from pydantic import create_model

from euclio.core.errors import InputError
from euclio.core.numbers import exact, exact_decimal_text, fraction_of, fraction_text, has_text
from euclio.core.space_fields import word
from euclio.core.tolerances import WRITTEN_TOLERANCE
from euclio.core.words import full
from euclio.files.boundary import ExactNumber, FileModel, Flag, Name, Number, Text, Whole, at

# Numbers that no decimal says, as texts next to the decimals that are shown (ours).
#
# A reader of the decimal has fifteen digits. euclio reads the text, so no number changes on its way through a file.


def needed_text(value: Fraction) -> str | None:
    """The text of a number that its decimal does not say; None if it does, or if a text may not have so many digits."""
    return fraction_text(value) if exact_decimal_text(value) is None and has_text(value) else None


def exact_of(shown: Any, text: str | None, field: str, shown_field: str) -> Fraction:
    """The number that a decimal and the text next to it say.

    Args:
        shown: the decimal.
        text: the text; None if there is none, and the decimal says it.
        field: where the text stands.
        shown_field: name of the decimal's field, for the error.

    Raises:
        InputError: the text is no fraction, or not the decimal but for its digits; names the field.
    """
    decimal = exact(shown)
    if text is None:
        return decimal
    found = fraction_of(text)
    if found is None:
        message = f"is the text {text[:40]!a}; it must be a fraction of whole numbers such as 49999997/3000000"
        raise InputError(message, field=field)
    if abs(found - decimal) > WRITTEN_TOLERANCE * abs(found):
        raise InputError(f"is {full(found)}, but {shown_field} is {full(decimal)}; keep one of them", field=field)
    return found


LEAVES: dict[Any, Any] = {str: Name, Text: Text, int: Whole, bool: Flag, float: Number, Fraction: ExactNumber, Any: Any}


@cache
def file_model(record: type, base: type[FileModel] = FileModel) -> type[FileModel]:
    """The model of a dataclass in a file: a field each, with the default that it has.

    Raises:
        TypeError: a field of a type that no file has.
    """
    hints = _hints(record)
    model: dict[str, Any] = {
        field.name: (_in_file(hints[field.name]), ... if field.default is MISSING else _plain(field.default))
        for field in fields(record)
        if field.init
    }
    return create_model(f"_{record.__name__}", __base__=base, **model)


def made(record: type, model: FileModel, field: str = "") -> Any:
    """The dataclass that a model of it holds.

    Args:
        record: the dataclass.
        model: what was read, of `file_model(record)` or a model with further fields.
        field: where it stands in the file.

    Raises:
        InputError: the dataclass refuses its values; names the place.
    """
    hints = _hints(record)
    values = {
        own.name: _value(hints[own.name], getattr(model, own.name), f"{field}.{own.name}" if field else own.name)
        for own in fields(record)
        if own.init
    }
    with at(field, None):
        return record(**values)


def plain_data(value: Any) -> Any:
    """A dataclass as plain data with fractions, as `euclio.files.json_writing` writes it."""
    names = _given(value.__class__)
    if names is not None:
        return {name: plain_data(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [plain_data(part) for part in value]
    return value.value if isinstance(value, StrEnum) else value


@cache
def _given(kind: Hashable) -> tuple[str, ...] | None:
    """The fields of a dataclass; None if the class is no dataclass."""
    return tuple(field.name for field in fields(cast(Any, kind)) if field.init) if is_dataclass(kind) else None


def exact_data(value: Any) -> Any:
    """Plain data with those fractions as texts that no decimal says, so that they are read as they are."""
    if isinstance(value, dict):
        return {name: exact_data(part) for name, part in value.items()}
    if isinstance(value, list):
        return [exact_data(part) for part in value]
    return needed_text(value) or value if isinstance(value, Fraction) else value


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record, include_extras=True)


def _in_file(hint: Any) -> Any:
    """The type of a field in the file's model."""
    if get_origin(hint) in (Union, types.UnionType):
        (own,) = (part for part in get_args(hint) if part is not types.NoneType)
        return _in_file(own) | None
    if get_origin(hint) is tuple:
        return list[_in_file(get_args(hint)[0])]  # type: ignore[misc]
    if get_origin(hint) is dict:
        return dict[str, _in_file(get_args(hint)[1])]  # type: ignore[misc]
    if isinstance(hint, type) and is_dataclass(hint):
        return file_model(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Text
    if hint not in LEAVES:
        raise TypeError(f"{hint} cannot stand in a file")
    return LEAVES[hint]


def _value(hint: Any, read: Any, field: str) -> Any:
    """A value as the dataclass wants it."""
    if read is None:
        return None
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (part for part in get_args(hint) if part is not types.NoneType)
    if get_origin(hint) is tuple:
        own = get_args(hint)[0]
        return tuple(_value(own, part, f"{field}[{k}]") for k, part in enumerate(read))
    if get_origin(hint) is dict:
        own = get_args(hint)[1]
        return {name: _value(own, part, f"{field}.{name}") for name, part in read.items()}
    if isinstance(read, FileModel):
        return made(hint, read, field)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(word(read, hint, field))
    if hint is float:
        return float(read)
    return exact(read) if hint is Fraction or isinstance(read, Decimal) else read


def _plain(default: Any) -> Any:
    return default.value if isinstance(default, StrEnum) else default
