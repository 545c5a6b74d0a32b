"""`euclio plan-day`: the machines of a whole day, by rules that people use and by the least cost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.progress import say
from euclio.core.references import file_of
from euclio.core.result import Status
from euclio.core.tables import to_text
from euclio.core.values import NOT_NEGATIVE, exact_not_negative, exact_positive, named, names, seconds
from euclio.files.json_writing import json_text
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.options import add_strict, own_keywords

if TYPE_CHECKING:
    from euclio.questions.day_rules import DayComparison


def plan_day_options(parser: argparse.ArgumentParser) -> None:
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
        "rate_rps:MODULE or factor:MODULE, for each; other rates and logs of requests with --load-unit",
    )
    parser.add_argument(
        "--load-unit",
        metavar="UNIT",
        help="what the numbers of --load are, where its columns do not say it: requests-per-second, -minute, -hour or "
        "-step, a row per step; or the times of requests, a row for each: timestamps-iso (dates with a time of day), "
        "-s, -ms, -us or -ns",
    )
    parser.add_argument(
        "--load-step",
        type=exact_positive,
        metavar="S",
        help="seconds of the steps in which the requests of timestamps are counted",
    )
    parser.add_argument(
        "--load-column", metavar="NAME", help="column of rates or timestamps, where several may be meant"
    )
    for name, what in (
        ("warm-up", "seconds that a machine is charged before it serves"),
        ("keep-alive", "seconds that a machine is charged after it is released"),
        ("price-per-change", "money per machine that is started or stopped"),
    ):
        parser.add_argument(f"--{name}", type=NOT_NEGATIVE.parse, metavar="X", help=f"{what}; default: 0")
    parser.add_argument(
        "--state-price",
        type=named(exact_not_negative),
        metavar="MODULE=P,...",
        help="money on top for each change of a module whose machines hold state, such as caption=0.5",
    )
    parser.add_argument("--solvers", type=names, metavar="A,B", help="these alone, or FILE.py:FUNCTION; default: all")
    add_strict(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds, as of solve")
    add_attainment(parser)
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


def run_plan_day(arguments: argparse.Namespace) -> int:
    """Plan, print, write, draw."""
    from euclio.files import load_instance, save_instance, save_result
    from euclio.files.json_writing import check_outputs
    from euclio.verbs.inputs import GivenInstance
    from euclio.verbs.plan_day import plan_day

    outputs = {"--plot": arguments.plot, "--out": arguments.out, "--day-out": arguments.day_out}
    check_outputs(outputs, [arguments.file, arguments.load, *map(file_of, arguments.solvers or ())])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    given = GivenInstance(load_instance(arguments.file), arguments.file)
    own = own_keywords(arguments, "load", "load_unit", "load_step", "load_column")
    own |= own_keywords(arguments, "warm_up", "keep_alive", "price_per_change", "state_price", "solvers", "time_limit")
    found = plan_day(given, supervised=True, **own, **attainment_keywords(arguments))
    print(json_text(found.describe()) if arguments.json else to_text(found.table()))
    if arguments.day_out is not None:
        save_instance(found.day, arguments.day_out)
    if arguments.out is not None and found.best is not None:
        save_result(found.best, found.day, arguments.out)
    if arguments.plot is not None and found.best is not None:
        from euclio.questions.day_figure import DRAWN, draw_day
        from euclio.report.figure_files import save_figure

        names = DRAWN if arguments.solvers is None else [result.solver for result in found.results]
        save_figure(draw_day(found, names), arguments.plot)
    return _exit_code(found, arguments.file)


def _exit_code(found: DayComparison, file: str) -> int:
    statuses = {result.status for result in found.results}
    if Status.ERROR in statuses:
        return REFUSED
    if found.best is not None:
        return SOLVED
    why = next((own.reason for own in found.results if own.status is Status.INFEASIBLE), "no solver found a plan")
    infeasible = Status.INFEASIBLE in statuses
    say(f"{file}: {'infeasible: ' if infeasible else ''}{why}")
    return INFEASIBLE if infeasible else NO_PLAN
