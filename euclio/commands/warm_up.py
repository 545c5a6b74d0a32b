"""`euclio warm-up`: have machine code made now, instead of in the background of the first long runs."""

from __future__ import annotations

import argparse
import json
import time

from euclio.commands.exit_codes import SOLVED
from euclio.core.errors import InputError
from euclio.core.keeping import folder, places
from euclio.core.progress import progress_bar, say
from euclio.core.registry import find_solver
from euclio.core.warm_up import compile_all, parts, prune
from euclio.core.words import duration


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("solvers", nargs="*", metavar="SOLVER", help="solvers; by default all, provers and simulators")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; by default one per core, at most 4")
    parser.add_argument("--json", action="store_true", help="print the seconds of each as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compile with a progress bar; what is compiled already is loaded."""
    if arguments.jobs is not None and arguments.jobs < 1:
        raise InputError(f"is {arguments.jobs}; give at least 1", field="--jobs")
    names = [find_solver(name).name for name in arguments.solvers] or None
    began, seconds = time.perf_counter(), {}
    with progress_bar("compiling", len(parts(names)), after_s=0) as step:
        for name in compile_all(names, arguments.jobs):
            seconds[name] = time.perf_counter() - began
            step()
    prune(folder())
    if arguments.json:
        print(json.dumps({"folder": str(places()[-1]), "done_s": seconds}))
    else:
        say(f"{len(seconds)} compiled in {duration(time.perf_counter() - began)}; kept in {places()[-1]}")
    return SOLVED
