"""How the plans of a problem family stand in result files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import create_model

from euclio.core.space_fields import described, space_fields
from euclio.files.boundary import FileModel, Flag, Name, Number, Reference, Text, Whole


class RunOptions(FileModel):
    """The options that results of every family have next to the plan space."""

    time_limit_s: Number | None = None
    seed: Whole = 0
    engine: Name | None = None
    threads: Whole | None = None
    warm_start: Reference | None = None


def options_model(space: type, **extra: Any) -> type[RunOptions]:
    """What a class of plan spaces and the run have as options in a file.

    Args:
        space: the class of the plan spaces.
        **extra: further options, as fields of a model.
    """
    kinds: dict[type, Any] = {str: Text, int: Whole, bool: Flag, tuple: list[Name]}
    usual = described(space())
    fields: dict[str, Any] = {}
    for name, field in space_fields(space).items():
        kind = kinds[field.kind] if usual[name] is not None else kinds[field.kind] | None
        fields[name] = (kind, ... if field.required else usual[name])
    model: type[RunOptions] = create_model("_Options", __base__=RunOptions, **fields, **extra)
    return model


def space_reader(space: type) -> Callable[[Any, Any], Any]:
    """What makes a plan space of the options of a file and an instance."""

    def read(options: Any, instance: Any) -> Any:
        values: dict[str, Any] = {}
        for name, field in space_fields(space).items():
            value = getattr(options, name)
            values[name] = None if value is None else field.read(value, instance, f"options.{name}")
        return space(**values)

    return read
