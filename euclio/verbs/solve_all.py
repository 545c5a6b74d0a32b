"""`euclio solve-all`: run a solver on many instances, on all cores."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import Any, Unpack

from euclio.core.compiled import expect_work
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.solver import SolverLike
from euclio.core.values import count, file_path
from euclio.core.words import counted
from euclio.files.csv_files import rows_csv
from euclio.files.json_writing import write_text
from euclio.questions.solved_instances import SolvedInstances, describe_solved, on_all_cores, solved_rows, solved_table
from euclio.verbs.interface import keyword_types as words
from euclio.verbs.interface.command import command
from euclio.verbs.interface.inputs import GivenInstance, given_instances
from euclio.verbs.interface.outputs import check_written, print_answer
from euclio.verbs.interface.session_questions import exit_code
from euclio.verbs.interface.shared_parameters import SEED, STRICT, TIME_LIMIT, attainment, changes, json_of
from euclio.verbs.interface.shared_parameters import plan_space as plan_spaces
from euclio.verbs.interface.verb import as_read, verb
from euclio.verbs.solve import ENGINES, SOLVER, solve

OF_MANY = tuple(one for one in ENGINES.parameters if one.keyword in words.ManyRuns.__annotations__)
"""Options of solver libraries that many runs may share; the others name a file, which each run would write anew."""
INTERPRETED_S = 0.1
"""Seconds that a run of a small instance takes where kernels are interpreted, about."""


@verb(
    SOLVER,
    Parameter("--jobs", parse=count, metavar="N"),
    changes(),
    STRICT,
    plan_spaces(),
    replace(TIME_LIMIT, help="limit of each run in seconds; default: none"),
    replace(SEED, help="seed of random choices; default: 0"),
    attainment(),
    replace(ENGINES, parameters=OF_MANY),
    typed=words.SolveMany,
)
def solve_all(
    instances: Any,
    solver: SolverLike | None = None,
    *,
    jobs: Number | None = None,
    space: Any = None,
    **keywords: Unpack[words.SolveMany],
) -> SolvedInstances:
    """Solve many instances with one solver, as `euclio solve-all` does.

    Runs share the cores of this process; compiled code and engines release Python's lock. Use `euclio.run` for runs of
    hours, for stored runs, and for solvers that must be stopped by force.

    Args:
        instances: instances of one family, paths of their files, or of folders of files.
        solver: as of `euclio.solve`.
        jobs: parallel runs; None means one per core.
        space: as of `euclio.solve`.
        **keywords: as of `euclio.solve`.

    Returns:
        The checked results in the order of the instances. They equal those of `euclio.solve` except for times.

    Raises:
        InputError: instances of different families, a file that cannot be read, or as of `euclio.solve`.
    """
    asked = given_instances(instances)
    if not asked:
        raise InputError("there is nothing to solve; name instances", field="instances")
    if len({one.family.name for one in asked}) > 1:
        names = ", ".join(sorted({one.family.instances for one in asked}))
        raise InputError(f"are {names}; solve instances of one family at a time", field="instances")

    def solved(one: GivenInstance) -> Any:
        return solve(one, solver, space=space, **keywords)

    expect_work(INTERPRETED_S * len(asked))
    what = f"solving {counted(len(asked), 'instance')}"
    return SolvedInstances(tuple(on_all_cores(solved, asked, what, as_read(jobs))))


@command(
    solve_all,
    Parameter(
        "files", help="instances (JSON), or folders of them", parse=file_path, metavar="FILE", details={"nargs": "+"}
    ),
    Parameter("--csv", help="also write one row per instance", parse=file_path, metavar="OUT"),
    json_of("the results"),
    about="Run a solver on many instances in parallel, check each plan and print each status.",
    first=("--solver", "--time-limit", "--csv"),
    page="howto/workload.md#solve-them-all",
    exits="0 some instance has a plan, 3 infeasible, 4 no plan",
    examples=("euclio solve-all session.json --solver harpagon --csv costs.csv",),
)
def print_all(arguments: Namespace) -> int:
    """Solve, print, write."""
    keywords = arguments.keywords
    solvers = (keywords.get("solver"), keywords.get("warm_start"))
    check_written(arguments, ("csv",), (*arguments.files, keywords.get("trace")), solvers=solvers)
    found = solve_all(arguments.files, **keywords)
    print_answer(arguments, lambda: describe_solved(found), lambda: solved_table(found))
    if arguments.csv is not None:
        write_text(rows_csv(solved_rows(found)), arguments.csv)
    return exit_code(found.results)
