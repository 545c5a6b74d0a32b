"""`euclio check-solver`: test a solver against the contract of all solvers."""

from __future__ import annotations

from argparse import Namespace

from euclio.contract import checking
from euclio.contract.findings import report_table
from euclio.core.parameters import Parameter
from euclio.core.values import count
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.outputs import print_answer
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb

check_solver = verb(Parameter("--samples", help="small instances; default: 12", parse=count, metavar="N"))(
    checking.check_solver
)


@command(
    check_solver,
    Parameter("solver", help="see `euclio solvers`, or FILE.py:FUNCTION", metavar="NAME"),
    json_of("the findings"),
    about="Test a solver on small seeded instances in a process of its own: checked plans and claims, valid bounds and "
    "statuses, limits, repeatable answers, no side effects.",
    page="howto/solver.md",
    exits="0 nothing broken, 1 something is",
    examples=("euclio check-solver harpagon --samples 2",),
)
def print_findings(arguments: Namespace) -> int:
    """Try, judge, print."""
    report = check_solver(arguments.solver, **arguments.keywords)
    print_answer(arguments, report.describe, lambda: report_table(report))
    return SOLVED if report.kept else REFUSED
