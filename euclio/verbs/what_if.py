"""`euclio what-if`: the cheapest plan of a session at several rates and objectives."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.core.solver import SolverLike
from euclio.core.values import (
    capacities,
    count_or_none,
    exact_not_negative,
    exacts,
    exacts_or_named,
    file_path,
    named_points,
    names,
)
from euclio.core.words import counted, duration
from euclio.files.boundary import at
from euclio.files.json_writing import write_text
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.changes import SessionChanges
from euclio.questions.sweep.description import describe
from euclio.questions.sweep.grid import CHARGINGS
from euclio.questions.sweep.question import sweep
from euclio.questions.tables import describe_what_if, what_if_csv, what_if_table
from euclio.questions.what_if import answered, question
from euclio.serving.setup import MODULE_PERCENTILES, PERCENTILES
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.family_keywords import LIMIT_S, applied
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.outputs import check_written, print_answer
from euclio.verbs.interface.session_questions import (
    LIMIT,
    OUTPUTS,
    AnswerForms,
    Several,
    SeveralOrNamed,
    asked_about,
    exit_code,
    give_out,
    opened_session,
)
from euclio.verbs.interface.shared_parameters import SESSION, SOLVER, STRICT, attainment, changes, plan_space
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    from euclio.questions.sweep.grid import Swept
    from euclio.questions.what_if import WhatIf

OWN = ("rate_rps", "slo_s", "resources", "price_per_h", "stock")
"""Changes of which this verb takes several values."""


@overload
def what_if(
    session: Session | str | Path,
    *,
    rate: SeveralOrNamed | None = None,
    slo: SeveralOrNamed | None = None,
    resource: None = None,
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.WhatIfKeywords],
) -> WhatIf: ...
@overload
def what_if(
    session: Session | str | Path,
    *,
    rate: SeveralOrNamed | None = None,
    slo: SeveralOrNamed | None = None,
    resource: str | Mapping[str, Several],
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.WhatIfKeywords],
) -> list[WhatIf]: ...
@verb(
    Parameter("--rate", parse=exacts_or_named, metavar="R,R|NAME=R,R"),
    Parameter("--slo", parse=exacts_or_named, metavar="S,S|NAME=S,S"),
    Parameter("--resource", parse=capacities, metavar="NAME=C,C"),
    Parameter("--machines", parse=names, metavar="A,B"),
    SOLVER,
    changes(without=OWN),
    STRICT,
    plan_space(without=("charging",)),
    attainment(several=True),
    LIMIT,
    typed=words.WhatIfKeywords,
)
def what_if(
    session: Any,
    *,
    rate: SeveralOrNamed | None = None,
    slo: SeveralOrNamed | None = None,
    resource: Any = None,
    machines: str | Iterable[str] | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Any,
) -> WhatIf | list[WhatIf]:
    """The cheapest plan of a session at each of several rates and objectives, as of `euclio what-if`.

    Args:
        session: a session, or the path of its file.
        rate: requests per second of all sources together, one or several; None means as in the session. By name of
            applications, of which one may have several, that of their own requests.
        slo: latency objectives in seconds, one or several; None means as in the session. Of several objectives by name,
            such as "answer=0.5,1", of which one may have several.
        resource: capacities of a resource of machines, such as power=1600,2400, with an answer for each; None means as
            in the session. In Python also ``{"power": [1600, 2400]}``.
        machines: how machines are charged, "share", "whole" or "packed", one or several; None means "share" and
            "whole".
        solver: solver of all points; None means the exact one.
        space: plan space; None means the solver's own.
        time_limit: limit of each run in seconds; None means no limit.
        **keywords: other changes of the session and fields of the plan space at all points, as of `euclio.solve`.

    Returns:
        The answer; with `resource`, a list of answers, one for each capacity. Ways of charging that the solver does not
        cover are left out and reported.

    Raises:
        InputError: a bad value, named with its keyword, or one that does not go with the session.
    """
    given = given_instance(session)
    keywords = with_percentile(keywords, slo)
    slo = exacts(keywords.pop("slo")) if slo is None and "slo" in keywords else slo
    if resource is not None:
        keywords["resource"] = _first(resource)
    asked = asked_about(given, "what-if", solver, space, keywords)
    every = [asked.changes]
    if resource is not None:
        name, amounts = resource
        every = [replace(asked.changes or SessionChanges(), resources={name: amount}) for amount in amounts]
    with at("", given.file):
        questions = [
            question(
                asked.session,
                rates=as_read(rate) or (),
                slos=as_read(slo) or (),
                chargings=machines or CHARGINGS,
                changes=one,
                solver=asked.solver,
                space=asked.space,
                time_limit_s=as_read(time_limit),
            )
            for one in every
        ]
        demand = attainment_demand(given.family, keywords, asked.session)
    questions = [replace(one, demand=demand) for one in questions]
    if given.file is not None:
        sessions = map(questions[0].session_at, questions[0].places)
        hint = next(filter(None, map(given.family.hint, sessions)), "")
        if hint:
            say(f"{given.file}: {hint}")
    answers = _covered([answered(points) for points in questions], given.file)
    return answers[0] if resource is None else answers


def _first(resource: tuple[str, tuple[Fraction, ...]]) -> dict[str, Fraction]:
    """The first capacity, by name; without a capacity, `takes` of the resource is refused."""
    name, amounts = resource
    return {name: amounts[0]}


def _covered(answers: list[WhatIf], file: str | None) -> list[WhatIf]:
    """The answers without the ways of charging that the solver does not cover; each of them is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
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
        say(f"machines {reason}" if file is None else f"{file}: --machines {reason}")
    return [answer.only(kept) for answer in answers]


# The command, and the page with sliders that it alone writes.

