"""`euclio solvers`: what there is to solve with."""

from __future__ import annotations

import argparse

from euclio.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from euclio.core.registry import solvers
    from euclio.core.tables import solver_table, to_text

    print(to_text(solver_table(solvers().values())))
    return SOLVED
