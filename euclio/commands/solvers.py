"""`euclio solvers`: what there is to solve with."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import SOLVED

if TYPE_CHECKING:
    from euclio.core.arguments import Verbs


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser("solvers", help="list the solvers", allow_abbrev=False)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    from euclio.core.registry import solvers
    from euclio.core.tables import solver_table, to_text

    print(to_text(solver_table(solvers().values())))
    return SOLVED
