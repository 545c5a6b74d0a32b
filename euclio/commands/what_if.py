"""`euclio what-if`: the cheapest plan of a session at several rates and objectives."""

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
from euclio.core.values import exacts, names, seconds

if TYPE_CHECKING:
    from euclio.session.changes import SessionChanges
    from euclio.session.instance import Session
    from euclio.session.what_if import WhatIf

LIMIT_S = 10.0
"""Limit of each run where none is given: at rates far from what the profiles are for, a proof may take minutes."""
OWN = ("rate_rps", "slo_s")
"""Changes of which this verb takes several values."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The cheapest plan of a session at each of several rates and SLOs, charged by share and in whole machines: one "
        "table and one figure. Exit code 3: there is no plan at any of them."
    )
    parser.add_argument("file", metavar="FILE", help=f"session (JSON, {find_family(DEFAULT_FAMILY).schema})")
    parser.add_argument(
        "--rate",
        type=exacts,
        metavar="R,R",
        help="requests per second of all sources together; default: the file's",
    )
    parser.add_argument("--slo", type=exacts, metavar="S,S", help="SLOs in seconds; default: that of the file")
    parser.add_argument(
        "--machines",
        type=names,
        metavar="A,B",
        help="how machines are charged: share, whole, packed; default: share,whole",
    )
    parser.add_argument("--solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION; default: exact")
    add_changes(parser, without=OWN)
    add_plan_space(parser, without=("charging",))
    parser.add_argument(
        "--time-limit", type=seconds, default=LIMIT_S, metavar="S", help=f"limit of each run; default: {LIMIT_S:g}"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the table (CSV)")
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot it (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print it as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Solve all points, print, write, plot."""
    from euclio.core.family import family_of
    from euclio.core.references import file_of
    from euclio.core.solving import solver_for
    from euclio.core.tables import to_text
    from euclio.files import load_instance
    from euclio.files.boundary import at
    from euclio.files.json_writing import json_text, write_text
    from euclio.files.outputs import check_outputs
    from euclio.files.result_files import stated
    from euclio.session.what_if.grid import CHARGINGS, answered, question
    from euclio.session.what_if.table import csv_text, describe, what_if_table

    check_outputs({"--out": arguments.out, "--plot": arguments.plot}, [arguments.file, file_of(arguments.solver or "")])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    session = load_instance(arguments.file)
    family = family_of(session)
    with at("", arguments.file):
        if family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {family.instances}; `euclio what-if` asks about {own} only")
        changes = _other_changes(arguments, session)
        solver = solver_for(family, arguments.solver)
        asked = question(
            session,
            rates=arguments.rate or (),
            slos=arguments.slo or (),
            chargings=arguments.machines or CHARGINGS,
            changes=changes,
            solver=solver,
            space=plan_space(arguments, family, solver, session),
            time_limit_s=arguments.time_limit,
        )
    hint = next(filter(None, map(family.hint, asked.sessions.values())), "")
    if hint:
        say(f"{arguments.file}: {hint}")
    with noticed("solving all points; compiling takes a while at the first use after installation"):
        answer = answered(asked)
    answer = _covered(answer, arguments.file)
    print(json_text({**describe(answer), **stated(changes)}) if arguments.json else to_text(what_if_table(answer)))
    if arguments.out is not None:
        write_text(csv_text(answer), arguments.out)
    if arguments.plot is not None:
        from euclio.report.figure_files import save_figure
        from euclio.session.what_if.figure import draw

        save_figure(draw(answer), arguments.plot)
    return _exit_code(answer)


def _other_changes(arguments: argparse.Namespace, session: Session) -> SessionChanges | None:
    from euclio.core.family import family_of
    from euclio.session.changes import SessionChanges

    _, changes = changed(arguments, family_of(session), session)
    assert changes is None or isinstance(changes, SessionChanges)
    return changes


def _covered(answer: WhatIf, file: str) -> WhatIf:
    """The answer without the ways of charging that the solver does not cover; each of them is said with the reason.

    Raises:
        InputError: it covers none of them.
    """
    from euclio.core.result import Status

    kept, reasons = [], []
    for way in answer.question.chargings:
        results = [point.result for point in answer.points.values() if point.charging is way]
        if all(result.status is Status.INAPPLICABLE for result in results):
            reasons.append(f"{way} is left out: {results[0].reason}")
        else:
            kept.append(way)
    if not kept:
        raise InputError("; ".join(reasons), file=file, field="--machines")
    for reason in reasons:
        say(f"{file}: --machines {reason}")
    return answer.only(kept)


def _exit_code(answer: WhatIf) -> int:
    from euclio.core.result import Status

    results = [point.result for point in answer.points.values()]
    if any(result.value is not None for result in results):
        return SOLVED
    return INFEASIBLE if all(result.status is Status.INFEASIBLE for result in results) else NO_PLAN
