"""Options that are fields of one family's simulations; families may share a flag, each with words of its own."""

from __future__ import annotations

import argparse
import math
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.families import families, find_family
from euclio.core.words import joined

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.parts.options import SetupOption
    from euclio.simulation.setup import Setup


def add_setup_options(
    parser: argparse._ActionsContainer, only: Family | None = None, flags: Container[str] | None = None
) -> None:
    """Add the options of every family, or of one only, or some of them."""
    for flag, owners in _owners().items():
        chosen = {name: option for name, option in owners.items() if only is None or name == only.name}
        if chosen and (flags is None or flag in flags):
            parser.add_argument(flag, dest=flag, default=argparse.SUPPRESS, **_details(chosen))


def setup_options(arguments: argparse.Namespace, family: Family) -> dict[str, Any]:
    """The fields of a family's setup that were given.

    Raises:
        InputError: an option, or a word, of another family was given.
    """
    found: dict[str, Any] = {}
    for flag, owners in _owners().items():
        if flag not in vars(arguments):
            continue
        given = vars(arguments)[flag]
        if family.name not in owners:
            whose = joined(find_family(name).instances for name in owners)
            raise InputError(f"is an option for {whose}; leave it out", field=flag)
        option = owners[family.name]
        if option.choices and given not in option.choices:
            words = joined(option.choices, "or")
            raise InputError(f"is {given!r}, which {family.instances} do not have; give {words}", field=flag)
        for other in option.instead_of:
            if vars(arguments).get(other):
                raise InputError(f"stands instead of --{other.replace('_', '-')}; leave one out", field=flag)
        found[option.field] = given
    return found


def setup_flags(setup: Setup, family: Family) -> list[str]:
    """The options that make a family's own fields of a setup, where they are not the defaults."""
    found: list[str] = []
    defaults = type(setup)()
    for option in family.setup_options:
        value = getattr(setup, option.field)
        if value == getattr(defaults, option.field):
            continue
        if not option.choices and option.parse is None:
            found.append(option.flag)
        else:
            found += [option.flag, "none" if value == math.inf else str(value)]
    return found


def _owners() -> dict[str, dict[str, SetupOption]]:
    """By flag the names of the families that have it, with what it is to each."""
    found: dict[str, dict[str, SetupOption]] = {}
    for family in families():
        for option in family.setup_options:
            found.setdefault(option.flag, {})[family.name] = option
    return found


def _details(owners: dict[str, SetupOption]) -> dict[str, Any]:
    """What argparse needs to know of an option; only options with words are shared."""
    options = list(owners.values())
    first = options[0]
    if len(options) > 1:
        assert all(option.choices for option in options), f"{first.flag} is shared, and not all of its words are listed"
        words = dict.fromkeys(word for option in options for word in option.choices)
        help_text = "; ".join(f"of {find_family(name).instances}: {option.help}" for name, option in owners.items())
        return {"choices": tuple(words), "help": help_text}
    if first.choices:
        return {"choices": first.choices, "help": first.help}
    if first.parse is not None:
        return {"type": first.parse, "metavar": first.metavar, "help": first.help}
    return {"action": "store_const", "const": first.value, "help": first.help}
