"""`euclio what-if`: the cheapest plan of a session at several rates and objectives."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from euclio.commands.change_options import add_changes, applied
from euclio.commands.plan_space import add_plan_space
from euclio.commands.session_questions import (
    Asked,
    Given,
    add_outputs,
    add_session,
    add_solver,
    asked,
    exit_code,
    give_out,
)
from euclio.commands.what_if_page import add_page, settle, write_page
from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import capacities, exacts, names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.session.questions.what_if import Grid, WhatIf

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
    add_plan_space(parser, without=("charging",))
    add_outputs(parser)
    add_page(parser)


def run(arguments: argparse.Namespace) -> int:
    """Solve all points, print, write, plot; or write the page."""
    from rich.console import Group
    from rich.text import Text

    from euclio.session.questions.what_if import answered
    from euclio.session.questions.what_if_table import csv_text, describe, what_if_table

    settle(arguments)
    if arguments.html is not None:
        return write_page(arguments)
    given = asked(arguments, "what-if")
    questions = _questions(arguments, given)
    if arguments.plot is not None and len(questions) > 1:
        raise InputError("draws one capacity of a resource; give one", field="--plot")
    answers = _covered([answered(points) for points in questions], arguments.file)
    forms = Given(
        describe(*answers),
        lambda: Group(*[part for answer in answers for part in (Text(""), what_if_table(answer))][1:]),
        lambda: csv_text(*answers),
        lambda: _figure(answers[0]),
    )
    give_out(arguments, given.changes, forms)
    return exit_code([point.result for answer in answers for point in answer.points.values()])


def _questions(arguments: argparse.Namespace, given: Asked) -> list[Grid]:
    """What is asked, at each capacity of a resource where such are given."""
    from euclio.core.families import family_of
    from euclio.files.boundary import at
    from euclio.session.questions.changes import SessionChanges
    from euclio.session.questions.what_if import CHARGINGS, question

    session, changes, solver, space = given
    every = [changes]
    with at("", arguments.file):
        if arguments.resource is not None:
            name, amounts = arguments.resource
            capped = [replace(changes or SessionChanges(), resources={name: amount}) for amount in amounts]
            applied(family_of(session), capped[0], session)
            every = [*capped]
        questions = [
            question(
                session,
                rates=arguments.rate or (),
                slos=arguments.slo or (),
                chargings=arguments.machines or CHARGINGS,
                changes=one,
                solver=solver,
                space=space,
                time_limit_s=arguments.time_limit,
            )
            for one in every
        ]
    hint = next(filter(None, map(family_of(session).hint, questions[0].sessions.values())), "")
    if hint:
        say(f"{arguments.file}: {hint}")
    return questions


def _figure(answer: WhatIf) -> Figure:
    from euclio.session.questions.what_if_figure import draw

    return draw(answer)


def _covered(answers: list[WhatIf], file: str) -> list[WhatIf]:
    """The answers without the ways of charging that the solver does not cover; each of them is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
    from euclio.core.result import Status

    kept, reasons = [], []
    for way in answers[0].question.chargings:
        results = [p.result for answer in answers for p in answer.points.values() if p.charging is way]
        if all(result.status is Status.INAPPLICABLE for result in results):
            reasons.append(f"{way} is left out: {results[0].reason}")
        else:
            kept.append(way)
    if not kept:
        raise InputError("; ".join(reasons), file=file, field="--machines")
    for reason in reasons:
        say(f"{file}: --machines {reason}")
    return [answer.only(kept) for answer in answers]
