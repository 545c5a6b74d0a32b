"""`euclio status`: the progress of an experiment."""

from __future__ import annotations

from argparse import Namespace

from euclio.core.errors import printable
from euclio.core.parameters import Parameter
from euclio.experiments import status as runs_status
from euclio.experiments.status import status_lines, status_table
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.outputs import print_answer
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb

status = verb()(runs_status.status)


@command(
    status,
    Parameter("path", help="result folder, or the experiment next to it", metavar="OUT|EXPERIMENT.toml"),
    json_of("the status"),
    about="Finished runs by solver and status, missing runs, and whether a runner is at work.",
    examples=("euclio status experiment.toml",),
)
def print_status(arguments: Namespace) -> int:
    """Print the status."""
    found = status(arguments.path)
    print_answer(arguments, found.describe, lambda: status_table(found))
    if not arguments.json:
        print("\n".join(map(printable, status_lines(found))))
    return SOLVED
