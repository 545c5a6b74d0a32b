"""`euclio what-if`: the cheapest plan of a session at several rates and objectives."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.commands.change_options import add_changes
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.commands.plan_space import add_plan_space
from euclio.commands.session_questions import Given, add_outputs, add_session, add_solver, asked, give_out
from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import exacts, names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.session.questions.what_if import WhatIf

OWN = ("rate_rps", "slo_s")
"""Changes of which this verb takes several values."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The cheapest plan of a session at each of several rates and SLOs, charged by share and in whole machines: one "
        "table and one figure. Exit code 3: there is no plan at any of them."
    )
    add_session(parser)
    parser.add_argument(
        "--rate",
        type=exacts,
        metavar="R,R",
        help="requests per second of all sources together; default: the file's",
    )
    parser.add_argument("--slo", type=exacts, metavar="S,S", help="SLOs in seconds; default: that of the file")
    parser.add_argument(
        "--machines",
        type=names,
        metavar="A,B",
        help="how machines are charged: share, whole, packed; default: share,whole",
    )
    add_solver(parser)
    add_changes(parser, without=OWN)
    add_plan_space(parser, without=("charging",))
    add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solve all points, print, write, plot."""
    from euclio.core.families import family_of
    from euclio.files.boundary import at
    from euclio.session.questions.what_if import CHARGINGS, answered, question
    from euclio.session.questions.what_if_table import csv_text, describe, what_if_table

    session, changes, solver, space = asked(arguments, "what-if")
    with at("", arguments.file):
        points = question(
            session,
            rates=arguments.rate or (),
            slos=arguments.slo or (),
            chargings=arguments.machines or CHARGINGS,
            changes=changes,
            solver=solver,
            space=space,
            time_limit_s=arguments.time_limit,
        )
    hint = next(filter(None, map(family_of(session).hint, points.sessions.values())), "")
    if hint:
        say(f"{arguments.file}: {hint}")
    answer = answered(points)
    answer = _covered(answer, arguments.file)
    forms = Given(describe(answer), lambda: what_if_table(answer), lambda: csv_text(answer), lambda: _figure(answer))
    give_out(arguments, changes, forms)
    return _exit_code(answer)


def _figure(answer: WhatIf) -> Figure:
    from euclio.session.questions.what_if_figure import draw

    return draw(answer)


def _covered(answer: WhatIf, file: str) -> WhatIf:
    """The answer without the ways of charging that the solver does not cover; each of them is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
    from euclio.core.result import Status

    kept, reasons = [], []
    for way in answer.question.chargings:
        results = [point.result for point in answer.points.values() if point.charging is way]
        if all(result.status is Status.INAPPLICABLE for result in results):
            reasons.append(f"{way} is left out: {results[0].reason}")
        else:
            kept.append(way)
    if not kept:
        raise InputError("; ".join(reasons), file=file, field="--machines")
    for reason in reasons:
        say(f"{file}: --machines {reason}")
    return answer.only(kept)


def _exit_code(answer: WhatIf) -> int:
    from euclio.core.result import Status

    results = [point.result for point in answer.points.values()]
    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
