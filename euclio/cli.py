"""The command `euclio`: parsing, exit codes and clean endings; each verb lives in `euclio/commands/`.

Exit codes: 0 solved, accepted or certified, 1 refused, refuted or an error, 2 bad input, 3 infeasible, 4 no plan or
neither certified nor refuted.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from typing import NoReturn, TextIO

from euclio.commands.exit_codes import BAD_INPUT, BROKEN_PIPE, INTERRUPTED, NO_PLAN, REFUSED, SOLVED, TERMINATED
from euclio.core.errors import (
    InputError,
    KeywordError,
    NoPlanError,
    OwnSolverError,
    RefusedError,
    RefutedError,
    TerminatedError,
    UnwritableError,
)
from euclio.core.lazy import late
from euclio.core.progress import say, waiting

COMMANDS = {
    "solve": "run a solver on an instance, print the checked plan",
    "verify": "check and price a written result again",
    "certify": "try the claim of a result with an independent prover",
    "solvers": "list the solvers",
    "compare": "all systems and the optimum on one instance",
    "changes": "what the cheapest plan costs by how many machines may change",
    "what-if": "the cheapest plan of a session at several rates and objectives",
    "decompose": "split every system's gap into design and heuristic",
    "explain": "why an instance is infeasible, and what would help",
    "check-solver": "try whether a solver keeps the contract of all solvers",
    "plan-day": "the machines of a whole day: rules that people use, and the least cost",
    "generate": "write workloads as instances",
    "import": "write an instance, or profiles for one, made of other files",
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
    "bench-set": "check the benchmark set, run a solver on it, list it, make it",
}
"""The verbs with one line each; `euclio/commands/` has a module for each, which is imported when it is asked for.

A module has `add_options`, which is given the parser, and `run`, which is given the arguments.
"""

INVALID_CHOICE = re.compile(r"invalid choice: '(?P<word>[^']*)' \(choose from (?P<words>[^)]*)\)")

TRACEBACK = "EUCLIO_TRACEBACK"
"""Environment variable that lets an internal error show where it arose."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all other errors of bad input."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{_with_hint(message)}; see `{self.prog} --help`")


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"{parser.prog} {version('euclio')}")
        parser.exit()


def main(argv: list[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; by default those of the process.

    Returns:
        The exit code.
    """
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        _replace_unencodable(stream)
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except InputError as error:
        say(str(error.said if isinstance(error, KeywordError) else error))
        codes = {NoPlanError: NO_PLAN, RefusedError: REFUSED}
        return next((code for kind, code in codes.items() if isinstance(error, kind)), BAD_INPUT)
    except BrokenPipeError:
        # The reader has gone: point standard output elsewhere, or the interpreter complains when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (UnwritableError, RefutedError) as error:
        say(str(error))
        return REFUSED
    except KeyboardInterrupt as error:
        say(str(error) or "interrupted")
        return TERMINATED if isinstance(error.__cause__ or error, TerminatedError) else INTERRUPTED
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        internal = f"internal error, please report it: {type(error).__name__}: {error}"
        say(f"{_blame_on_own_solver(error) or internal} (set {TRACEBACK}=1 to see where)")
        return REFUSED


def _run(argv: list[str] | None) -> int:
    parser = _Parser(
        prog="euclio",
        description="Optimization research workbench for DNN inference serving.",
        epilog=" ".join(__doc__.splitlines()[2:]),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    verbs = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", required=True, parser_class=_Parser
    )
    words = sys.argv[1:] if argv is None else argv
    asked = next((word for word in words if not word.startswith("-")), None)
    for verb, line in COMMANDS.items():
        own = verbs.add_parser(verb, help=line, allow_abbrev=False)
        if verb == asked:
            module = f"euclio.commands.{_module(verb)}"
            own.set_defaults(run=late(module, "run"))
            late(module, "add_options")(own)
    try:
        arguments = parser.parse_args(words)
    except SystemExit:  # --help or --version has been printed
        return SOLVED
    with waiting(f"{asked} is at work", weak=True):
        code: int = arguments.run(arguments)
    return code


def _module(verb: str) -> str:
    """The module of a verb; that of a Python keyword has another name."""
    return {"import": "import_instance"}.get(verb, verb.replace("-", "_"))


def _with_hint(message: str) -> str:
    """The parser's message on a wrong word with the nearest right ones in place of all of them."""
    wrong = INVALID_CHOICE.search(message)
    if wrong is None:
        return message
    near = difflib.get_close_matches(wrong["word"], re.findall(r"[\w:.-]+", wrong["words"]), n=2)
    return (
        f"{message[: wrong.start()]}unknown {wrong['word']!r}; did you mean {' or '.join(near)}?" if near else message
    )


def _blame_on_own_solver(error: Exception) -> str:
    from euclio.core.own_solver import blame

    return str(error) if isinstance(error, OwnSolverError) else blame(error)


def _open_closed_streams() -> None:
    """Point standard streams that were closed at nowhere, so that no file takes their numbers and what is said."""
    number = os.open(os.devnull, os.O_RDWR)
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115


def _replace_unencodable(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
