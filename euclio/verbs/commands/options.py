"""The options that many commands share, and what of them is given, as the keywords of the verbs."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection, Container
from typing import TYPE_CHECKING, Any

from euclio.core.families import families, find_family
from euclio.core.family import Family
from euclio.core.options import SpaceOption
from euclio.core.references import is_reference
from euclio.core.words import joined
from euclio.verbs.keywords import setup_owners
from euclio.verbs.verb import keyword_of

if TYPE_CHECKING:
    from euclio.core.options import SetupOption
    from euclio.serving.setup import Setup


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--strict", action="store_true", help="refuse measured rows that are doubted; default: a warning for each"
    )


def add_named_code(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field of a plan space that may name code."""
    for option in _code_options().values():
        parser.add_argument(
            option.flag,
            dest=f"named.{option.field}",
            metavar="FILE.py:NAME",
            help=f"the user's own {option.field} that the result was made under; a result alone has no code run",
        )


def named_code(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command line names, by field of the plan space."""
    given = {option.field: getattr(arguments, f"named.{option.field}") for option in _code_options().values()}
    return {field: value for field, value in given.items() if value is not None}


def _code_options() -> dict[str, SpaceOption]:
    """The options of all families by flag; a flag that several families have means the same in all of them."""
    named = (option for family in families() for option in family.space_options if option.reference is not None)
    return {option.flag: option for option in named}


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
                    dest=_change_place(family, option),
                    type=option.parse or str,
                    metavar=option.metavar,
                )


def _change_place(family: Family, option: SpaceOption) -> str:
    """Where an option stands among the arguments; two families may have fields of one name."""
    return f"{family.name}.change.{option.field}"


def add_plan_space(parser: argparse.ArgumentParser, without: Collection[str] = ()) -> None:
    """Add the options of every family but those of some fields; what is not given is the solver's own."""
    for family in families():
        group = parser.add_argument_group(f"plan space of {family.instances}", "default: the solver's own")
        for option in family.space_options:
            if option.field in without:
                continue
            details: dict[str, Any] = {"dest": _space_place(family, option.field), "default": argparse.SUPPRESS}
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


def _space_place(family: Family, field: str) -> str:
    """Where an option stands among the arguments; two families may have fields of one name."""
    return f"{family.name}.{field}"


def add_setup_options(
    parser: argparse._ActionsContainer, only: Family | None = None, flags: Container[str] | None = None
) -> None:
    """Add the options of every family, or of one only, or some of them."""
    for owners in setup_owners().values():
        flag = next(iter(owners.values())).flag
        chosen = {name: option for name, option in owners.items() if only is None or name == only.name}
        if chosen and (flags is None or flag in flags):
            parser.add_argument(flag, dest=flag, default=argparse.SUPPRESS, **_setup_details(chosen))


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


def _setup_details(owners: dict[str, SetupOption]) -> dict[str, Any]:
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


def an_instance() -> str:
    """One instance of any family, such as "session, cluster or fleet"."""
    return joined((family.instance.__name__.lower() for family in families()), "or")


def instances(before_last: str = "or") -> str:
    """Instances of all families, such as "sessions, clusters or fleets"."""
    return joined((family.instances for family in families()), before_last)


def schemas() -> str:
    """The schemas of instance files."""
    return joined((family.schema for family in families()), "or")


def default_solvers() -> str:
    """The default solver of each family."""
    return joined(f"{family.default_solver} for {family.instances}" for family in families())


def objectives() -> str:
    """The objectives of each family that has several, the default one first."""
    several = [family for family in families() if len(family.goals) > 1]
    return "; ".join(f"of {f.instances}: {joined((goal.name for goal in f.goals), 'or')}" for f in several)
