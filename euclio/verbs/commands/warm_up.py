"""`euclio warm-up`: have machine code made now, instead of in the background of the first long runs."""

from __future__ import annotations

import argparse
import json
import time

from euclio.core.code_cache import places, where_kept
from euclio.core.progress import say
from euclio.core.words import duration
from euclio.verbs.commands.exit_codes import SOLVED


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("solvers", nargs="*", metavar="SOLVER", help="solvers; by default all, provers and simulators")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes; by default one per core, at most 4")
    parser.add_argument("--json", action="store_true", help="print the seconds of each as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Compile with a progress bar; what is compiled already is loaded."""
    from euclio.verbs import warm_up

    began = time.perf_counter()
    seconds = warm_up(*arguments.solvers, jobs=arguments.jobs)
    kept_in = next((str(place) for place in reversed(places())), None)
    if arguments.json:
        print(json.dumps({"folder": kept_in, "done_s": seconds}))
    else:
        say(f"{len(seconds)} compiled in {duration(time.perf_counter() - began)}; kept in {kept_in or where_kept()}")
    return SOLVED
