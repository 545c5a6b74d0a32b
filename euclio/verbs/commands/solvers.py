"""`euclio solvers`, `check-solver`, `cite`, `warm-up` and `versions`: what there is to solve with, and on."""

from __future__ import annotations

import argparse
import json
import time

from euclio.core.progress import say
from euclio.core.values import count
from euclio.core.words import duration
from euclio.verbs.commands import REFUSED, SOLVED


def solvers_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.add_argument(
        "--covers", action="store_true", help="what instances and plan spaces may ask for, and who covers it"
    )


def run_solvers(arguments: argparse.Namespace) -> int:
    """Print the table, or those of who covers what."""
    from euclio.core.families import families
    from euclio.core.tables import coverage_table, solver_table, to_text
    from euclio.verbs.solvers import solvers

    if arguments.covers:
        for family in families():
            if family.demands:
                print(to_text(coverage_table(family)))
    else:
        print(to_text(solver_table(solvers().values())))
    return SOLVED


def check_solver_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Try a solver on small seeded instances in a process of its own: checked plans and claims, honest "
        "bounds and statuses, limits, repeatable answers, no side effects. Exit code 0: no claim is broken, 1: one is."
    )
    parser.add_argument("solver", metavar="NAME", help="see `euclio solvers`, or FILE.py:FUNCTION")
    parser.add_argument("--samples", type=count, default=12, metavar="N", help="small instances; default: 12")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON instead of a table")


def run_check_solver(arguments: argparse.Namespace) -> int:
    """Try, judge, print."""
    from euclio.contract.findings import report_table
    from euclio.core.tables import to_text
    from euclio.files.json_writing import json_text
    from euclio.verbs.check_solver import check_solver

    report = check_solver(arguments.solver, arguments.samples)
    print(json_text(report.describe()) if arguments.json else to_text(report_table(report)))
    return SOLVED if report.kept else REFUSED


def warm_up_options(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("solvers", nargs="*", metavar="SOLVER", help="solvers; by default all, provers and simulators")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; by default one per core, at most 4")
    parser.add_argument("--json", action="store_true", help="print the seconds of each as JSON")


def run_warm_up(arguments: argparse.Namespace) -> int:
    """Compile with a progress bar; what is compiled already is loaded."""
    from euclio.core.code_cache import places, where_kept
    from euclio.verbs.solvers import warm_up

    began = time.perf_counter()
    seconds = warm_up(*arguments.solvers, jobs=arguments.jobs)
    kept_in = next((str(place) for place in reversed(places())), None)
    if arguments.json:
        print(json.dumps({"folder": kept_in, "done_s": seconds}))
    else:
        say(f"{len(seconds)} compiled in {duration(time.perf_counter() - began)}; kept in {kept_in or where_kept()}")
    return SOLVED


def versions_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Versions of euclio, of its dependencies, extras and engines, and of this machine, for issues."
    parser.add_argument("--json", action="store_true", help="print the versions as JSON instead of lines")


def run_versions(arguments: argparse.Namespace) -> int:
    """Print the versions."""
    from euclio.core.versions import versions_text
    from euclio.files.json_writing import json_text
    from euclio.verbs.solvers import versions

    found = versions()
    print(json_text(found) if arguments.json else versions_text(found))
    return SOLVED


def cite_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "BibTeX of euclio and of what results or solvers rest on: papers, engines, the solver of the plan that they "
        "started from. Without any, of euclio and the five papers."
    )
    parser.add_argument("results", metavar="RESULT", nargs="*", help="results (JSON, euclio/result/1)")
    parser.add_argument("--solver", metavar="NAME", action="append", help="a solver; may be given several times")
    parser.add_argument("--json", action="store_true", help="print the references as JSON instead of BibTeX")


def run_cite(arguments: argparse.Namespace) -> int:
    """Print the references."""
    from euclio.core.words import joined
    from euclio.files.json_writing import json_text
    from euclio.verbs.cite import cite

    cited = cite(*arguments.results, solver=arguments.solver)
    print(json_text(cited.describe()) if arguments.json else cited)
    if cited.silent:
        say(f"{joined(cited.silent)} does not say what it rests on; cite what its authors ask for")
    return SOLVED
