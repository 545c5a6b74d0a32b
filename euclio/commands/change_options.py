"""The options that change an instance before it is solved, shared by the verbs that take one; each family has its own.

A result of a changed instance states the changes, and the verbs that read it apply them by themselves.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.parts.options import SpaceOption

if TYPE_CHECKING:
    from euclio.core.family import Changes


def add_changes(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Add the options of every family but those of some fields; what is not given stays as the file has it."""
    for family in families():
        options = [option for option in family.change_options if option.field not in without]
        if options:
            group = parser.add_argument_group(f"changes of {family.instances}", "default: as in the file")
            for option in options:
                group.add_argument(
                    option.flag,
                    help=option.help,
                    dest=_place(family, option),
                    type=option.parse or str,
                    metavar=option.metavar,
                )


def changed(arguments: argparse.Namespace, family: Family, instance: Any) -> tuple[Any, Changes | None]:
    """The instance with the changes that were given, and these; None: there are none.

    Raises:
        InputError: an option of another family, or a change that does not go with the instance.
    """
    given: dict[str, Any] = {}
    for other in families():
        for option in other.change_options:
            value = getattr(arguments, _place(other, option), None)
            if value is None:
                continue
            if other is not family:
                raise InputError(
                    f"is an option for {other.instances}, and this is one of {family.instances}; leave it out",
                    field=option.flag,
                )
            given[option.field] = value
    if not given or family.changes is None:
        return instance, None
    changes = family.changes(**given)
    return applied(family, changes, instance), changes


def applied(family: Family, changes: Changes, instance: Any) -> Any:
    """The instance with changes; what does not go with it is reported with the option instead of the field.

    Raises:
        InputError: such a change.
    """
    flags = {option.field: option.flag for option in family.change_options}
    try:
        return changes.applied_to(instance)
    except InputError as error:
        field = (error.field or "").partition(".")[0]
        raise InputError(error.message, file=error.file, field=flags.get(field, error.field)) from None


def _place(family: Family, option: SpaceOption) -> str:
    """Where an option stands among the arguments; two families may have fields of one name."""
    return f"{family.name}.change.{option.field}"
