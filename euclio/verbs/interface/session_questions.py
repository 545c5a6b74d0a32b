"""Shared by verbs that make many plans of one session: its changes, the solver, the outputs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from euclio.core.errors import InputError
from euclio.core.families import DEFAULT_FAMILY, find_family
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.result import Status
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.solving import solver_for
from euclio.core.values import seconds
from euclio.files.boundary import at
from euclio.files.json_writing import write_text
from euclio.files.result_files import stated
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.changes import SessionChanges
from euclio.verbs.interface.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.interface.family_keywords import LIMIT_S, changed, changes_of, plan_space
from euclio.verbs.interface.inputs import GivenInstance, given_instance
from euclio.verbs.interface.outputs import check_written, draw_answer, print_answer
from euclio.verbs.interface.shared_parameters import JSON, PLOT, out_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.core.result import AnyResult

Several = Number | Iterable[Number]
"""A value or several, or several in a text divided by commas."""
SeveralOrNamed = Several | Mapping[str, Several]
"""The same, or such values by name of an application or objective."""

LIMIT = Parameter("--time-limit", help=f"limit of each run; default: {LIMIT_S:g}", parse=seconds, metavar="S")
OUTPUTS = (out_of("also write the table (CSV)"), PLOT, JSON)


class AskedSession(NamedTuple):
    """The question to such a verb.

    Attributes:
        session: the session, as its file has it.
        changes: its changes at all points; None means none.
        solver: the solver of all points.
        space: the plan space of all points.
    """

    session: Session
    changes: SessionChanges | None
    solver: AnySolver
    space: PlanSpace


def asked_about(
    given: GivenInstance, verb: str, solver: SolverLike | None, space: PlanSpace | None, keywords: Mapping[str, Any]
) -> AskedSession:
    """The question of a verb; raises an `InputError` if no session, or changes that do not fit it."""
    family = given.family
    with at("", given.file):
        if family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {family.instances}; `euclio {verb}` asks about {own} only")
        _, found = changed(family, given.instance, keywords)
        assert found is None or isinstance(found, SessionChanges)
        chosen = solver_for(family, solver)
        return AskedSession(given.instance, found, chosen, plan_space(family, chosen, given.instance, keywords, space))


def whole_unless_said(space: PlanSpace | None, keywords: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keywords of a verb that charges machines whole unless a plan space or a keyword says otherwise."""
    return keywords if space is not None or "charging" in keywords else {"machines": "whole", **keywords}


class AnswerForms(NamedTuple):
    """An answer in its forms.

    Attributes:
        plain: plain data.
        table: makes its table.
        csv_text: makes its CSV.
        draw: makes its figure.
    """

    plain: dict[str, Any]
    table: Callable[[], Any]
    csv_text: Callable[[], str]
    draw: Callable[[], Figure]


def opened_session(arguments: Namespace) -> GivenInstance:
    """The instance of the file that is named, which errors name.

    Raises:
        InputError: a file that cannot be read or written.
    """
    check_written(arguments, ["out"], [arguments.file], figures=["plot"], solvers=[arguments.keywords.get("solver")])
    return given_instance(arguments.file)


def give_out(arguments: Namespace, asked: GivenInstance, given: AnswerForms) -> None:
    """Print the answer, and write and plot it where that is asked for.

    Args:
        arguments: the arguments.
        asked: the session that was asked about.
        given: the answer.
    """
    # The verb has applied them, perhaps with values of its own that they need, such as capacities of a resource.
    changes = changes_of(asked.family, asked.instance, arguments.shared)
    print_answer(arguments, lambda: {**given.plain, **stated(changes)}, given.table)
    if arguments.out is not None:
        write_text(given.csv_text(), arguments.out)
    draw_answer({arguments.plot: given.draw})


def exit_code(results: Sequence[AnyResult]) -> int:
    """The exit code of many points: whether one has a plan, and otherwise whether it is proven that none has."""
    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
