"""`euclio run`, `euclio status` and `euclio report`: the runs of an experiment, how far they are, and their page."""

from __future__ import annotations

import argparse
import signal
import warnings
from pathlib import Path
from typing import NoReturn

from euclio.core.errors import TerminatedError, printable
from euclio.core.progress import say
from euclio.core.values import count, names
from euclio.verbs.commands import REFUSED, SOLVED


def run_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Make every run of an experiment and keep each as soon as it is finished; the same command again "
        "makes those that are missing. Prints the result folder."
    )
    parser.add_argument("experiment", metavar="EXPERIMENT.toml", help="experiment (TOML, euclio/experiment/1)")
    parser.add_argument("--out", type=Path, metavar="OUT", help="result folder; default: EXPERIMENT-results")
    parser.add_argument("--slots", type=count, metavar="N", help="runs at a time; default: one per core")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on a dask scheduler, or on `local` dask workers")
    parser.add_argument(
        "--retry", type=names, default=(), metavar="A,B", help="make runs again whose status is one of these"
    )
    parser.add_argument(
        "--code",
        type=names,
        default=(),
        metavar="A.py,B.py",
        help="files of your own whose solvers and policies the experiment names; what only the experiment names is not "
        "run",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="LABEL",
        help="make the runs of this solver or of this instance only, by label or name; may be given again",
    )


def run_run(arguments: argparse.Namespace) -> int:
    """Run and print where the results are."""
    from euclio.verbs.run import run as run_experiment

    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        outcome = run_experiment(
            arguments.experiment,
            arguments.out,
            slots=arguments.slots,
            dask=arguments.dask,
            retry=arguments.retry,
            code=arguments.code,
            only=arguments.only,
        )
    finally:
        signal.signal(signal.SIGTERM, before)
    if outcome.no_longer:
        say(f"{outcome.no_longer} more runs there are no longer in the experiment")
    print(outcome.folder)
    if outcome.refuted:
        say(f"{outcome.refuted} proofs are REFUTED; their runs are errors that say how, as `euclio report` does")
        return REFUSED
    return SOLVED


def _terminated(number: int, frame: object) -> NoReturn:
    raise TerminatedError


def status_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Finished runs by solver and status, what is missing, and whether a runner is at work."
    parser.add_argument("path", metavar="OUT|EXPERIMENT.toml", help="result folder, or the experiment next to it")
    parser.add_argument("--json", action="store_true", help="print the status as JSON instead of a table")


def run_status(arguments: argparse.Namespace) -> int:
    """Print the status."""
    from euclio.verbs.run import status

    found = status(arguments.path)
    if arguments.json:
        from euclio.files.json_writing import json_text

        print(json_text(found.describe()))
    else:
        from euclio.core.tables import to_text
        from euclio.experiments.views import status_lines, status_table

        print(to_text(status_table(found)))
        print("\n".join(map(printable, status_lines(found))))
    return SOLVED


def report_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.add_argument(
        "results",
        nargs="+",
        type=Path,
        metavar="OUT|EXPERIMENT.toml",
        help="result folder, the experiment next to it, or a Parquet file of results; several are merged",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.html",
        help="the page, with FILE.md next to it; default: report.html in the folder",
    )
    parser.add_argument("--title", help="title of the page; default: the experiment's name")


def run_report(arguments: argparse.Namespace) -> int:
    """Write the report and print where it is."""
    from euclio.experiments.results import VersionsDiffer
    from euclio.verbs.report import report

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionsDiffer)
        page = report(*arguments.results, out=arguments.out, title=arguments.title)
    messages = (str(warning.message) for warning in caught if issubclass(warning.category, VersionsDiffer))
    for line in dict.fromkeys(messages):
        say(line)
    print(page)
    return SOLVED
