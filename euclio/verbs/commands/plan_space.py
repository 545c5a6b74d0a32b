"""The options that narrow a plan space, shared by the verbs that take one; each family names its own."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import Any

from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.references import is_reference


def add_plan_space(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Add the options of every family but those of some fields; what is not given is the solver's own."""
    for family in families():
        group = parser.add_argument_group(f"plan space of {family.instances}", "default: the solver's own")
        for option in family.space_options:
            if option.field in without:
                continue
            details: dict[str, Any] = {"dest": _place(family, option.field), "default": argparse.SUPPRESS}
            if option.parse is None and option.choices is None:
                details |= {"action": "store_const", "const": option.value}
            else:
                details |= {"type": option.parse, "choices": option.choices, "metavar": option.metavar}
            if option.reference is not None:
                words = option.choices or ()
                details |= {"type": _word_or_reference(words), "choices": None, "metavar": _shown(words)}
            group.add_argument(option.flag, help=option.help, **details)


def _word_or_reference(words: tuple[str, ...]) -> Callable[[str], str]:
    """What takes one of some words, as `choices` does, or a name that points into a user's file."""

    def read(text: str) -> str:
        if text in words or is_reference(text):
            return text
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(map(repr, words))})")

    return read


def _shown(words: tuple[str, ...]) -> str:
    return "{" + ",".join([*words, "FILE.py:NAME"]) + "}"


def _place(family: Family, field: str) -> str:
    """Where an option stands among the arguments; two families may have fields of one name."""
    return f"{family.name}.{field}"
