"""`euclio decompose`: what every system's design gives up and what its heuristic loses, over many instances."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.core.arguments import count, names, seconds, seed
from euclio.core.errors import InputError
from euclio.core.progress import noticed
from euclio.core.saying import say

if TYPE_CHECKING:
    import pandas as pd

    from euclio.core.arguments import Verbs
    from euclio.session import Session


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "decompose",
        help="split every system's gap into design and heuristic",
        description="Split the extra cost of every system into what its design gives up (best plan of its own plan "
        "space over the optimum) and what its heuristic loses (its cost over that best plan).",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="session instances, or folders of them")
    parser.add_argument("--workloads", type=count, metavar="N", help="also N workloads of Harpagon's protocol")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.add_argument("--solvers", type=names, metavar="A,B", help="these systems; default: all heuristics")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds, as of solve")
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also draw the decomposition (.svg, .png or .pdf)")
    parser.add_argument("--csv", type=Path, metavar="OUT", help="also write one row per instance and system")
    parser.add_argument("--json", action="store_true", help="print the decomposition as JSON instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Decompose, print, write, draw."""
    from euclio.commands.supervised import Supervised
    from euclio.comparison.comparing import chosen_solvers
    from euclio.comparison.decomposing import decompose, describe
    from euclio.core.family import find_family
    from euclio.core.references import file_of
    from euclio.files.json_writing import json_text, write_text
    from euclio.files.outputs import check_outputs
    from euclio.report.figure_files import check_figure_path, save_figure
    from euclio.runs.stages import progress_bars

    read = [*arguments.files, *map(file_of, arguments.solvers or ())]
    check_outputs({"--plot": arguments.plot, "--csv": arguments.csv}, read)
    if arguments.plot is not None:
        check_figure_path(arguments.plot)
    sessions = _sessions(arguments)
    chosen = chosen_solvers(arguments.solvers, find_family("session"))
    with (
        Supervised(sessions, chosen, notice=False) as supervised,
        noticed("running all systems; compiling takes a while at the first use after installation"),
        progress_bars() as bars,
    ):
        task = bars.add_task("instances", total=len(sessions))
        table = decompose(
            sessions, chosen, arguments.time_limit, lambda _: bars.advance(task), solving=supervised.solve
        )
    if arguments.json:
        print(json_text(describe(table)))
    else:
        from euclio.comparison.decomposition_table import decomposition_table
        from euclio.core.tables import to_text

        print(to_text(decomposition_table(table)))
    if arguments.csv is not None:
        write_text(table.to_csv(index=False), arguments.csv)
    if arguments.plot is not None:
        from euclio.comparison.decomposition_figure import draw

        save_figure(draw(table), arguments.plot)
    return _exit_code(table)


def _sessions(arguments: argparse.Namespace) -> list[Session]:
    """The sessions of all files, folders in the order of names, then the generated ones."""
    from euclio.files import load_session

    found: list[Session] = []
    for path in arguments.files:
        inside = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not inside:
            raise InputError("the folder has no file that ends in .json; name another one", file=str(path))
        found += [load_session(file) for file in inside]
    if arguments.workloads is not None:
        from euclio.session.workloads.acceptance import accept_by
        from euclio.session.workloads.protocol import SEED, workloads

        chosen = SEED if arguments.seed is None else arguments.seed
        with noticed("drawing workloads that every system has a plan for"):
            found += [w.session for w in workloads(accept_by(), arguments.workloads, chosen).workloads]
    elif arguments.seed is not None:
        raise InputError("is the seed of generated workloads; give --workloads N too, or leave it out", field="--seed")
    if not found:
        raise InputError("there is nothing to decompose; name session files, or give --workloads N", field="FILE")
    return found


def _exit_code(table: pd.DataFrame) -> int:
    if table.cost_per_h.notna().any():
        return SOLVED
    infeasible = bool((table.optimum_status == "infeasible").all())
    why = "infeasible: no session has a plan; `euclio explain` says why" if infeasible else "no system found a plan"
    say(why)
    return INFEASIBLE if infeasible else NO_PLAN
