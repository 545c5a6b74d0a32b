"""`euclio completion`: print a script that completes the command line in bash, zsh or fish."""

from __future__ import annotations

import argparse
from typing import Any

from euclio.core.errors import InputError
from euclio.core.parameters import Parameter
from euclio.core.registry import solvers
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.parser import parser_of, subparsers, verbs

SHELLS = ("bash", "zsh", "fish")
FILES = (
    "FILE",
    "INSTANCE",
    "RESULT",
    "BEFORE",
    "AFTER",
    "CSV",
    "OUT",
    "EXPERIMENT.toml",
    "OUT|EXPERIMENT.toml",
    "PATH",
)
FOLDERS = ("DIR",)
SOLVERS = ("--solver", "--warm-start", "--solve")
"""Metavars of what is a file or a folder, and options that take the name of a solver."""


def script(shell: str) -> str:
    """The script of a shell.

    Args:
        shell: one of `SHELLS`.

    Raises:
        InputError: shtab, which writes it, is not installed.
    """
    try:
        import shtab
    except ImportError:
        raise InputError("needs shtab, which is missing; `pip install 'euclio[completion]'` brings it") from None
    parser = parser_of(verbs())
    _mark(parser, shtab)
    return str(shtab.complete(parser, shell)).rstrip()


def _mark(parser: argparse.ArgumentParser, shtab: Any) -> None:
    """Say what is completed where any text is allowed, of a parser and those below it."""
    for action in parser._actions:
        if action.choices is not None or action.nargs == 0:
            continue
        if set(action.option_strings) & set(SOLVERS):
            action.choices = tuple(solvers())
        elif action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    for own in subparsers(parser).values():
        _mark(own, shtab)


@command(
    None,
    Parameter("shell", help="the shell", choices=SHELLS),
    name="completion",
    about="Print a script with which the shell completes verbs, options, solvers and files. For bash "
    "`euclio completion bash > ~/.local/share/bash-completion/completions/euclio`, for zsh the same into a file "
    "`_euclio` of a folder of $fpath, for fish into ~/.config/fish/completions/euclio.fish. It has what this version "
    "of euclio has, and does not run euclio while it completes.",
    page="#completion",
    examples=("euclio completion bash",),
)
def print_script(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(script(arguments.shell))
    return SOLVED
