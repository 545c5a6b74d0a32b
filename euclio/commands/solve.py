"""`euclio solve`: run one solver on one instance and print the checked plan."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.arguments import count, seconds, seed
from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.commands.explain import why_infeasible
from euclio.commands.plan_space import add_plan_space, plan_space
from euclio.commands.progress import noticed

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs
    from euclio.registry import Solver
    from euclio.result import Result
    from euclio.session import Session


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "solve",
        help="run a solver on an instance, print the checked plan",
        description="Run a solver on a session and print the checked plan. Options not given are the solver's own.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="session instance (JSON, euclio/session/1)")
    parser.add_argument("--solver", default="exact", metavar="NAME", help="see `euclio solvers`; default: exact")
    add_plan_space(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="time limit in seconds")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of random choices; default: 0")
    _add_engine_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the result (JSON, euclio/result/1)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON instead of a table")
    parser.set_defaults(run=run)


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Options of the solver library; a solver that does not take one says so."""
    group = parser.add_argument_group("solver libraries", "for solvers that run on PuLP or OR-Tools")
    group.add_argument("--engine", metavar="NAME", help="highs or cbc")
    group.add_argument("--threads", type=count, metavar="N", help="threads of the engine; default: 1")
    group.add_argument("--warm-start", metavar="NAME", help="solver whose plan to start from, or none")
    group.add_argument("--log", type=Path, metavar="FILE", help="write the engine's own log")
    group.add_argument("--export-lp", type=Path, metavar="FILE", help="write the model in LP format")


def run(arguments: argparse.Namespace) -> int:
    """Solve, print, write."""
    from euclio.files import load_session, result_to_text
    from euclio.files.json_writing import check_writable, write_text
    from euclio.registry import find_solver
    from euclio.solving import solve
    from euclio.warm_up import warm_up

    session = load_session(arguments.file)
    solver = find_solver(arguments.solver)
    space = plan_space(arguments, solver, session)
    for path in (arguments.out, arguments.log, arguments.export_lp):
        if path is not None:
            check_writable(path)
    with noticed(f"preparing {solver.name}; compiling takes a while at the first use after installation"):
        warm_up(solver, space)
    result = solve(
        session,
        solver,
        space=space,
        time_limit_s=arguments.time_limit,
        seed=arguments.seed,
        engine=arguments.engine,
        threads=arguments.threads,
        warm_start=arguments.warm_start,
        log_file=arguments.log,
        export_lp=arguments.export_lp,
    )
    result = _explained(session, result, solver)
    text = result_to_text(result, session)
    if arguments.out is not None:
        write_text(text, arguments.out)
    if arguments.json:
        print(text, end="")
    else:
        from euclio.tables import plan_table, to_text

        print(to_text(plan_table(session, result)))
    if result.reason:
        reason = " ".join(result.reason.split())
        print(f"euclio: {arguments.file}: {result.status.value}: {reason}", file=sys.stderr)
    return _exit_code(result)


def _exit_code(result: Result) -> int:
    from euclio.result import Status

    codes = {
        Status.OPTIMAL: SOLVED,
        Status.FEASIBLE: SOLVED,
        Status.INFEASIBLE: INFEASIBLE,
        Status.ERROR: REFUSED,
    }
    return codes.get(result.status, NO_PLAN)


def _explained(session: Session, result: Result, solver: Solver) -> Result:
    """The result, with the conflict that makes the session infeasible as its reason."""
    from euclio.result import Status

    if result.status is Status.INFEASIBLE:
        return replace(result, reason=why_infeasible(session, result.space, solver.name))
    if result.status is Status.UNKNOWN and not result.reason:
        return replace(result, reason="no plan was found within the limit; allow more time")
    return result
