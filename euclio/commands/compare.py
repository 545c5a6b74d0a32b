"""`euclio compare`: every applicable system and the optimum on one instance."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.arguments import names, seconds
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.commands.progress import noticed

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs
    from euclio.comparing import Comparison

CERTIFY_S = 60.0
"""Limit of the prover for each proof where none is given."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "compare",
        help="all systems and the optimum on one instance",
        description="Cost or throughput, gap, the share of the gap due to design, and time of every system.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="instance (JSON, euclio/session/1 or euclio/pipeline/1)")
    parser.add_argument(
        "--solvers", type=names, metavar="A,B", help="solvers, or FILE.py:FUNCTION; default: all systems"
    )
    parser.add_argument("--objective", metavar="NAME", help="of clusters: throughput (the default) or cost")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="time limit of each run in seconds")
    parser.add_argument(
        "--certify",
        type=seconds,
        nargs="?",
        const=CERTIFY_S,
        metavar="S",
        help=f"have an independent prover try each proof within a limit in seconds; without a number: {CERTIFY_S:g}",
    )
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also draw the comparison (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, draw."""
    from euclio.comparing import compare
    from euclio.files import load_instance
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text

    instance = load_instance(arguments.file)
    if arguments.plot is not None:
        from euclio.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    with (
        at("", arguments.file),
        noticed("running all systems; compiling takes a while at the first use after installation"),
    ):
        comparison = compare(instance, arguments.solvers, arguments.time_limit, arguments.objective, arguments.certify)
    if arguments.json:
        print(json_text(comparison.describe()))
    else:
        from euclio.comparison_table import comparison_table
        from euclio.tables import to_text

        print(to_text(comparison_table(comparison)))
    if arguments.plot is not None:
        from euclio.comparison_figure import draw
        from euclio.figure_files import save_figure

        save_figure(draw(comparison), arguments.plot)
    return _exit_code(comparison, arguments.file)


def _exit_code(comparison: Comparison, file: str) -> int:
    from euclio.certificate import Verdict
    from euclio.families import family_of
    from euclio.result import Status

    refuted = [found for found in comparison.certificates if found.verdict is Verdict.REFUTED]
    for found in refuted:
        print(f"euclio: {file}: REFUTED: {found.solver}: {found.claim}: {found.reason}", file=sys.stderr)
    if refuted:
        return REFUSED
    if any(row.result.value is not None for row in comparison.rows):
        return SOLVED
    if comparison.best is not None and comparison.best.status is Status.INFEASIBLE:
        why = family_of(comparison.instance).why_infeasible(comparison.instance, comparison.best)
        print(f"euclio: {file}: infeasible: {why}", file=sys.stderr)
        return INFEASIBLE
    print(f"euclio: {file}: no system found a plan", file=sys.stderr)
    return NO_PLAN
