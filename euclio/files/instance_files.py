"""Instances of every family in files, read by the schema that stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.family import families, family_of
from euclio.files.boundary import shown
from euclio.files.json_reading import read_json
from euclio.files.json_writing import write_text
from euclio.files.reading_limit import reading


def load_instance(path: str | Path) -> Any:
    """The session or cluster in a file.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    with reading(str(path)):
        return instance_from_json(read_json(path), str(path))


def instance_from_json(value: Any, file: str | None) -> Any:
    """The session or cluster in parsed JSON; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    known = families()
    schemas = " or ".join(family.schema for family in known)
    if not isinstance(value, dict):
        raise InputError(f"holds {shown(value)}; it must hold an object of schema {schemas}", file=file)
    schema = value.get("schema")
    if "schema" not in value:
        raise InputError(f"is missing; write {schemas} if this is such a file", file=file, field="schema")
    for family in known:
        if isinstance(schema, str) and schema.rpartition("/")[0] == family.schema.rpartition("/")[0]:
            return family.read(value, file)
    raise InputError(f"is {shown(schema)}; a file of schema {schemas} is needed here", file=file, field="schema")


def save_instance(instance: Any, path: str | Path) -> None:
    """Write a session or cluster; reading it back gives an equal one.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(family_of(instance).to_text(instance), path)
