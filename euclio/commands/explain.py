"""`euclio explain`: the smallest conflict that makes a session infeasible, and what would resolve it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.commands.arguments import seconds
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.commands.plan_space import add_plan_space, plan_space
from euclio.commands.progress import noticed

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs
    from euclio.session import PlanSpace, Session

LIMIT_S = 1.0
"""Limit of each single search where the explanation comes along with another verb's result."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "explain",
        help="why a session is infeasible, and what would help",
        description="Name the smallest set of modules and restrictions that no plan can reconcile with the SLO, and "
        "the least SLO that has a plan. Exit code 3: infeasible, 0: feasible.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="INSTANCE", help="session instance (JSON, euclio/session/1)")
    parser.add_argument("--solver", default="exact", metavar="NAME", help="start from this solver's plan space")
    add_plan_space(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each single search in seconds")
    parser.add_argument("--json", action="store_true", help="print the explanation as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Explain and print."""
    from euclio.explaining import explain
    from euclio.explanation_text import describe, page
    from euclio.files import load_session
    from euclio.files.json_writing import json_text
    from euclio.registry import find_solver
    from euclio.result import Status

    session = load_session(arguments.file)
    space = plan_space(arguments, find_solver(arguments.solver), session)
    with noticed("looking for least latencies; compiling takes a while at the first use after installation"):
        found = explain(session, space, arguments.time_limit)
    print(json_text(describe(found)) if arguments.json else page(found))
    return {Status.FEASIBLE: SOLVED, Status.INFEASIBLE: INFEASIBLE}.get(found.status, NO_PLAN)


def why_infeasible(session: Session, space: PlanSpace, solver: str) -> str:
    """One line for the verbs whose solver found no plan in a plan space."""
    from euclio.explaining import explain
    from euclio.explanation_text import one_line

    return one_line(explain(session, space, LIMIT_S), solver)
