"""`euclio solve`: run one solver on one instance and print the checked plan."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import printable
from euclio.core.progress import say
from euclio.core.values import count, seconds, seed
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.commands.attainment import ASKED, add_attainment, attainment_keywords, shown_by, tried_by
from euclio.verbs.commands.options import (
    add_changes,
    add_plan_space,
    add_strict,
    an_instance,
    default_solvers,
    family_keywords,
    own_keywords,
    schemas,
)

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.result import AnyResult


EXIT_CODES = {"optimal": SOLVED, "feasible": SOLVED, "infeasible": INFEASIBLE, "error": REFUSED}
"""Exit codes by status; of all others: `NO_PLAN`."""


def solve_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        f"Run a solver on a {an_instance()} and print the checked plan. Options not given are the solver's own."
    )
    parser.add_argument("file", metavar="FILE", help=f"instance (JSON, {schemas()})")
    parser.add_argument(
        "--solver",
        metavar="NAME",
        help=f"see `euclio solvers`, or FILE.py:FUNCTION; default: {default_solvers()}",
    )
    add_changes(parser)
    add_strict(parser)
    add_plan_space(parser)
    parser.add_argument(
        "--time-limit",
        type=seconds,
        metavar="S",
        help="time limit in seconds, from when the input is read and the solver compiled; the command ends at most 1 s "
        "later, whatever the solver does. Preparing the solver is limited to 600 s, one from a file to 60 s",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of random choices; default: 0")
    add_attainment(parser)
    _add_engine_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="also write the result (JSON, euclio/result/1)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON instead of a table")
    parser.add_argument("--verbose", action="store_true", help="also say the plan space in the words of the papers")


def _add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Options of the solver library; a solver that does not take one says so."""
    group = parser.add_argument_group("solver libraries", "for solvers that run on PuLP or OR-Tools")
    group.add_argument(
        "--engine",
        metavar="NAME",
        help="highs, cbc, highs-program or scip (both need euclio[engines]), gurobi (needs gurobipy)",
    )
    group.add_argument("--threads", type=count, metavar="N", help="threads of the engine; default: 1")
    group.add_argument("--warm-start", metavar="NAME", help="solver whose plan to start from, or none")
    group.add_argument("--log", type=Path, metavar="FILE", help="write the engine's own log")
    group.add_argument("--export-lp", type=Path, metavar="FILE", help="write the model in LP format")


def run_solve(arguments: argparse.Namespace) -> int:
    """Solve, print, write."""
    from euclio.core.references import file_of
    from euclio.files import load_instance, result_to_text
    from euclio.files.json_writing import check_outputs, write_text
    from euclio.verbs.inputs import GivenInstance, changed_instance
    from euclio.verbs.solve import solve

    outputs = {"--out": arguments.out, "--log": arguments.log, "--export-lp": arguments.export_lp}
    read = [arguments.file, arguments.trace, file_of(arguments.solver or ""), file_of(arguments.warm_start or "")]
    check_outputs(outputs, read)
    given = GivenInstance(load_instance(arguments.file), arguments.file)
    result = _with_reason(solve(given, arguments.solver, supervised=True, **_keywords(arguments)))
    instance = changed_instance(given.instance, result.changes)
    if arguments.out is not None:
        write_text(result_to_text(result, instance), arguments.out)
    if arguments.json:
        print(result_to_text(result, instance), end="")
    else:
        from euclio.core.tables import to_text

        table = to_text(given.family.table(instance, result))
        print(table)
        space = f"plan space: {given.family.describe_space(result.space)}"
        if arguments.verbose and space not in table:
            print(space)
    if "attainment" in result.options:
        _say_what_shows_it(arguments, given.family, result)
    elif not arguments.json:
        _print_whether_it_holds(arguments, given.family, instance, result)
    if result.reason:
        say(f"{arguments.file}: {result.status.value}: {result.reason}")
    return EXIT_CODES.get(result.status, NO_PLAN)


def _keywords(arguments: argparse.Namespace) -> Any:
    """What the options are among the keywords of the verb."""
    own = ("time_limit", "seed", "engine", "threads", "warm_start", "log", "export_lp")
    return {**own_keywords(arguments, *own), **attainment_keywords(arguments), **family_keywords(arguments)}


def _say_what_shows_it(arguments: argparse.Namespace, family: Family, result: AnyResult) -> None:
    """Print the command that plays out what an attainment states, in one line that can be copied."""
    shown = shown_by(result, family, arguments.file, arguments.out, arguments.trace)
    if shown is not None and arguments.json:
        say(f"shown by: {shown}")
    elif shown is not None:
        print(f"\nshown by: {printable(shown)}")


def _print_whether_it_holds(arguments: argparse.Namespace, family: Family, instance: Any, result: AnyResult) -> None:
    """Print what the plan keeps under Poisson arrivals, with the command that shows it, or the command alone."""
    if family.simulator is None or result.value is None or result.plan is None:
        return
    simulator = family.simulator()
    known = simulator.glance(instance, result)
    shown = printable(tried_by(result, arguments.file, arguments.out))
    found = f" {known.in_words()}" if known.in_words() else ""
    cost = f"{known.cost}, " if known.cost else ""
    more = f"; 99 %: {cost}{ASKED}" if simulator.keeps else ""
    print(f"\nunder Poisson arrivals{found}: {shown}{more}")


def _with_reason(result: AnyResult) -> AnyResult:
    """The result; one that is unknown says why."""
    from euclio.core.result import Status

    if result.status is Status.UNKNOWN and not result.reason:
        return replace(result, reason="no plan was found within the limit; allow more time")
    return result
