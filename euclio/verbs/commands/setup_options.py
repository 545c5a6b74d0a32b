"""Options that are fields of one family's simulations; families may share a flag, each with words of its own."""

from __future__ import annotations

import argparse
import math
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from euclio.core.families import find_family
from euclio.verbs.keywords import setup_owners

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.options import SetupOption
    from euclio.serving.setup import Setup


def add_setup_options(
    parser: argparse._ActionsContainer, only: Family | None = None, flags: Container[str] | None = None
) -> None:
    """Add the options of every family, or of one only, or some of them."""
    for owners in setup_owners().values():
        flag = next(iter(owners.values())).flag
        chosen = {name: option for name, option in owners.items() if only is None or name == only.name}
        if chosen and (flags is None or flag in flags):
            parser.add_argument(flag, dest=flag, default=argparse.SUPPRESS, **_details(chosen))


def setup_flags(setup: Setup, family: Family) -> list[str]:
    """The options that make a family's own fields of a setup, where they are not the defaults."""
    found: list[str] = []
    defaults = type(setup)()
    for option in family.setup_options():
        value = getattr(setup, option.field)
        if value == getattr(defaults, option.field):
            continue
        if not option.choices and option.parse is None:
            found += [option.flag] * (value == option.value)
        else:
            found += [option.flag, "none" if value == math.inf else str(value)]
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
