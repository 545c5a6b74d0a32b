"""Shared parts of the file models: strict leaf types, and validation errors turned into one clear line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainValidator, ValidationError, model_validator

from euclio.core.errors import InputError
from euclio.core.numbers import fraction_of
from euclio.core.values import Values
from euclio.core.words import near_names
from euclio.files.json_reading import join_field

LONGEST_NAME = 200
LONGEST_REFERENCE = 5000
"""Characters of the longest reference to a file and something in it: more than any path has."""

UNITS = {
    "_s_per_request": "seconds per request",
    "_per_h": "money per hour",
    "_rps": "requests per second",
    "_mb": "megabytes",
    "_s": "seconds",
}
"""Unit suffixes of field names, longest first."""


def shown(value: Any) -> str:
    """A wrong value in a few words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {value[:40]!a}"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else str(value)


def _of(kinds: tuple[type, ...], words: str) -> Callable[[Any], Any]:
    """What takes values of these kinds as they are; true and false are no numbers."""

    def taken(value: Any) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise InputError(f"is {shown(value)}; it must be {words}")
        return value

    return taken


_text = _of((str,), "a text")


def _printable(longest: int) -> Callable[[Any], str]:
    """What takes texts that can be shown on a line, of at least one character and at most so many."""

    def taken(value: Any) -> str:
        name: str = _text(value)
        if not name.strip() or not name.isprintable() or len(name) > longest:
            raise InputError(f"is {shown(name)}; it must be a name of 1 to {longest} printable characters")
        return name

    return taken


_number = _of((int, Decimal), "a number, without quotes")


def _exact_number(value: Any) -> Any:
    """A number, or the fraction in a text such as ``1/3``, which no decimal says."""
    found = fraction_of(value) if isinstance(value, str) else None
    return _number(value) if found is None else found


Number = Annotated[int | Decimal, PlainValidator(_number)]
ExactNumber = Annotated[int | Decimal | Fraction, PlainValidator(_exact_number)]
Whole = Annotated[int, PlainValidator(_of((int,), "a whole number"))]
Flag = Annotated[bool, PlainValidator(_of((bool,), "true or false"))]
Text = Annotated[str, PlainValidator(_text)]
Name = Annotated[str, PlainValidator(_printable(LONGEST_NAME))]
Reference = Annotated[str, PlainValidator(_printable(LONGEST_REFERENCE))]
"""The name of something of euclio, or the path of a user's file and what it is called there."""


def obeying(values: Values[Any]) -> AfterValidator:
    """What narrows a leaf of numbers to those that keep to a rule."""

    def taken(value: Any) -> Any:
        number = values.number(value)
        if number is None:
            raise InputError(f"is {shown(value)}; it must be {values.words}")
        return number

    return AfterValidator(taken)


class FileModel(BaseModel):
    """An object in a file: its fields and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_fields(cls, value: Any) -> Any:
        known, required = _fields(cls)
        if not isinstance(value, dict):
            raise InputError(f"is {shown(value)}; it must be an object with {', '.join(known)}")
        for key in value:
            if key not in known:
                raise _unknown(key, list(known), set(value))
        for key in required:
            if key not in value:
                raise InputError(f"is missing; add it{_unit_hint(key)}", field=key)
        return value


@cache
def _fields(model: type[FileModel]) -> tuple[dict[str, None], tuple[str, ...]]:
    """The names of all fields, and of those that have to be there; pydantic takes its time to say them."""
    fields = model.model_fields
    return dict.fromkeys(fields), tuple(name for name, info in fields.items() if info.is_required())


def _unit_hint(field: str) -> str:
    for suffix, unit in UNITS.items():
        if field.endswith(suffix):
            return f", in {unit}"
    return ""


def _unknown(key: str, fields: list[str], present: set[str]) -> InputError:
    for field in fields:
        for suffix, unit in UNITS.items():
            stem = field.removesuffix(suffix)
            if stem == field or field in present:
                continue
            if key == stem:
                return InputError(f"has no unit; write `{field}`, in {unit}", field=key)
            if key.startswith(stem + "_"):
                return InputError(f"is not known in this unit; write `{field}`, in {unit}", field=key)
    near = near_names(key, fields, 1, 0.5)
    if near and near[0] not in present:
        return InputError(f"is an unknown field; did you mean `{near[0]}`?", field=key)
    return InputError(f"is an unknown field; remove it (known: {', '.join(fields)})", field=key)


def without_schema(value: Any, schema: str, file: str | None) -> dict[str, Any]:
    """The fields of an object of this schema and version, `schema` itself left out.

    Raises:
        InputError: not an object, no schema, or another one.
    """
    if not isinstance(value, dict):
        raise InputError(f"holds {shown(value)}; it must hold an object of schema {schema}", file=file)
    if "schema" not in value:
        raise InputError(f'is missing; write "{schema}" if this is such a file', file=file, field="schema")
    found = value["schema"]
    if found == schema:
        return {key: field for key, field in value.items() if key != "schema"}
    kind = schema.rsplit("/", 1)[0]
    if isinstance(found, str) and found.rsplit("/", 1)[0] == kind:
        message = f"is version {found[:60]!a}; this release reads {schema}"
    else:
        message = f"is {shown(found)}; a file of schema {schema} is needed here"
    raise InputError(message, file=file, field="schema")


Model = TypeVar("Model", bound=FileModel)


def validated(model: type[Model], value: Any, file: str | None) -> Model:
    """The value as a model.

    Raises:
        InputError: the first thing that is wrong, with file, field and remedy.
    """
    try:
        return model.model_validate(value)
    except ValidationError as failure:
        first = failure.errors(include_url=False)[0]
        error = first.get("ctx", {}).get("error")
        field = ""
        for part in first["loc"]:
            field = f"{field}[{part}]" if isinstance(part, int) else join_field(field, part)
        if isinstance(error, InputError):
            raise InputError(error.message, file=error.file or file, field=_below(field, error.field)) from None
        raise InputError(f"is {shown(first['input'])}; {_rule(first)}", file=file, field=field or None) from None


def _rule(error: Any) -> str:
    rules = {
        "list_type": "it must be a list",
        "tuple_type": "it must be a list",
        "dict_type": "it must be an object",
        "missing": "the list is too short; an edge is [from, to]",
        "too_long": "the list is too long; an edge is [from, to]",
    }
    return rules.get(error["type"], str(error["msg"]).lower())


@contextmanager
def at(field: str, file: str | None) -> Iterator[None]:
    """Complete errors raised inside with the field that the object stands in, and the file where they name none."""
    try:
        yield
    except InputError as error:
        raise InputError(error.message, file=error.file or file, field=_below(field, error.field)) from None


def _below(parent: str, field: str | None) -> str | None:
    """The path of a field, or of a place in a list, below another one."""
    if not (parent and field):
        return parent or field
    return f"{parent}{field}" if field.startswith("[") else f"{parent}.{field}"
