"""`euclio changes`: what the cheapest plan costs by how many machines may change."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from euclio.core.families import DEFAULT_FAMILY
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.core.values import count_or_none
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.options import add_changes, add_plan_space, add_strict, family_keywords, own_keywords
from euclio.verbs.commands.session_questions import (
    AnswerForms,
    add_outputs,
    add_session,
    add_solver,
    give_out,
    opened_session,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.questions.change_costs import Curve


def changes_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The least cost of a session by the most machines that may be added to the plan of --from and removed from it: "
        "a row for each number of changes at which it falls, until the cheapest plan without a limit is reached. "
        "Machines are charged whole unless --machines says otherwise. Exit code 3: there is no plan at all."
    )
    add_session(parser)
    parser.add_argument(
        "--most",
        type=count_or_none,
        metavar="N",
        help="most changes that are asked for; default: those of the cheapest plan without a limit",
    )
    add_solver(parser)
    add_changes(parser, without=("most_changes",))
    add_strict(parser)
    add_plan_space(parser)
    parser.set_defaults(**{f"{DEFAULT_FAMILY}.charging": "whole"})
    add_attainment(parser)
    add_outputs(parser)


def run_changes(arguments: argparse.Namespace) -> int:
    """Solve, print, write, plot."""
    from euclio.questions.tables import change_costs_csv, change_table, describe_change_costs
    from euclio.verbs.what_if import changes

    given = opened_session(arguments)
    own: Any = {**own_keywords(arguments, "most", "solver", "time_limit"), **family_keywords(arguments)}
    curve = changes(given, **own, **attainment_keywords(arguments))
    forms = AnswerForms(
        describe_change_costs(curve),
        lambda: change_table(curve),
        lambda: change_costs_csv(curve),
        lambda: _figure(curve),
    )
    give_out(arguments, given, forms)
    return _exit_code(curve, arguments.file)


def _figure(curve: Curve) -> Figure:
    from euclio.questions.figures import draw_change_costs

    return draw_change_costs(curve)


def _exit_code(curve: Curve, file: str) -> int:
    if curve.steps:
        return SOLVED
    last = curve.tried[-1] if curve.tried else curve.free
    say(f"{file}: {last.result.status.value}: {last.result.reason}")
    return INFEASIBLE if last.result.status is Status.INFEASIBLE else NO_PLAN
