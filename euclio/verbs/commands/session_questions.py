"""What verbs share that ask for many plans of one session: its file, its changes, the solver, what is written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from euclio.core.families import DEFAULT_FAMILY, find_family
from euclio.core.references import file_of
from euclio.core.result import Status
from euclio.core.values import seconds
from euclio.files import load_instance
from euclio.files.json_writing import json_text, write_text
from euclio.files.result_files import stated
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.commands.options import family_keywords
from euclio.verbs.inputs import GivenInstance
from euclio.verbs.keywords import LIMIT_S, changed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.core.result import AnyResult
    from euclio.verbs.inputs import GivenInstance


class AnswerForms(NamedTuple):
    """An answer in its forms.

    Attributes:
        plain: plain data.
        table: makes its table.
        csv_text: makes its CSV.
        draw: makes its figure.
    """

    plain: dict[str, Any]
    table: Callable[[], Any]
    csv_text: Callable[[], str]
    draw: Callable[[], Figure]


def add_session(parser: argparse.ArgumentParser) -> None:
    """Add the file of the session."""
    parser.add_argument("file", metavar="FILE", help=f"session (JSON, {find_family(DEFAULT_FAMILY).schema})")


def add_solver(parser: argparse.ArgumentParser) -> None:
    """Add the solver of all points."""
    parser.add_argument("--solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION; default: exact")


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the limit of a run, and where the answer goes."""
    parser.add_argument(
        "--time-limit", type=seconds, default=LIMIT_S, metavar="S", help=f"limit of each run; default: {LIMIT_S:g}"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the table (CSV)")
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot it (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print it as JSON instead of a table")


def opened_session(arguments: argparse.Namespace) -> GivenInstance:
    """The instance of the file that is named, which errors name.

    Raises:
        InputError: a file that cannot be read or written.
    """
    from euclio.files.json_writing import check_outputs

    check_outputs({"--out": arguments.out, "--plot": arguments.plot}, [arguments.file, file_of(arguments.solver or "")])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    return GivenInstance(load_instance(arguments.file), arguments.file)


def give_out(arguments: argparse.Namespace, asked: GivenInstance, given: AnswerForms) -> None:
    """Print the answer, and write and plot it where that is asked for.

    Args:
        arguments: the options.
        asked: the session that was asked about.
        given: the answer.
    """
    from euclio.core.tables import to_text

    _, changes = changed(asked.family, asked.instance, family_keywords(arguments))
    print(json_text({**given.plain, **stated(changes)}) if arguments.json else to_text(given.table()))
    if arguments.out is not None:
        write_text(given.csv_text(), arguments.out)
    if arguments.plot is not None:
        from euclio.report.figure_files import save_figure

        save_figure(given.draw(), arguments.plot)


def exit_code(results: Sequence[AnyResult]) -> int:
    """The exit code of many points: whether one has a plan, and otherwise whether it is proven that none has."""
    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
