"""`euclio what-if`: the cheapest plan of a session at several rates and objectives, as table or page with sliders."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.progress import say
from euclio.core.values import capacities, count_or_none, exact_not_negative, exacts, named_points, names
from euclio.core.words import counted, duration
from euclio.files.boundary import at
from euclio.files.json_writing import json_text, write_text
from euclio.problems.session.changes import SessionChanges
from euclio.questions.sweep.solving import sweep
from euclio.questions.what_if import CHARGINGS
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
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
from euclio.verbs.keywords import LIMIT_S, applied

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.problems.session.instance import Session
    from euclio.questions.sweep.solving import Swept
    from euclio.questions.what_if import WhatIf


OWN = ("rate_rps", "slo_s", "resources", "price_per_h", "stock")
"""Changes of which this verb takes several values."""


def what_if_options(parser: argparse.ArgumentParser) -> None:
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


def run_what_if(arguments: argparse.Namespace) -> int:
    """Solve all points, print, write, plot; or write the page."""
    from rich.console import Group
    from rich.text import Text

    from euclio.questions.tables import describe_what_if, what_if_csv, what_if_table
    from euclio.verbs.what_if import what_if

    settle(arguments)
    if arguments.html is not None:
        return write_page(arguments)
    given: Any = opened_session(arguments)
    if arguments.plot is not None and arguments.resource is not None and len(arguments.resource[1]) > 1:
        raise InputError("draws one capacity of a resource; give one", field="--plot")
    own: Any = own_keywords(arguments, "rate", "slo", "resource", "machines", "solver", "time_limit")
    found: Any = what_if(given, **own, **attainment_keywords(arguments), **family_keywords(arguments))
    answers: list[WhatIf] = found if isinstance(found, list) else [found]
    forms = AnswerForms(
        describe_what_if(*answers),
        lambda: Group(*[part for answer in answers for part in (Text(""), what_if_table(answer))][1:]),
        lambda: what_if_csv(*answers),
        lambda: _figure(answers[0]),
    )
    give_out(arguments, given, forms)
    return exit_code([point.result for answer in answers for point in answer.points.values()])


def _figure(answer: WhatIf) -> Figure:
    from euclio.questions.figures import draw_what_if

    return draw_what_if(answer)


PAGE_LIMIT_S = 1.0
"""Limit of each run of a page where none is given: it takes hundreds of them."""
POINTS = {"prices": ("price_per_h", "--price"), "stock": ("stock", "--stock")}
"""Arguments that may have several points by name: the field of the changes, and the option."""


def add_page(parser: argparse.ArgumentParser) -> None:
    """Add the page, and the options of which only a page takes several points."""
    parser.add_argument(
        "--price",
        type=named_points(exact_not_negative),
        dest="prices",
        metavar="NAME=P,P",
        help="money per hour of some hardware, such as A100=1.1,T4=0.3; with --html several of each",
    )
    parser.add_argument(
        "--stock",
        type=named_points(_machines),
        metavar="NAME=N,N",
        help="most machines that a plan may use of some hardware, such as A100=4,T4=20; with --html several of each, "
        "any for no limit",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="OUT",
        help="write one offline page with sliders over rate, SLO, price and stock instead; what is not given has "
        f"points around the file's values, and each plan {duration(PAGE_LIMIT_S)}",
    )
    parser.set_defaults(time_limit=None)


def settle(arguments: argparse.Namespace) -> None:
    """Make what has one point a change at all points, and say the limit of a run.

    Raises:
        InputError: several points without a page.
    """
    for place, (field, flag) in POINTS.items():
        given: dict[str, tuple[Any, ...]] = getattr(arguments, place) or {}
        several = {name: values for name, values in given.items() if len(values) > 1 or None in values}
        if several and arguments.html is None:
            name, values = next(iter(several.items()))
            raise InputError(
                f"gives {counted(len(values), 'point')} of {name}; give one number, or --html OUT", field=flag
            )
        setattr(arguments, place, several)
        fixed = {name: values[0] for name, values in given.items() if name not in several}
        setattr(arguments, f"session.change.{field}", fixed or None)
    if arguments.time_limit is None:
        arguments.time_limit = LIMIT_S if arguments.html is None else PAGE_LIMIT_S


def write_page(arguments: argparse.Namespace) -> int:
    """Solve all points of the page and write it; says what came out."""
    from euclio.files.json_writing import check_outputs
    from euclio.questions.sweep.description import describe
    from euclio.report.what_if.page import page
    from euclio.verbs.what_if import asked_about

    for flag in ("attainment", *PERCENTILES, *MODULE_PERCENTILES):
        if getattr(arguments, flag) is not None:
            raise InputError(
                "is not asked of a page's plans; leave --html or this out", field=f"--{flag.replace('_', '-')}"
            )
    for flag in ("out", "plot"):
        if getattr(arguments, flag) is not None:
            raise InputError("is of the table; ask for the page without it", field=f"--{flag}")
    check_outputs({"--html": arguments.html}, [arguments.file])
    given = opened_session(arguments)
    session, changes, solver, space = asked_about(given, "what-if", arguments.solver, None, family_keywords(arguments))
    resources = {} if arguments.resource is None else dict([arguments.resource])
    with at("", arguments.file):
        check_points(session, {"price_per_h": arguments.prices, "stock": arguments.stock, "resources": resources})
        found = sweep(
            session,
            rates=arguments.rate or (),
            slos=arguments.slo or (),
            prices=arguments.prices,
            stock=arguments.stock,
            resources=resources,
            chargings=arguments.machines or CHARGINGS,
            changes=changes,
            solver=solver,
            space=space,
            time_limit_s=arguments.time_limit,
        )
        found = _covered(found, arguments.file)
    write_text(page(found), arguments.html)
    print(json_text(describe(found)) if arguments.json else _said(found, arguments.html))
    return exit_code([point.result for point in found.points.values()])


def check_points(session: Session, points: dict[str, dict[str, tuple[Any, ...]]]) -> None:
    """Refuse names that a session does not have, with the option instead of the field.

    Raises:
        InputError: for the first of them.
    """
    for field, given in points.items():
        for name, values in given.items():
            one: dict[str, Any] = {field: {name: next(value for value in (*values, 0) if value is not None)}}
            applied(family_of(session), SessionChanges(**one), session)


def _covered(found: Swept, file: str) -> Swept:
    """The plans without the ways of charging that the solver does not cover, each of which is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
    reasons = found.uncovered
    if len(reasons) == len(found.question.chargings):
        raise InputError("; ".join(reasons.values()), field="--machines")
    for way, reason in reasons.items():
        say(f"{file}: --machines {way} is left out: {reason}")
    return found.only(way for way in found.question.chargings if way not in reasons)


def _said(found: Swept, path: Path) -> str:
    """What the page has, in one line."""
    axes = ", ".join(f"{one.label} {one.text(0)} to {one.text(len(one.values) - 1)}" for one in found.question.axes)
    return f"{path}: {counted(found.question.plans, 'plan')} over {axes or 'one point'}"


def _machines(text: str) -> int | None:
    """A number of machines, or None for "any"."""
    return None if text == "any" else count_or_none(text)
