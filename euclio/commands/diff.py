"""`euclio diff`: what changes from the plan of one result to that of another."""

from __future__ import annotations

import argparse

from euclio.commands.exit_codes import NO_PLAN, SOLVED
from euclio.core.progress import say


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
    from euclio.comparison.plan_difference import compare_plans
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text
    from euclio.files.unbound_results import load_without_instance

    before, after = (load_without_instance(path) for path in (arguments.before, arguments.after))
    for result in (before, after):
        if result.plan is None:
            say(f"{result.file}: there is no plan to compare (status {result.status})")
            return NO_PLAN
    found = compare_plans(before, after)
    print(json_text(found.data) if arguments.json else to_text(found.text))
    return SOLVED
