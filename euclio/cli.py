"""The command `euclio`: exit codes and clean endings; `euclio/verbs/` has each verb, and `interface/` there its parser.

Exit codes: 0 solved, accepted or certified, 1 refused, refuted or an error, 2 bad input, 3 infeasible, 4 no plan or
neither certified nor refuted.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from euclio.core.errors import (
    InputError,
    NoPlanError,
    OwnSolverError,
    RefusedError,
    RefutedError,
    TerminatedError,
    UnwritableError,
)
from euclio.core.parameters import spelling
from euclio.core.progress import say, waiting
from euclio.files.row_warnings import strictly
from euclio.verbs.interface.exit_codes import (
    BAD_INPUT,
    BROKEN_PIPE,
    INTERRUPTED,
    NO_PLAN,
    REFUSED,
    SOLVED,
    TERMINATED,
)
from euclio.verbs.interface.parser import parsed, parser_of

TRACEBACK = "EUCLIO_TRACEBACK"
"""Environment variable that lets an internal error show where it arose."""
YOUNG_OBJECTS = 100_000
"""New objects, some ten megabytes, after which garbage is looked for. At the interpreter's own 700, looking through the
same modules again and again took a fifteenth of what a small solve takes."""


def main(argv: list[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: arguments without the program's name; by default those of the process.

    Returns:
        The exit code.
    """
    return exit_code(lambda: _run(argv))


def exit_code(program: Callable[[], int]) -> int:
    """Run a program to its end: its exit code, or one line on standard error and the code of the error.

    Args:
        program: prints its results and returns an exit code.
    """
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        _replace_unencodable(stream)
    try:
        with _collecting_rarely(), spelling(typed=True):
            code = program()
        sys.stdout.flush()
        return code
    except InputError as error:
        say(str(error))
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
    words = sys.argv[1:] if argv is None else argv
    if not words:
        sys.stderr.write(parser_of(()).format_help())
        return BAD_INPUT
    arguments = parsed(words)
    if arguments is None:
        return SOLVED
    with strictly(getattr(arguments, "strict", False)), waiting(f"{arguments.command} is at work", weak=True):
        code: int = arguments.command_of.run(arguments)
    return code


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Look for garbage in rings of references less often inside: most objects of a short command are its imports'."""
    before = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


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
