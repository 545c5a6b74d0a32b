"""`euclio check-solver`: whether a solver keeps the contract of all solvers."""

from __future__ import annotations

import argparse

from euclio.core.values import count
from euclio.verbs.commands.exit_codes import REFUSED, SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Try a solver on small seeded instances in a process of its own: checked plans and claims, honest "
        "bounds and statuses, limits, repeatable answers, no side effects. Exit code 0: no claim is broken, 1: one is."
    )
    parser.add_argument("solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION")
    parser.add_argument("--samples", type=count, default=12, metavar="N", help="small instances; default: 12")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Try, judge, print."""
    from euclio.contract.findings import report_table
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text
    from euclio.verbs import check_solver

    report = check_solver(arguments.solver, arguments.samples)
    print(json_text(report.describe()) if arguments.json else to_text(report_table(report)))
    return SOLVED if report.kept else REFUSED
