"""`euclio report`: the page of an experiment."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from euclio.core.progress import say
from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Write the report and print where it is."""
    from euclio.experiments.results import VersionsDiffer
    from euclio.verbs import report

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionsDiffer)
        page = report(*arguments.results, out=arguments.out, title=arguments.title)
    messages = (str(warning.message) for warning in caught if issubclass(warning.category, VersionsDiffer))
    for line in dict.fromkeys(messages):
        say(line)
    print(page)
    return SOLVED
