"""The command line of `euclio`: its verbs, each imported when it is asked for, and hints where a word is wrong."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from euclio.core.errors import InputError
from euclio.core.families import homes, options_of
from euclio.core.parameters import keyword_of
from euclio.core.words import joined, near_names
from euclio.verbs import verb_files
from euclio.verbs.interface.command import COMMANDS, Command
from euclio.verbs.interface.exit_codes import IN_WORDS

DESCRIPTION = "Optimization research workbench for DNN inference serving."
SUMMARY = re.compile(r'"""`euclio ([a-z-]+)`: (.+?)\.?("""|\n)')
"""The first line of a file that has a verb of the command: its name, and what it does."""
FIRST = (
    "solve",
    "solve-all",
    "verify",
    "compare",
    "explain",
    "what-if",
    "curve",
    "changes",
    "most",
    "simulate",
    "certify",
    "check-proof",
)
"""The verbs that the help names first, in this order; the others follow by name."""
SCHEMA = re.compile(rb'"schema"\s*:\s*"euclio/([a-z]+)/')
MOST_BEGUN = 4096
"""Bytes of a file in which its schema is looked for."""
MOST_NEAR = 2
"""Words that a hint names."""
INVALID_CHOICE = re.compile(r"invalid choice: '(?P<word>[^']*)'[^(]* \(choose from (?P<words>[^)]*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all other errors of bad input, and whose help has the usual first."""

    def error(self, message: str) -> NoReturn:
        """Raise the error as an `InputError`."""
        raise InputError(f"{_with_hint(message)}; see `{self.prog} --help`")

    def format_help(self) -> str:
        """The help; that of a verb has its options in sections, and examples."""
        return help_text(self, super().format_help)


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version('euclio')}")
        parser.exit()


@cache
def verbs() -> dict[str, str]:
    """The verbs by name with a line each, as the files in `euclio/verbs/` begin; none of them is imported."""
    found = {}
    for file in sorted(verb_files()):
        with file.open(encoding="utf-8") as lines:
            begun = SUMMARY.match(lines.readline())
        if begun is not None:
            found[begun[1]] = begun[2]
    return {name: found[name] for name in sorted(found, key=lambda name: (*FIRST, name).index(name))}


def commands_of(verb: str) -> dict[str, Command]:
    """The command of a verb, or those of its actions, by what is typed after its name."""
    module = import_module(f"euclio.verbs.{keyword_of(verb)}")
    found = {
        typed.removeprefix(verb).strip(): one
        for typed, one in COMMANDS.items()
        if typed == verb or typed.startswith(f"{verb} ")
    }
    if not found:
        raise TypeError(f"{module.__file__} begins with `euclio {verb}` and declares no command of that name")
    return found


def parser_of(asked: Collection[str], *, helping: bool = True) -> Parser:
    """A parser that knows all verbs by name, and the options of some of them.

    Args:
        asked: those whose modules are imported.
        helping: whether their help may be asked for.
    """
    parser = Parser(prog="euclio", description=DESCRIPTION, epilog=IN_WORDS, allow_abbrev=False)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    names = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True, parser_class=Parser
    )
    for verb, line in verbs().items():
        own = names.add_parser(verb, help=line, description=f"{line[0].upper()}{line[1:]}.", allow_abbrev=False)
        if verb in asked:
            _add_commands(own, commands_of(verb), helping=helping)
    return parser


def _add_commands(parser: argparse.ArgumentParser, commands: dict[str, Command], *, helping: bool) -> None:
    """Add the options of a verb, or its actions with theirs."""
    if "" in commands:
        commands[""].add_options(parser, helping=helping)
        return
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    for typed, one in commands.items():
        one.add_options(actions.add_parser(typed, help=one.summary, allow_abbrev=False), helping=helping)


def parsed(words: Sequence[str]) -> argparse.Namespace | None:
    """The arguments; None if help or the version was printed instead.

    Args:
        words: the words of the command line, without the program's name.

    Raises:
        InputError: a verb, an option or a value that is none.
    """
    helping = not words or any(word == "--help" or word.startswith("-h") for word in words)
    family = None if helping else family_named(words)
    if family is not None:
        with suppress(InputError), options_of((family,)):
            found, unknown = _parsed(words, helping=False)
            if found is not None and not unknown:
                return found
    # The words ask for help, name no instance, or are wrong: then the options of all families are known.
    found, unknown = _parsed(words, helping=helping)
    if unknown:
        raise InputError(unknown)
    return found


def _parsed(words: Sequence[str], *, helping: bool) -> tuple[argparse.Namespace | None, str]:
    """The arguments, None where help has been printed, and what is wrong with those that nothing takes."""
    asked = next((word for word in words if not word.startswith("-")), None)
    parser = parser_of(() if asked is None else (asked,), helping=helping)
    try:
        arguments, unknown = parser.parse_known_args(words)
    except SystemExit:  # --help or --version has been printed
        return None, ""
    command: Command = arguments.command_of
    if not unknown:
        return command.given(arguments), ""
    innermost = _innermost(parser, arguments)
    return arguments, f"{_unknown(unknown, _flags(innermost))}; see `{innermost.prog} --help`"


