"""`euclio report`: write the page of an experiment: tables and figures of its results.

`euclio.report` is a room too, which can be called as this verb.
"""

from __future__ import annotations

import warnings
from argparse import Namespace

import euclio.report as report_room
from euclio.core.parameters import Parameter, as_given
from euclio.core.progress import say
from euclio.core.values import file_path
from euclio.report.experiment.page import write_report
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.verb import verb

__all__ = ["report", "report_room"]

report = verb(
    Parameter("--out", parse=file_path, metavar="FILE.html"),
    Parameter("--title", parse=as_given, metavar="TITLE"),
)(write_report)


@command(
    report,
    Parameter(
        "results",
        help="result folder, the experiment next to it, or a Parquet file of results; several are merged",
        parse=file_path,
        metavar="OUT|EXPERIMENT.toml",
        details={"nargs": "+"},
    ),
    name="report",
    examples=("euclio report experiment.toml",),
)
def print_report(arguments: Namespace) -> int:
    """Write the report and print where it is."""
    from euclio.experiments.results import VersionsDiffer

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionsDiffer)
        page = report(*arguments.results, **arguments.keywords)
    messages = (str(warning.message) for warning in caught if issubclass(warning.category, VersionsDiffer))
    for line in dict.fromkeys(messages):
        say(line)
    print(page)
    return SOLVED
