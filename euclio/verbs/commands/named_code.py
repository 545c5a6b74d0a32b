"""The options by which verbs that read a result are told the code that its plan space stands on.

A result names such code and its hash; what a file names is not run, so the command line names it again.
"""

from __future__ import annotations

import argparse
from typing import Any

from euclio.core.families import families
from euclio.core.options import SpaceOption


def add_named_code(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field of a plan space that may name code."""
    for option in _options().values():
        parser.add_argument(
            option.flag,
            dest=f"named.{option.field}",
            metavar="FILE.py:NAME",
            help=f"the user's own {option.field} that the result was made under; a result alone has no code run",
        )


def named_code(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command line names, by field of the plan space."""
    given = {option.field: getattr(arguments, f"named.{option.field}") for option in _options().values()}
    return {field: value for field, value in given.items() if value is not None}


def _options() -> dict[str, SpaceOption]:
    """The options of all families by flag; a flag that several families have means the same in all of them."""
    named = (option for family in families() for option in family.space_options if option.reference is not None)
    return {option.flag: option for option in named}
