"""Makes a verb a command: its options follow from the verb's signature, its docstring and how it reads values."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from euclio.core.parameters import Group, Item, Parameter, keywords_of, listed
from euclio.core.references import is_reference

Run = Callable[[argparse.Namespace], int]
RunT = TypeVar("RunT", bound=Run)


@dataclass(frozen=True)
class Command:
    """A verb on the command line.

    Attributes:
        name: what is typed, such as "what-if" or "bench-set check".
        run: does it; it is given the arguments, among which `keywords` are those of the function.
        function: the verb's function; None if only the command line has the verb.
        own: what the command line alone has, in the order of the help: files by their places, and where output goes.
        about: what it does, above the options; a function where that names what families offer.
        summary: one line, for the list of actions of a verb that has several.
        page: the page of the documentation that says more.
        exits: its exit codes, in words.
        first: flags of the options that most people ask for.
        research: flags of the options that stand last.
        examples: command lines.
        ending: text below the options.
    """

    name: str
    run: Run
    function: Callable[..., Any] | None
    own: tuple[Item, ...]
    about: str | Callable[[], str] = ""
    summary: str = ""
    page: str = ""
    exits: str = ""
    first: tuple[str, ...] = ()
    research: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    ending: str | Callable[[], str] = ""

    @property
    def items(self) -> tuple[Item, ...]:
        """The declaration of the verb's function."""
        return getattr(self.function, "items", ())

    @property
    def keywords(self) -> frozenset[str]:
        """The keywords of the function that are options, with those of the families that are asked about."""
        return keywords_of(self.items)

    def add_options(self, parser: argparse.ArgumentParser, *, helping: bool) -> None:
        """Add all that may be typed after the verb to its parser, with the words of its help where that is shown."""
        if helping:
            parser.description = _text(self.about) or parser.description
            parser.epilog = _text(self.ending)
        parser.set_defaults(command_of=self)
        places = [one for one in self.own if isinstance(one, Parameter) and not one.flag.startswith("-")]
        terminal = [one for one in self.own if one not in places]
        said = documented(self.function) if helping else {}
        parts: tuple[tuple[Iterable[Item], Any], ...]
        parts = (places, None), (self.items, argparse.SUPPRESS), (terminal, None)
        for items, default in parts:
            for item in listed(items):
                target = _group(parser, item) if isinstance(item, Group) else parser
                for one in item.parameters if isinstance(item, Group) else (item,):
                    _add(target, one, helping, said.get(one.keyword, ""), default)

    def given(self, arguments: argparse.Namespace) -> argparse.Namespace:
        """The arguments with those of the function as `keywords`; what was not given is not among these.

        `shared` are those of them that the function shares with others, such as the changes of an instance.
        """
        typed, own = vars(arguments), {one.keyword for one in self.items if isinstance(one, Parameter)}
        arguments.keywords = {name: typed[name] for name in self.keywords if name in typed}
        arguments.shared = {name: value for name, value in arguments.keywords.items() if name not in own}
        return arguments


COMMANDS: dict[str, Command] = {}
"""The commands of the verbs that are imported, by name."""


def command(function: Callable[..., Any] | None, *own: Item, name: str = "", **shown: Any) -> Callable[[RunT], RunT]:
    """Makes the function below it the command of a verb; arguments as the attributes of `Command`."""

    def made(run: RunT) -> RunT:
        typed = name or str(getattr(function, "__name__", "")).replace("_", "-")
        COMMANDS[typed] = Command(typed, run, function, own, **shown)
        return run

    return made


# The words of the help are those of the docstring, spelled for the command line.

_IN_PYTHON = re.compile(r"`euclio\.(\w+)(?:\(\))?`")
_WITH_VALUE = re.compile(r"`([a-z_]+)=\"?([^`\"]+)\"?`")
_DEFAULT = re.compile(r"\bNone(?: means|:) ")
_NAMED = re.compile(r"`([a-z]+(?:_[a-z]+)*)`")


def documented(function: Callable[..., Any] | None) -> dict[str, str]:
    """The text for each parameter in the docstring of a verb, in words of the command line."""
    text = inspect.getdoc(function) or ""
    _, _, said = text.partition("\nArgs:\n")
    said = re.split(r"\n\n|\n(?=\S)", said)[0]
    parts = re.split(r"^    (\*{0,2}\w+): ", said, flags=re.MULTILINE)[1:]
    names = [] if function is None else list(inspect.signature(function).parameters)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: spelled(" ".join(words.split()), names) for name, words in pairs}


def spelled(words: str, names: Collection[str]) -> str:
    """Words of a docstring as the help has them.

    Args:
        words: the text for a parameter. "In Python" begins the part for Python alone, "None means" the default.
        names: the parameters of the verb, which get dashes.
    """
    words = words.partition(" In Python")[0]
    words = _WITH_VALUE.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]}", words)
    words = _IN_PYTHON.sub(lambda found: f"`euclio {found[1].replace('_', '-')}`", words)
    words = words.replace("``", "")
    words = _NAMED.sub(lambda found: f"--{found[1].replace('_', '-')}" if found[1] in names else found[0], words)
    return _DEFAULT.sub("default: ", words).removesuffix(".").replace("%", "%%")


def _text(given: str | Callable[[], str]) -> str | None:
    return (given if isinstance(given, str) else given()) or None


def _group(parser: argparse.ArgumentParser, item: Group) -> argparse._ActionsContainer:
    """Where the parameters of a group are added."""
    if item.exclusive:
        return parser.add_mutually_exclusive_group()
    return parser.add_argument_group(item.title, item.about or None)


def _add(target: argparse._ActionsContainer, one: Parameter, helping: bool, said: str, default: Any) -> None:
    """Add a parameter; it is found among the arguments by its keyword."""
    details: dict[str, Any] = {"help": _text(one.help or said) if helping else None}
    if one.stands_alone:
        details |= {"action": "store_const", "const": True, "default": default or False}
    elif one.reference is not None:
        shown = "{" + ",".join([*one.choices, "FILE.py:NAME"]) + "}"
        details |= {"type": _word_or_reference(one.choices), "metavar": shown, "default": default}
    else:
        details |= {"type": one.parse, "choices": one.choices or None, "metavar": one.metavar, "default": default}
    if one.flag.startswith("-"):
        details["dest"] = one.keyword
    target.add_argument(one.flag, **{**details, **one.details})


def _word_or_reference(words: tuple[str, ...]) -> Callable[[str], str]:
    """A reader of one of some words, as `choices` is, or a name that points into a user's file."""

    def parse(text: str) -> str:
        if text in words or is_reference(text):
            return text
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(map(repr, words))})")

    return parse
