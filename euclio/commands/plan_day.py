"""`euclio plan-day`: the machines of a whole day, by rules that people use and by the least cost."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import Values, names, seconds

if TYPE_CHECKING:
    from euclio.day import Day
    from euclio.day.comparing import DayComparison

AT_LEAST_0 = Values("a number of at least 0", float, lambda number: number >= 0)
OPTIONS = {"warm_up_s": "--warm-up", "keep_alive_s": "--keep-alive", "price_per_change": "--price-per-change"}
"""The options of what changes cost, by field of a load over time."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Plan the whole machines of a session whose load moves: cost, regret and machines of the rules that people use "
        "and of the cheapest plan. Warm-up, keep-alive and changes are paid for."
    )
    parser.add_argument("file", metavar="FILE", help="session, or a load over time (JSON, euclio/day/1)")
    parser.add_argument(
        "--load",
        type=Path,
        metavar="CSV",
        help="load of a session: columns time_s and rate_rps (sum of the sources) or factor, for all modules or, as "
        "rate_rps:MODULE or factor:MODULE, for each",
    )
    for field, what in (
        ("warm_up_s", "seconds that a machine is charged before it serves"),
        ("keep_alive_s", "seconds that a machine is charged after it is released"),
        ("price_per_change", "money per machine that is started or stopped"),
    ):
        parser.add_argument(OPTIONS[field], dest=field, type=AT_LEAST_0.parse, metavar="X", help=f"{what}; default: 0")
    parser.add_argument("--solvers", type=names, metavar="A,B", help="these alone, or FILE.py:FUNCTION; default: all")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds, as of solve")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="OUT",
        help="also draw load and machines (.svg, .png or .pdf): with --solvers all of them",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the cheapest plan (JSON, euclio/result/1)")
    parser.add_argument(
        "--day-out", type=Path, metavar="FILE", help="also write the load over time (JSON, euclio/day/1)"
    )
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Plan, print, write, draw."""
    from euclio.comparison.comparing import chosen_solvers
    from euclio.core.references import file_of
    from euclio.core.registry import solvers_of
    from euclio.core.solving import solver_for
    from euclio.core.tables import to_text
    from euclio.day.comparing import compare_day
    from euclio.day.family import FAMILY
    from euclio.files import save_instance, save_result
    from euclio.files.json_writing import json_text
    from euclio.files.outputs import check_outputs
    from euclio.verbs.supervised import Supervised

    outputs = {"--plot": arguments.plot, "--out": arguments.out, "--day-out": arguments.day_out}
    check_outputs(outputs, [arguments.file, arguments.load, *map(file_of, arguments.solvers or ())])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    day = _day(arguments)
    asked = solvers_of(FAMILY.name) if arguments.solvers is None else chosen_solvers(arguments.solvers, FAMILY)
    chosen = [solver_for(FAMILY, solver) for solver in asked]
    with Supervised([day], chosen) as supervised:
        found = compare_day(day, chosen, supervised.solve, time_limit_s=arguments.time_limit)
    print(json_text(found.describe()) if arguments.json else to_text(found.table()))
    if arguments.day_out is not None:
        save_instance(day, arguments.day_out)
    if arguments.out is not None and found.best is not None:
        save_result(found.best, day, arguments.out)
    if arguments.plot is not None and found.best is not None:
        from euclio.day.drawing import DRAWN, draw_day
        from euclio.report.figure_files import save_figure

        save_figure(
            draw_day(found, DRAWN if arguments.solvers is None else [solver.name for solver in chosen]), arguments.plot
        )
    return _exit_code(found, arguments.file)


def _day(arguments: argparse.Namespace) -> Day:
    """The load over time that the files and options say.

    Raises:
        InputError: a session without a load, a load where there is one, an instance of another family.
    """
    from dataclasses import replace

    from euclio.core.families import family_of
    from euclio.day import Day
    from euclio.day.load import read_load
    from euclio.files import load_instance
    from euclio.session import Session

    given: dict[str, Any] = {}
    for name in OPTIONS:
        value = getattr(arguments, name)
        if value is not None:
            given[name] = value
    instance = load_instance(arguments.file)
    if isinstance(instance, Day):
        if arguments.load is not None:
            raise InputError("the file has a load of its own; leave this out, or give the session", field="--load")
        with _named(given, arguments.file):
            return replace(instance, **given)
    if not isinstance(instance, Session):
        message = f"is one of {family_of(instance).instances}; give a session, or a file of schema euclio/day/1"
        raise InputError(message, file=arguments.file)
    if arguments.load is None:
        raise InputError("is needed with a session: a CSV of times and rates", field="--load")
    with _named(given, arguments.load):
        return Day(instance.name, instance, read_load(arguments.load, instance), **given)


@contextmanager
def _named(given: Collection[str], file: str | Path) -> Iterator[None]:
    """Name the option of a number that was given, else the file, where what they say is refused."""
    try:
        yield
    except InputError as error:
        if error.field is not None and error.field in given:
            raise InputError(error.message, field=OPTIONS[error.field]) from None
        raise InputError(error.message, file=error.file or str(file), field=error.field) from None


def _exit_code(found: DayComparison, file: str) -> int:
    from euclio.core.result import Status

    statuses = {result.status for result in found.results}
    if Status.ERROR in statuses:
        return REFUSED
    if found.best is not None:
        return SOLVED
    why = next((own.reason for own in found.results if own.status is Status.INFEASIBLE), "no solver found a plan")
    infeasible = Status.INFEASIBLE in statuses
    say(f"{file}: {'infeasible: ' if infeasible else ''}{why}")
    return INFEASIBLE if infeasible else NO_PLAN
