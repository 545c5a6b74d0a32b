"""`euclio changes`: what the cheapest plan costs by how many machines may change."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.change_options import add_changes, changed
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.commands.plan_space import add_plan_space, plan_space
from euclio.core.errors import InputError
from euclio.core.family import DEFAULT_FAMILY, find_family
from euclio.core.progress import noticed, say
from euclio.core.values import count_or_none, seconds

if TYPE_CHECKING:
    from euclio.session.change_costs import Curve
    from euclio.session.changes import SessionChanges
    from euclio.session.instance import Session

LIMIT_S = 10.0
"""Limit of each run where none is given."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The least cost of a session by the most machines that may be added to the plan of --from and removed from it: "
        "a row for each number of changes at which it falls, until the cheapest plan without a limit is reached. "
        "Machines are charged whole unless --machines says otherwise. Exit code 3: there is no plan at all."
    )
    parser.add_argument("file", metavar="FILE", help=f"session (JSON, {find_family(DEFAULT_FAMILY).schema})")
    parser.add_argument(
        "--most",
        type=count_or_none,
        metavar="N",
        help="most changes that are asked for; default: those of the cheapest plan without a limit",
    )
    parser.add_argument("--solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION; default: exact")
    add_changes(parser, without=("most_changes",))
    add_plan_space(parser)
    parser.set_defaults(**{f"{DEFAULT_FAMILY}.charging": "whole"})
    parser.add_argument(
        "--time-limit", type=seconds, default=LIMIT_S, metavar="S", help=f"limit of each run; default: {LIMIT_S:g}"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the table (CSV)")
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot it (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print it as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Solve, print, write, plot."""
    from euclio.core.family import family_of
    from euclio.core.references import file_of
    from euclio.core.solving import solver_for
    from euclio.core.tables import to_text
    from euclio.files import load_instance
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text, write_text
    from euclio.files.outputs import check_outputs
    from euclio.files.result_files import stated
    from euclio.session.change_costs.curve import answered, question
    from euclio.session.change_costs.table import change_table, csv_text, describe

    check_outputs({"--out": arguments.out, "--plot": arguments.plot}, [arguments.file, file_of(arguments.solver or "")])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    session = load_instance(arguments.file)
    family = family_of(session)
    with at("", arguments.file):
        if family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {family.instances}; `euclio changes` asks about {own} only")
        changes = _changes(arguments, session)
        solver = solver_for(family, arguments.solver)
        asked = question(
            session,
            changes=changes,
            most=arguments.most,
            solver=solver,
            space=plan_space(arguments, family, solver, session),
            time_limit_s=arguments.time_limit,
        )
    with noticed("solving all numbers of changes; compiling takes a while at the first use after installation"):
        curve = answered(asked)
    print(json_text({**describe(curve), **stated(changes)}) if arguments.json else to_text(change_table(curve)))
    if arguments.out is not None:
        write_text(csv_text(curve), arguments.out)
    if arguments.plot is not None:
        from euclio.report.figure_files import save_figure
        from euclio.session.change_costs.figure import draw

        save_figure(draw(curve), arguments.plot)
    return _exit_code(curve, arguments.file)


def _changes(arguments: argparse.Namespace, session: Session) -> SessionChanges | None:
    from euclio.core.family import family_of
    from euclio.session.changes import SessionChanges

    _, changes = changed(arguments, family_of(session), session)
    assert changes is None or isinstance(changes, SessionChanges)
    return changes


def _exit_code(curve: Curve, file: str) -> int:
    from euclio.core.result import Status

    if curve.steps:
        return SOLVED
    last = curve.tried[-1] if curve.tried else curve.free
    say(f"{file}: {last.result.status.value}: {last.result.reason}")
    return INFEASIBLE if last.result.status is Status.INFEASIBLE else NO_PLAN
