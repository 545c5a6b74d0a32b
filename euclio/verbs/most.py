"""`euclio most`: the most requests of a session within a budget, proven."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.numbers import Number
from euclio.core.parameters import NEEDED, Parameter
from euclio.core.solver import SolverLike
from euclio.core.values import exact_positive
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace
from euclio.questions.most import answered, describe_most, most_table, question
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import NO_PLAN, SOLVED
from euclio.verbs.interface.family_keywords import LIMIT_S
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.outputs import print_answer
from euclio.verbs.interface.session_questions import LIMIT, asked_about, whole_unless_said
from euclio.verbs.interface.shared_parameters import JSON, SESSION, SOLVER, STRICT, attainment, changes, plan_space
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    from euclio.questions.most import Most


@verb(
    Parameter("--budget", parse=exact_positive, metavar="MONEY", details=NEEDED),
    Parameter("--of", parse=str, metavar="NAME"),
    SOLVER,
    changes(),
    STRICT,
    plan_space(),
    attainment(),
    LIMIT,
    typed=words.MostKeywords,
)
def most(
    session: Any,
    *,
    budget: Number,
    of: str | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.MostKeywords],
) -> Most:
    """The most requests of a session within a budget, as `euclio most` has it.

    Args:
        session: a session, or the path of its file.
        budget: money per hour that a plan may cost.
        of: name of an application, whose rate alone varies; None means all rates.
        solver: an exact solver; None means the exact one.
        space: plan space; None means the solver's own, with whole machines unless `machines` is given.
        time_limit: limit of each run in seconds; None means no limit.
        **keywords: changes of the session, fields of the plan space and attainments, as of `euclio.solve`.

    Returns:
        The largest factor of the rates with a plan within the budget, that plan, and what is proven of higher ones.

    Raises:
        InputError: a bad value, named with its keyword.
    """
    given = given_instance(session)
    keywords = with_percentile(keywords)  # type: ignore[assignment]
    asked = asked_about(given, "most", solver, space, whole_unless_said(space, keywords))
    with at("", given.file):
        questions = question(
            asked.session,
            as_read(budget),
            of=of or "",
            changes=asked.changes,
            solver=asked.solver,
            space=asked.space,
            time_limit_s=as_read(time_limit),
            demand=attainment_demand(given.family, keywords, asked.session),
        )
    return answered(questions)


@command(
    most,
    SESSION,
    JSON,
    about="The most requests of a session within a budget, proven: the inverse of solve. All rates are multiplied by "
    "one factor, or those of one application. Machines are charged whole unless --machines is given.",
    first=("--budget", "--of", "--slo", "--stock", "--machines"),
    page="howto/most.md",
    exits="0 some rate is within the budget, 4 none was found",
    examples=("euclio most session.json --budget 4.11",),
)
def print_most(arguments: Namespace) -> int:
    """Ask, print."""
    found = most(arguments.file, **arguments.keywords)
    print_answer(arguments, lambda: describe_most(found), lambda: most_table(found))
    return NO_PLAN if found.best is None else SOLVED