PAGE_LIMIT_S = 1.0
"""Limit of each run of a page where none is given: it takes hundreds of them."""
POINTS = {"price": "price_per_h", "stock": "stock"}
"""Options that may have several points by name, with the field of the changes."""


def _machines(text: str) -> int | None:
    """A number of machines, or None for "any"."""
    return None if text == "any" else count_or_none(text)


@command(
    what_if,
    SESSION,
    *OUTPUTS,
    Parameter(
        "--price",
        help="money per hour of some hardware, such as A100=1.1,T4=0.3; with --html several of each",
        parse=named_points(exact_not_negative),
        metavar="NAME=P,P",
    ),
    Parameter(
        "--stock",
        help="most machines that a plan may use of some hardware, such as A100=4,T4=20; with --html several of each, "
        "any for no limit",
        parse=named_points(_machines),
        metavar="NAME=N,N",
    ),
    Parameter(
        "--html",
        help="write one offline page with sliders over rate, SLO, price and stock instead; what is not given has "
        f"points around the file's values, and each plan {duration(PAGE_LIMIT_S)}",
        parse=file_path,
        metavar="OUT",
    ),
    about="The cheapest plan of a session at each of several rates and SLOs, charged by share and in whole machines: "
    "one table and one figure.",
    first=("--slo", "--rate", "--machines", "--stock", "--out"),
    page="howto/what-if.md",
    exits="0 some point has a plan, 3 infeasible, 4 no plan",
    examples=("euclio what-if session.json --rate 10,20 --slo 0.8,1 --plot costs.svg",),
)
def print_what_if(arguments: Namespace) -> int:
    """Solve all points, print, write, plot; or write the page."""
    from rich.console import Group
    from rich.text import Text

    points = _several_points(arguments)
    if arguments.html is not None:
        return _write_page(arguments, points)
    given = opened_session(arguments)
    if arguments.plot is not None and len(arguments.keywords.get("resource", (None, ()))[1]) > 1:
        raise InputError("draws one capacity of a resource; give one", field="--plot")
    found: Any = what_if(given, **arguments.keywords)  # type: ignore[call-overload]
    answers: list[WhatIf] = found if isinstance(found, list) else [found]
    forms = AnswerForms(
        describe_what_if(*answers),
        lambda: Group(*[part for answer in answers for part in (Text(""), what_if_table(answer))][1:]),
        lambda: what_if_csv(*answers),
        partial(late("euclio.questions.figures", "draw_what_if"), answers[0]),
    )
    give_out(arguments, given, forms)
    return exit_code([point.result for answer in answers for point in answer.points.values()])


def _several_points(arguments: Namespace) -> dict[str, dict[str, tuple[Any, ...]]]:
    """The prices and stocks that have several points; what has one is a change at all points.

    Raises:
        InputError: several points without a page.
    """
    found = {}
    for name in POINTS:
        given: dict[str, tuple[Any, ...]] = getattr(arguments, name) or {}
        found[name] = {one: values for one, values in given.items() if len(values) > 1 or None in values}
        if found[name] and arguments.html is None:
            one, values = next(iter(found[name].items()))
            raise InputError(
                f"gives {counted(len(values), 'point')} of {one}; give one number, or --html OUT", field=f"--{name}"
            )
        fixed = {one: values[0] for one, values in given.items() if one not in found[name]}
        if fixed:
            arguments.keywords[name] = arguments.shared[name] = fixed
    return found


def _write_page(arguments: Namespace, points: dict[str, dict[str, tuple[Any, ...]]]) -> int:
    """Solve all points of the page and write it; says what came out."""
    from euclio.report.what_if.page import page

    keywords = dict(arguments.keywords)
    for name in ("attainment", *PERCENTILES, *MODULE_PERCENTILES):
        if name in keywords:
            raise InputError(
                "is not asked of a page's plans; leave --html or this out", field=f"--{name.replace('_', '-')}"
            )
    for name in ("out", "plot"):
        if getattr(arguments, name) is not None:
            raise InputError("is of the table; ask for the page without it", field=f"--{name}")
    check_written(arguments, ["html"], [arguments.file])
    given = given_instance(arguments.file)
    rates, slos, ways = (keywords.pop(name, ()) for name in ("rate", "slo", "machines"))
    resource = keywords.pop("resource", None)
    if resource is not None and "takes" in keywords:
        keywords["resource"] = _first(resource)
    limit_s = keywords.pop("time_limit", PAGE_LIMIT_S)
    asked = asked_about(given, "what-if", keywords.pop("solver", None), None, keywords)
    with at("", arguments.file):
        here = asked.session if asked.changes is None else asked.changes.applied_to(asked.session)
        resources = {} if resource is None else dict([resource])
        check_points(here, {"price_per_h": points["price"], "stock": points["stock"], "resources": resources})
        found = sweep(
            asked.session,
            rates=rates,
            slos=slos,
            prices=points["price"],
            stock=points["stock"],
            resources=resources,
            chargings=ways or CHARGINGS,
            # A capacity is an axis here, and no change at all points.
            changes=asked.changes and replace(asked.changes, resources=None),
            solver=asked.solver,
            space=asked.space,
            time_limit_s=limit_s,
        )
        found = _covered_points(found, arguments.file)
    write_text(page(found), arguments.html)
    print_answer(arguments, lambda: describe(found), lambda: _said(found, arguments.html))
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


def _covered_points(found: Swept, file: str) -> Swept:
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
    """The content of the page, in one line."""
    axes = ", ".join(f"{one.label} {one.text(0)} to {one.text(len(one.values) - 1)}" for one in found.question.axes)
    return f"{path}: {counted(found.question.plans, 'plan')} over {axes or 'one point'}"
