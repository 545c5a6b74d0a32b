"""`euclio decompose`: what every system's design gives up and what its heuristic loses, over many instances."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import count, names, seconds, seed
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.exit_codes import INFEASIBLE, NO_PLAN, SOLVED
from euclio.verbs.commands.keywords import own_keywords
from euclio.verbs.commands.strict import add_strict

if TYPE_CHECKING:
    import pandas as pd


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Split the gap of every system into what its design gives up (best plan of its own plan space "
        "over the optimum) and what its heuristic loses (its plan over that best plan), and the latter by step where "
        "a heuristic's steps are known."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="instances, or folders of them")
    parser.add_argument(
        "--workloads", type=count, metavar="N", help="also N protocol workloads (`euclio generate workloads`)"
    )
    parser.add_argument("--objective", metavar="NAME", help="objective; default: the family's first")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.add_argument("--solvers", type=names, metavar="A,B", help="these systems; default: all heuristics")
    add_strict(parser)
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds, as of solve")
    add_attainment(parser)
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot the decomposition (.svg, .png or .pdf)")
    parser.add_argument("--csv", type=Path, metavar="OUT", help="also write one row per instance and system")
    parser.add_argument("--json", action="store_true", help="print the decomposition as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Decompose, print, write, plot."""
    from euclio.core.references import file_of
    from euclio.core.tables import to_text
    from euclio.files.csv_files import frame_text
    from euclio.files.json_writing import check_outputs, json_text, write_text
    from euclio.questions.comparison.comparing import chosen_solvers
    from euclio.questions.comparison.decomposing import common_family, describe, goal_of
    from euclio.questions.comparison.steps import steps_of, steps_table
    from euclio.questions.comparison.table import decomposition_table
    from euclio.report.figure_files import check_figure_path, save_figure
    from euclio.verbs import decompose

    read = [*arguments.files, *map(file_of, arguments.solvers or ())]
    check_outputs({"--plot": arguments.plot, "--csv": arguments.csv}, read)
    if arguments.plot is not None:
        check_figure_path(arguments.plot)
    instances = _instances(arguments)
    chosen = chosen_solvers(arguments.solvers, common_family(instances))
    own: Any = own_keywords(arguments, "time_limit", "objective") | attainment_keywords(arguments)
    table = decompose(instances, chosen, supervised=True, **own)
    # The steps of a heuristic are of its plan without a demand.
    steps = table.iloc[:0] if "demand" in table else steps_of(instances, chosen, table, arguments.time_limit)
    if arguments.json:
        print(json_text(describe(table) | ({"steps": steps.to_dict("records")} if len(steps) else {})))
    else:
        print(to_text(decomposition_table(table)))
        if len(steps):
            print()
            print(to_text(steps_table(steps, goal_of(table))))
    if arguments.csv is not None:
        write_text(frame_text(table), arguments.csv)
    if arguments.plot is not None:
        from euclio.questions.comparison.decomposition_figure import draw

        save_figure(draw(table), arguments.plot)
    return _exit_code(table)


def _instances(arguments: argparse.Namespace) -> list[Any]:
    """The instances of all files, folders in the order of names, then the generated ones."""
    from euclio.verbs.comparing import drawn_workloads, several_instances

    found = several_instances(arguments.files)
    if arguments.workloads is not None:
        found += drawn_workloads(arguments.workloads, arguments.seed)
    elif arguments.seed is not None:
        raise InputError("is the seed of generated workloads; give --workloads N too, or leave it out", field="--seed")
    if not found:
        raise InputError("there is nothing to decompose; name instance files, or give --workloads N", field="FILE")
    return found


def _exit_code(table: pd.DataFrame) -> int:
    from euclio.questions.comparison.decomposing import goal_of

    if table[goal_of(table).value_field].notna().any():
        return SOLVED
    infeasible = bool((table.optimum_status == "infeasible").all())
    why = "infeasible: no instance has a plan; `euclio explain` says why" if infeasible else "no system found a plan"
    say(why)
    return INFEASIBLE if infeasible else NO_PLAN
