"""How instances of one schema are read and written; every family's files are made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from euclio.files.boundary import FileModel, at, validated, without_schema
from euclio.files.json_reading import parse_json, read_json
from euclio.files.json_writing import json_text, write_text
from euclio.files.reading_limit import reading

InstanceT = TypeVar("InstanceT")
ModelT = TypeVar("ModelT", bound=FileModel)


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
        with reading(str(path)):
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
        """Write an instance; reading it back gives an equal one.

        Raises:
            InputError: the file cannot be written.
        """
        write_text(self.to_text(instance), path)
