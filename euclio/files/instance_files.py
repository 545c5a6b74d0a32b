"""Instances in files: how those of one schema are read and written, and those of any family by their schema."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from euclio.core.errors import InputError
from euclio.core.families import each_family, families, family_of
from euclio.core.system import LateError, interrupted_at
from euclio.files.boundary import FileModel, at, shown, validated, without_schema
from euclio.files.json_reading import parse_json, read_json
from euclio.files.json_writing import json_text, write_text
from euclio.files.row_warnings import doubted

READING_LIMIT_S = 120.0
"""Seconds within which an instance has to be read; files of the largest size allowed take a part of it."""

InstanceT = TypeVar("InstanceT")
ModelT = TypeVar("ModelT", bound=FileModel)


@contextmanager
def _reading(file: str) -> Iterator[None]:
    """Read a file inside, within the limit, and without looking for garbage: all that is read is kept.

    Raises:
        InputError: reading took too long (`euclio.core.system` says when that is noticed); `file` is named.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        with interrupted_at(time.perf_counter() + READING_LIMIT_S):
            yield
    except LateError:
        raise InputError(f"takes more than {READING_LIMIT_S:g} s to read; give a smaller one", file=file) from None
    finally:
        if collecting:
            gc.enable()


@dataclass(frozen=True, slots=True)
class InstanceFormat(Generic[InstanceT, ModelT]):
    """The files of a family's instances.

    Attributes:
        schema: what stands in them under "schema", such as ``euclio/session/1``.
        model: the other fields.
        made: what a file holds in, the instance out; an `InputError` of it need not name the file.
        data: the instance in, the fields as plain data with fractions out.
    """

    schema: str
    model: type[ModelT]
    made: Callable[[ModelT], InstanceT]
    data: Callable[[InstanceT], dict[str, Any]]

    def load(self, path: str | Path) -> InstanceT:
        """The instance in a file.

        Raises:
            InputError: naming the file, the field and the remedy.
        """
        with _reading(str(path)):
            return self.from_json(read_json(path), str(path))

    def from_text(self, text: str, *, file: str | None = None) -> InstanceT:
        """The instance in a JSON text; `file` is named in errors.

        Raises:
            InputError: naming the field and the remedy.
        """
        return self.from_json(parse_json(text, file=file), file)

    def from_json(self, value: Any, file: str | None) -> InstanceT:
        """The instance in parsed JSON; `file` is named in errors.

        Raises:
            InputError: naming the field and the remedy.
        """
        model = validated(self.model, without_schema(value, self.schema, file), file)
        with at("", file):
            return self.made(model)

    def to_text(self, instance: InstanceT) -> str:
        """The JSON text of an instance, numbers as exact decimals."""
        return json_text({"schema": self.schema, **self.data(instance)}) + "\n"

    def save(self, instance: InstanceT, path: str | Path) -> None:
        """Write an instance, as `save_instance` does."""
        _write(self.to_text(instance), self.from_json, path)


def load_instance(path: str | Path) -> Any:
    """The instance in a file, with a warning for each measured row that is doubted.

    Raises:
        InputError: naming the file, the field and the remedy; also of doubted rows, where `strictly` holds.
    """
    with _reading(str(path)):
        found = instance_from_json(read_json(path), str(path))
    return doubted(found, str(path))


def instance_from_json(value: Any, file: str | None) -> Any:
    """The instance in parsed JSON; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    schema = value.get("schema") if isinstance(value, dict) else None
    kind = schema.rpartition("/")[0] if isinstance(schema, str) else ""
    for family in each_family() if kind else ():
        if kind == family.schema.rpartition("/")[0]:
            return family.read(value, file)
    schemas = " or ".join(family.schema for family in families())
    if not isinstance(value, dict):
        raise InputError(f"holds {shown(value)}; it must hold an object of schema {schemas}", file=file)
    if "schema" not in value:
        raise InputError(f"is missing; write {schemas} if this is such a file", file=file, field="schema")
    raise InputError(f"is {shown(schema)}; a file of schema {schemas} is needed here", file=file, field="schema")


def save_instance(instance: Any, path: str | Path) -> None:
    """Write an instance; reading it back gives an equal one.

    Numbers that no decimal of 40 characters says, such as a third, are rounded to 15 digits; none that was read is.

    Raises:
        InputError: the file cannot be written, or not be read again, as names in Python may be anything.
    """
    family = family_of(instance)
    _write(family.to_text(instance), family.read, path)


def _write(text: str, read: Callable[[Any, str | None], Any], path: str | Path) -> None:
    """Write the text of an instance that can be read."""
    read(parse_json(text, file=str(path)), str(path))
    write_text(text, path)
