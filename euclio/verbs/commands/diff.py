"""`euclio diff`: what changes from the plan of one result to that of another."""

from __future__ import annotations

import argparse

from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Print what changes from one plan to another: value, and of sessions machines added, removed, moved, and those "
        "that only change batch or concurrency. Results are read as they are written; `euclio verify` checks them."
    )
    parser.add_argument("before", metavar="BEFORE", help="result with a plan (JSON, euclio/result/1)")
    parser.add_argument("after", metavar="AFTER", help="another one, which may be of another instance")
    parser.add_argument("--json", action="store_true", help="print the difference as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Read, compare, print."""
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text
    from euclio.verbs import diff

    found = diff(arguments.before, arguments.after)
    print(json_text(found.data) if arguments.json else to_text(found.text))
    return SOLVED
