"""The command line of `euclio`: its verbs, each imported when it is asked for, and hints where a word is wrong."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NoReturn

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.words import joined, near_names

COMMANDS = {
    "solve": "run a solver on an instance, print the checked plan",
    "verify": "check and price a written result again",
    "certify": "try the claim of a result with an independent prover",
    "check-proof": "check a proof file that `certify` wrote, step by step",
    "solvers": "list the solvers",
    "compare": "all systems and the optimum on one instance",
    "changes": "what the cheapest plan costs by how many machines may change",
    "what-if": "the cheapest plan of a session at several rates and objectives",
    "curve": "the least cost of a session as a step function of its SLO or its rate",
    "decompose": "split every system's gap into design and heuristic",
    "explain": "why an instance is infeasible, and what would help",
    "check-solver": "try whether a solver keeps the contract of all solvers",
    "plan-day": "the machines of a whole day: rules that people use, and the least cost",
    "generate": "write workloads as instances",
    "import": "write an instance, or profiles for one, made of other files",
    "prices": "what machines cost by the price list of a cloud",
    "profile": "measure what batches of a model take on this machine",
    "export": "write a plan in the formats of serving systems",
    "diff": "what changes from one plan to another",
    "simulate": "serve a load with a written plan, request by request",
    "run": "make all runs of an experiment",
    "status": "how far an experiment is",
    "report": "write the page of an experiment: tables and figures of its results",
    "reproduce": "run a paper's evaluation and write its report",
    "warm-up": "compile solvers, provers and simulators now instead of during the first long runs",
    "cite": "BibTeX of euclio and of the papers that results rest on",
    "versions": "versions of euclio, of what it runs on and of this machine",
    "bench-set": "check the benchmark set, run a solver on it, list it, make it, export it",
    "completion": "print a script that completes the command line in bash, zsh or fish",
}
"""The verbs with one line each."""

MODULES = {
    "verify": "certify",
    "check-proof": "certify",
    "decompose": "compare",
    "diff": "export",
    "import": "import_instance",
    "run": "experiment",
    "status": "experiment",
    "report": "experiment",
    "check-solver": "solvers",
    "cite": "solvers",
    "warm-up": "solvers",
    "versions": "solvers",
}
"""Modules of `euclio/verbs/commands/` by verb, where it has not its verb's name; each is imported when it is asked for.

A module has for each of its verbs `VERB_options`, which is given the parser, and `run_VERB`, which is given the
arguments.
"""

DESCRIPTION = "Optimization research workbench for DNN inference serving."
EXIT_CODES = (
    "Exit codes: 0 solved, accepted or certified, 1 refused, refuted or an error, 2 bad input, 3 infeasible, 4 no plan "
    "or neither certified nor refuted."
)
MOST_NEAR = 2
"""Words that a hint names."""
INVALID_CHOICE = re.compile(r"invalid choice: '(?P<word>[^']*)'[^(]* \(choose from (?P<words>[^)]*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all other errors of bad input, and whose help has the usual first."""

    def error(self, message: str) -> NoReturn:
        """Raise the error.

        Raises:
            InputError: always.
        """
        raise InputError(f"{_with_hint(message)}; see `{self.prog} --help`")

    def format_help(self) -> str:
        """The help; that of a verb has its options in sections, and examples."""
        from euclio.verbs.commands.help_pages import help_text

        return help_text(self, super().format_help)


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version('euclio')}")
        parser.exit()


def parser_of(verbs: Collection[str]) -> Parser:
    """A parser that knows all verbs by name, and the options of some of them.

    Args:
        verbs: those whose modules are imported.
    """
    parser = Parser(prog="euclio", description=DESCRIPTION, epilog=EXIT_CODES, allow_abbrev=False)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True, parser_class=Parser
    )
    for verb, line in COMMANDS.items():
        own = commands.add_parser(verb, help=line, allow_abbrev=False)
        if verb in verbs:
            module, name = module_of(verb), function_name(verb)
            own.set_defaults(run=late(module, f"run_{name}"))
            late(module, f"{name}_options")(own)
    return parser


def parsed(words: Sequence[str]) -> argparse.Namespace | None:
    """The arguments; None: help or the version was asked for and has been printed.

    Args:
        words: the words of the command line, without the program's name.

    Raises:
        InputError: a verb, an option or a value that is none.
    """
    asked = next((word for word in words if not word.startswith("-")), None)
    parser = parser_of(() if asked is None else (asked,))
    try:
        arguments, unknown = parser.parse_known_args(words)
    except SystemExit:  # --help or --version has been printed
        return None
    if unknown:
        innermost = _innermost(parser, arguments)
        innermost.error(_unknown(unknown, _flags(innermost)))
    return arguments


def module_of(verb: str) -> str:
    """The module of a verb."""
    return f"euclio.verbs.commands.{MODULES.get(verb, function_name(verb))}"


def function_name(verb: str) -> str:
    """The verb as it stands in names of functions."""
    return verb.replace("-", "_")


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
    """What is said of words that no option or argument takes, with the nearest options."""
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
