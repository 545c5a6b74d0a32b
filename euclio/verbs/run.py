"""`euclio run`: make all runs of an experiment."""

from __future__ import annotations

import signal
from argparse import Namespace
from typing import NoReturn

from euclio.core.errors import TerminatedError
from euclio.core.parameters import Parameter, as_given
from euclio.core.progress import say
from euclio.core.values import count, file_path, names
from euclio.experiments import runner
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.verb import verb

run = verb(
    Parameter("--out", parse=file_path, metavar="OUT"),
    Parameter("--slots", parse=count, metavar="N"),
    Parameter("--dask", parse=as_given, metavar="ADDRESS"),
    Parameter("--retry", parse=as_given, metavar="A,B", details={"type": names}),
    Parameter("--code", parse=as_given, metavar="A.py,B.py", details={"type": names}),
    Parameter("--only", parse=as_given, metavar="LABEL", details={"action": "append"}),
)(runner.run)


@command(
    run,
    Parameter("experiment", help="experiment (TOML, euclio/experiment/1)", metavar="EXPERIMENT.toml"),
    about="Make every run of an experiment and store each as soon as it is finished; the same command again makes the "
    "missing ones. Prints the result folder.",
    page="formats/experiment.md",
    exits="0 all finished, 1 not writable or a proof refuted, 2 also: another runner is at work there",
    examples=("euclio run experiment.toml --slots 1",),
)
def print_outcome(arguments: Namespace) -> int:
    """Run and print where the results are."""
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        outcome = run(arguments.experiment, **arguments.keywords)
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
