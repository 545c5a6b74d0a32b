"""`euclio what-if`: the cheapest plan of a session at several rates and objectives."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.values import capacities, exacts, names
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.change_options import add_changes
from euclio.verbs.commands.keywords import family_keywords, own_keywords
from euclio.verbs.commands.plan_space import add_plan_space
from euclio.verbs.commands.session_questions import (
    Given,
    add_outputs,
    add_session,
    add_solver,
    exit_code,
    give_out,
    opened_session,
)
from euclio.verbs.commands.strict import add_strict
from euclio.verbs.commands.what_if_page import add_page, settle, write_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.questions.what_if import WhatIf

OWN = ("rate_rps", "slo_s", "resources", "price_per_h", "stock")
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
        "--resource",
        type=capacities,
        metavar="NAME=C,C",
        help="capacities of a resource that machines take some of: a table for each; default: that of the file",
    )
    parser.add_argument(
        "--machines",
        type=names,
        metavar="A,B",
        help="how machines are charged: share, whole, packed; default: share,whole",
    )
    add_solver(parser)
    add_changes(parser, without=OWN)
    add_strict(parser)
    add_plan_space(parser, without=("charging",))
    add_attainment(parser, several=True)
    add_outputs(parser)
    add_page(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solve all points, print, write, plot; or write the page."""
    from rich.console import Group
    from rich.text import Text

    from euclio.questions.what_if_table import csv_text, describe, what_if_table
    from euclio.verbs import what_if

    settle(arguments)
    if arguments.html is not None:
        return write_page(arguments)
    given = opened_session(arguments)
    if arguments.plot is not None and arguments.resource is not None and len(arguments.resource[1]) > 1:
        raise InputError("draws one capacity of a resource; give one", field="--plot")
    own = own_keywords(arguments, "rate", "slo", "resource", "machines", "solver", "time_limit")
    found: Any = what_if(given, **own, **attainment_keywords(arguments), **family_keywords(arguments))
    answers: list[WhatIf] = found if isinstance(found, list) else [found]
    forms = Given(
        describe(*answers),
        lambda: Group(*[part for answer in answers for part in (Text(""), what_if_table(answer))][1:]),
        lambda: csv_text(*answers),
        lambda: _figure(answers[0]),
    )
    give_out(arguments, given, forms)
    return exit_code([point.result for answer in answers for point in answer.points.values()])


def _figure(answer: WhatIf) -> Figure:
    from euclio.questions.what_if_figure import draw

    return draw(answer)
