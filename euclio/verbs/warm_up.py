"""`euclio warm-up`: compile solvers, provers and simulators now instead of during the first long runs."""

from __future__ import annotations

import json
import time
from argparse import Namespace

from euclio.core import registry
from euclio.core.code_cache import folder, places, where_kept
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.own_solver import name_elsewhere
from euclio.core.parameters import Parameter
from euclio.core.progress import progress_bar, say
from euclio.core.solver import SolverLike
from euclio.core.warm_up import compile_all, parts, prune
from euclio.core.words import duration
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.shared_parameters import json_of
from euclio.verbs.interface.verb import verb


@verb(Parameter("--jobs", parse=int, metavar="N"))
def warm_up(*solvers: SolverLike, jobs: Number | None = None) -> dict[str, float]:
    """Compile solvers, provers and simulators now instead of during the first long runs, as `euclio warm-up` does.

    Args:
        *solvers: solvers by name; without any, all solvers, provers and simulators.
        jobs: processes; None means one per core, at most four.

    Returns:
        The seconds from the start until each was compiled, by name; existing machine code is loaded.

    Raises:
        InputError: an unknown solver, or a number of processes below 1.
    """
    processes = None if jobs is None else int(jobs)
    if processes is not None and processes < 1:
        raise InputError(f"is {processes}; give at least 1", field="--jobs")
    names = [registry.find_solver(name_elsewhere(name)).name for name in solvers] or None
    began, seconds = time.perf_counter(), {}
    with progress_bar("compiling", len(parts(names)), after_s=0) as step:
        for name in compile_all(names, processes):
            seconds[name] = time.perf_counter() - began
            step()
    if own := folder():
        prune(own)
    return seconds


@command(
    warm_up,
    Parameter(
        "solvers",
        help="solvers; by default all, provers and simulators",
        metavar="SOLVER",
        details={"nargs": "*"},
    ),
    json_of("the seconds of each", ""),
    page="compiled-code.md",
    examples=("euclio warm-up exact --jobs 1",),
)
def print_compiled(arguments: Namespace) -> int:
    """Compile with a progress bar; existing machine code is loaded."""
    began = time.perf_counter()
    seconds = warm_up(*arguments.solvers, **arguments.keywords)
    kept_in = next((str(place) for place in reversed(places())), None)
    if arguments.json:
        print(json.dumps({"folder": kept_in, "done_s": seconds}))
    else:
        say(f"{len(seconds)} compiled in {duration(time.perf_counter() - began)}; kept in {kept_in or where_kept()}")
    return SOLVED