def family_named(words: Sequence[str]) -> str | None:
    """The family of the instance whose file is among some words, by the beginning of the file; None if unknown."""
    for word in words:
        # No pipes: reading would consume their text, or wait for a writer.
        if word.endswith(".json") and Path(word).is_file():
            with suppress(OSError, ValueError), Path(word).open("rb") as file:
                begun = SCHEMA.search(file.read(MOST_BEGUN))
                if begun is not None and (name := begun[1].decode()) in homes():
                    return name
    return None


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the verbs or actions below a parser, by name."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: own for group in groups for name, own in group.choices.items()}


def _innermost(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> argparse.ArgumentParser:
    """The parser of the verb, or of its action, that the arguments are of."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return _innermost(action.choices[getattr(arguments, action.dest)], arguments)
    return parser


def _flags(parser: argparse.ArgumentParser) -> list[str]:
    return [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]


def _unknown(words: Sequence[str], flags: Sequence[str]) -> str:
    """The error on words that no option or argument takes, with the nearest options."""
    option = next((word.partition("=")[0] for word in words if word.startswith("-") and word != "--"), None)
    if option is None:
        return f"unrecognized arguments: {' '.join(words)}"
    from euclio.core.families import owner_in_words

    near = [f"--{name}{owner_in_words(name)}" for name in nearest(option.lstrip("-"), [flag[2:] for flag in flags])]
    hint = f"; did you mean {joined(near, 'or')}?" if near else ""
    return f"unknown option {option!r}{hint}"


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """The known words that are nearest to a mistyped one: those that it begins, and those of about the same letters."""
    words = list(known)
    begun = [one for one in words if word and one.startswith(word)]
    alike = near_names(word, words, MOST_NEAR)
    return list(dict.fromkeys([*alike[:1], *begun, *alike]))[:MOST_NEAR]


def _with_hint(message: str) -> str:
    """The parser's message on a wrong word with the nearest right ones in place of all of them."""
    wrong = INVALID_CHOICE.search(message)
    if wrong is None:
        return message
    near = nearest(wrong["word"], re.findall(r"[\w:.-]+", wrong["words"]))
    return (
        f"{message[: wrong.start()]}unknown {wrong['word']!r}; did you mean {' or '.join(near)}?" if near else message
    )


RESEARCH_GROUPS = ("plan space of", "solver libraries")
"""Groups of options, by how their titles begin, that stand last."""
RESEARCH = "research: "


def help_text(parser: argparse.ArgumentParser, usual: Callable[[], str]) -> str:
    """The help of a parser.

    Args:
        parser: that of `euclio`, of a verb, or of an action of a verb.
        usual: makes the help as argparse has it.
    """
    command: Command | None = parser.get_default("command_of")
    examples = "".join(f"  {example}\n" for example in examples_of(parser))
    ending = f"\nexamples:\n{examples}" if examples else ""
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
        return usual() + ending
    formatter = parser._get_formatter()
    formatter.add_usage(f"%(prog)s {' '.join(_usage(parser))}", [], [])
    formatter.add_text(parser.description)
    for title, said, actions in sections(parser, command):
        formatter.start_section(title)
        formatter.add_text(said)
        formatter.add_arguments(actions)
        formatter.end_section()
    codes = "" if command is None or not command.exits else f"\nexit codes of its own: {command.exits}\n"
    more = codes + (f"\n{parser.epilog.rstrip()}\n" if parser.epilog else "")
    return formatter.format_help() + more + ending


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """The examples of a verb, or of its actions."""
    command: Command | None = parser.get_default("command_of")
    if command is not None:
        return list(command.examples)
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [example for action in below for own in action.choices.values() for example in examples_of(own)]


def sections(
    parser: argparse.ArgumentParser, command: Command | None
) -> Iterator[tuple[str, str | None, Sequence[argparse.Action]]]:
    """Title, description and options of each section: arguments, what is asked for first, the rest, research."""
    by_flag = {flag: action for action in parser._actions for flag in action.option_strings}
    first = [by_flag[flag] for flag in (command.first if command else ()) if flag in by_flag]
    last = [by_flag[flag] for flag in (command.research if command else ()) if flag in by_flag]
    rest = []
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if one not in first and one not in last]
        if actions:
            rest.append((str(group.title), group.description, actions))
    research = [one for one in rest if one[0].startswith(RESEARCH_GROUPS)]
    for title, said, actions in rest:
        if not actions[0].option_strings:
            yield title, said, actions
    if first:
        yield "most asked for", None, first
    for title, said, actions in rest:
        if actions[0].option_strings and (title, said, actions) not in research:
            yield title, said, actions
    if last:
        yield "research", None, last
    for title, said, actions in research:
        yield RESEARCH + title, said, actions


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The words of the usage: what has to be given, and that there are options."""
    for action in parser._actions:
        name = str(action.metavar or action.dest)
        if action.choices is not None and action.metavar is None:
            name = "{" + ",".join(map(str, action.choices)) + "}"
        if action.required and action.option_strings:
            yield f"{action.option_strings[-1]} {name}"
        elif not action.option_strings:
            yield {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)
    yield "[options]"
