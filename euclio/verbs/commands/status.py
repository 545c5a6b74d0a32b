"""`euclio status`: how far an experiment is."""

from __future__ import annotations

import argparse

from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Finished runs by solver and status, what is missing, and whether a runner is at work."
    parser.add_argument("path", metavar="OUT|EXPERIMENT.toml", help="result folder, or the experiment next to it")
    parser.add_argument("--json", action="store_true", help="print the status as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Print the status."""
    from euclio.verbs import status

    found = status(arguments.path)
    if arguments.json:
        from euclio.files.json_writing import json_text

        print(json_text(found.describe()))
    else:
        from euclio.core.errors import printable
        from euclio.core.tables import to_text
        from euclio.experiments.status_table import status_lines, status_table

        print(to_text(status_table(found)))
        print("\n".join(map(printable, status_lines(found))))
    return SOLVED
