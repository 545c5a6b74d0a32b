"""`euclio solvers`: what there is to solve with."""

from __future__ import annotations

import argparse

from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.add_argument(
        "--covers", action="store_true", help="what instances and plan spaces may ask for, and who covers it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table, or those of who covers what."""
    from euclio.core.families import families
    from euclio.core.tables import coverage_table, solver_table, to_text
    from euclio.verbs import solvers

    if arguments.covers:
        for family in families():
            if family.demands:
                print(to_text(coverage_table(family)))
    else:
        print(to_text(solver_table(solvers().values())))
    return SOLVED
