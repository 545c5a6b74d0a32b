"""`euclio curve`: the least cost of a session as a step function of its SLO or its rate."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from euclio.core.values import exacts
from euclio.verbs.commands.options import add_changes, add_plan_space, add_strict, family_keywords, own_keywords
from euclio.verbs.commands.session_questions import (
    AnswerForms,
    add_outputs,
    add_session,
    add_solver,
    exit_code,
    give_out,
    opened_session,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.questions.cost_curve import CostCurve


def curve_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The least cost of a session as a step function of its SLO, proven over a range, or with --over rate as one "
        "of its rate, where machines are charged whole and dummies fill them; rates are asked one by one where the "
        "cost may fall with the rate. Exit code 3: there is no plan in all of the range, or at no rate that was asked."
    )
    add_session(parser)
    parser.add_argument(
        "--over", choices=("slo", "rate"), default="slo", help="what the cost is a function of; default: slo"
    )
    parser.add_argument(
        "--slo",
        type=exacts,
        metavar="S[,S]",
        help="least and largest SLO in seconds; with --over rate one SLO. Default: half and twice the file's",
    )
    parser.add_argument(
        "--rate",
        type=exacts,
        metavar="R[,R]",
        help="requests per second of all sources together, one; with --over rate the least and the highest. Default: "
        "half and twice the file's",
    )
    add_solver(parser)
    add_changes(parser, without=("rate_rps", "slo_s"))
    add_strict(parser)
    add_plan_space(parser)
    add_outputs(parser)


def run_curve(arguments: argparse.Namespace) -> int:
    """Ask, print, write, plot."""
    from euclio.questions.tables import cost_curve_csv, curve_table, describe_cost_curve
    from euclio.verbs.what_if import curve

    given = opened_session(arguments)
    own: Any = own_keywords(arguments, "over", "slo", "rate", "solver", "time_limit")
    found = curve(given, **own, **family_keywords(arguments))
    forms = AnswerForms(
        describe_cost_curve(found), lambda: curve_table(found), lambda: cost_curve_csv(found), lambda: _figure(found)
    )
    give_out(arguments, given, forms)
    return exit_code([step.result for step in found.steps])


def _figure(found: CostCurve) -> Figure:
    from euclio.questions.figures import draw_cost_curve

    return draw_cost_curve(found)
