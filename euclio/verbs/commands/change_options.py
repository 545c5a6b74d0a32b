"""The options that change an instance before it is solved, shared by the verbs that take one; each family has its own.

A result of a changed instance states the changes, and the verbs that read it apply them by themselves.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection

from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.options import SpaceOption


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


def _place(family: Family, option: SpaceOption) -> str:
    """Where an option stands among the arguments; two families may have fields of one name."""
    return f"{family.name}.change.{option.field}"
