"""`euclio changes`: the least cost by the number of machines that may change."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.core.solver import SolverLike
from euclio.core.values import count_or_none
from euclio.files.boundary import at
from euclio.problems.session import PlanSpace
from euclio.questions.change_costs import answered, question
from euclio.questions.tables import change_costs_csv, change_table, describe_change_costs
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.attainment import attainment_demand, with_percentile
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.interface.family_keywords import LIMIT_S
from euclio.verbs.interface.inputs import given_instance
from euclio.verbs.interface.session_questions import (
    LIMIT,
    OUTPUTS,
    AnswerForms,
    asked_about,
    give_out,
    opened_session,
    whole_unless_said,
)
from euclio.verbs.interface.shared_parameters import SESSION, SOLVER, STRICT, attainment, plan_space
from euclio.verbs.interface.shared_parameters import changes as instance_changes
from euclio.verbs.interface.verb import as_read, verb

if TYPE_CHECKING:
    from euclio.questions.change_costs import Curve


@verb(
    Parameter("--most", parse=count_or_none, metavar="N"),
    SOLVER,
    instance_changes(without=("most_changes",)),
    STRICT,
    plan_space(),
    attainment(),
    LIMIT,
    typed=words.ChangesKeywords,
)
def changes(
    session: Any,
    *,
    most: Number | None = None,
    solver: SolverLike | None = None,
    space: PlanSpace | None = None,
    time_limit: Number | None = LIMIT_S,
    **keywords: Unpack[words.ChangesKeywords],
) -> Curve:
    """The least cost of a session by the number of machines that may change, as of `euclio changes`.

    Args:
        session: a session, or the path of its file.
        most: most changes; None means those of the cheapest plan without a limit.
        solver: solver of all steps; None means the exact one.
        space: plan space; None means the solver's own, with whole machines unless `machines` is given.
        time_limit: limit of each run in seconds; None means no limit.
        **keywords: `from_`, the result whose plan runs; other changes of the session and fields of the plan space, as
            of `euclio.solve`.

    Returns:
        A step for each number of changes at which the cost falls.

    Raises:
        InputError: nothing runs, or a bad value, named with its keyword.
    """
    given = given_instance(session)
    keywords = with_percentile(keywords)  # type: ignore[assignment]
    asked = asked_about(given, "changes", solver, space, whole_unless_said(space, keywords))
    with at("", given.file):
        questions = question(
            asked.session,
            changes=asked.changes,
            most=as_read(most),
            solver=asked.solver,
            space=asked.space,
            time_limit_s=as_read(time_limit),
            demand=attainment_demand(given.family, keywords, asked.session),
        )
    return answered(questions)


@command(
    changes,
    SESSION,
    *OUTPUTS,
    about="The least cost of a session by the number of machines that may be added to or removed from the plan of "
    "--from. A row for each number of changes at which the cost falls, up to the cheapest plan without a limit. "
    "Machines are charged whole unless --machines is given.",
    first=("--from", "--most", "--slo", "--rate", "--out"),
    page="howto/staying-close.md",
    exits="0 some number of changes has a plan, 3 infeasible, 4 no plan",
    examples=("euclio changes session.json --from result.json --rate 12",),
)
def print_changes(arguments: Namespace) -> int:
    """Solve, print, write, plot."""
    given = opened_session(arguments)
    found = changes(given, **arguments.keywords)
    forms = AnswerForms(
        describe_change_costs(found),
        lambda: change_table(found),
        lambda: change_costs_csv(found),
        partial(late("euclio.questions.figures", "draw_change_costs"), found),
    )
    give_out(arguments, given, forms)
    return _exit_code(found, arguments.file)


def _exit_code(curve: Curve, file: str) -> int:
    if curve.steps:
        return SOLVED
    last = curve.tried[-1] if curve.tried else curve.free
    say(f"{file}: {last.result.status.value}: {last.result.reason}")
    return INFEASIBLE if last.result.status is Status.INFEASIBLE else NO_PLAN
