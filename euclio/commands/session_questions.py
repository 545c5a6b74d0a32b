"""What verbs share that ask for many plans of one session: its file, its changes, the solver, what is written."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from euclio.commands.change_options import changed
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.commands.plan_space import plan_space
from euclio.core.errors import InputError
from euclio.core.families import DEFAULT_FAMILY, find_family
from euclio.core.values import seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from euclio.core.result import AnyResult
    from euclio.core.solver import AnySolver
    from euclio.session.instance import Session
    from euclio.session.questions.changes import SessionChanges
    from euclio.session.space import PlanSpace

LIMIT_S = 10.0
"""Limit of each run where none is given: at rates far from what the profiles are for, a proof may take minutes."""


class Asked(NamedTuple):
    """What the options of such a verb ask about.

    Attributes:
        session: the session, as its file has it.
        changes: what is changed of it at all points; None: nothing.
        solver: the solver of all points.
        space: the plan space of all points.
    """

    session: Session
    changes: SessionChanges | None
    solver: AnySolver
    space: PlanSpace


class Given(NamedTuple):
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


def add_session(parser: argparse.ArgumentParser) -> None:
    """Add the file of the session."""
    parser.add_argument("file", metavar="FILE", help=f"session (JSON, {find_family(DEFAULT_FAMILY).schema})")


def add_solver(parser: argparse.ArgumentParser) -> None:
    """Add the solver of all points."""
    parser.add_argument("--solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION; default: exact")


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the limit of a run, and where the answer goes."""
    parser.add_argument(
        "--time-limit", type=seconds, default=LIMIT_S, metavar="S", help=f"limit of each run; default: {LIMIT_S:g}"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the table (CSV)")
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot it (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print it as JSON instead of a table")


def asked(arguments: argparse.Namespace, verb: str) -> Asked:
    """What the options ask about.

    Raises:
        InputError: a file that cannot be read or written, no session, changes that do not fit it.
    """
    from euclio.core.families import family_of
    from euclio.core.references import file_of
    from euclio.core.solving import solver_for
    from euclio.files import load_instance
    from euclio.files.boundary import at
    from euclio.files.outputs import check_outputs
    from euclio.session.questions.changes import SessionChanges

    check_outputs({"--out": arguments.out, "--plot": arguments.plot}, [arguments.file, file_of(arguments.solver or "")])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    session = load_instance(arguments.file)
    family = family_of(session)
    with at("", arguments.file):
        if family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {family.instances}; `euclio {verb}` asks about {own} only")
        _, changes = changed(arguments, family, session)
        assert changes is None or isinstance(changes, SessionChanges)
        solver = solver_for(family, arguments.solver)
        return Asked(session, changes, solver, plan_space(arguments, family, solver, session))


def give_out(arguments: argparse.Namespace, changes: SessionChanges | None, given: Given) -> None:
    """Print the answer, and write and plot it where that is asked for.

    Args:
        arguments: the options.
        changes: what is changed of the session.
        given: the answer.
    """
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text, write_text
    from euclio.files.result_files import stated

    print(json_text({**given.plain, **stated(changes)}) if arguments.json else to_text(given.table()))
    if arguments.out is not None:
        write_text(given.csv_text(), arguments.out)
    if arguments.plot is not None:
        from euclio.report.figure_files import save_figure

        save_figure(given.draw(), arguments.plot)


def exit_code(results: Sequence[AnyResult]) -> int:
    """The exit code of many points: whether one has a plan, and otherwise whether it is proven that none has."""
    from euclio.core.result import Status

    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
