"""`euclio run`: make all runs of an experiment, or those that are not finished yet."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path
from typing import NoReturn

from euclio.core.errors import TerminatedError
from euclio.core.progress import say
from euclio.core.values import count, names
from euclio.verbs.commands.exit_codes import REFUSED, SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Run and print where the results are."""
    from euclio.verbs import run as run_experiment

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
