"""The options of families among the arguments, as the keywords of the verbs (`euclio.verbs.keywords`)."""

from __future__ import annotations

import argparse
from typing import Any

from euclio.core.families import families
from euclio.verbs.calling import keyword_of


def family_keywords(arguments: argparse.Namespace) -> dict[str, Any]:
    """The changes of instances and the fields of plan spaces that were given; those of several families may be."""
    given, found = vars(arguments), {}
    for family in families():
        for option in family.change_options:
            value = given.get(f"{family.name}.change.{option.field}")
            if value is not None:
                found[keyword_of(option.flag)] = value
        for option in family.space_options:
            place = f"{family.name}.{option.field}"
            if place in given:
                stands_alone = option.parse is None and option.choices is None
                found[keyword_of(option.flag)] = True if stands_alone else given[place]
    return found


def own_keywords(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Some of a verb's own options."""
    return {name: getattr(arguments, name) for name in names}


def setup_keywords(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of families' simulations that were given."""
    found: dict[str, Any] = {}
    for family in families():
        for option in family.setup_options():
            if option.flag in vars(arguments):
                stands_alone = not option.choices and option.parse is None
                found[keyword_of(option.flag)] = True if stands_alone else vars(arguments)[option.flag]
    return found


ARRIVALS = {"arrivals": "arrivals", "trace": "trace", "cv": "cv", "on_s": "on", "off_s": "off"}
"""The keywords of how requests come, by their places among the arguments."""


def arrival_keywords(arguments: argparse.Namespace) -> dict[str, Any]:
    """How requests come."""
    return {keyword: getattr(arguments, place) for place, keyword in ARRIVALS.items()}
