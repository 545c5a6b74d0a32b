"""`euclio compare` and `euclio decompose`: every system and the optimum, on one instance or on many."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.progress import say
from euclio.core.references import file_of
from euclio.core.result import Status
from euclio.core.values import count, names, seconds, seed
from euclio.files.json_writing import json_text, write_text
from euclio.questions.comparison.comparison import chosen_solvers
from euclio.verbs.commands import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.options import add_changes, add_strict, family_keywords, objectives, own_keywords, schemas
from euclio.verbs.keywords import CERTIFY_S, changed

if TYPE_CHECKING:
    import pandas as pd

    from euclio.questions.comparison.comparison import Comparison


def compare_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Value, gap, the share of the gap due to design, and time of every system."
    parser.add_argument("file", metavar="FILE", help=f"instance (JSON, {schemas()})")
    parser.add_argument("--solvers", type=names, metavar="A,B", help="solvers, or FILE.py:FUNCTION; default: --systems")
    parser.add_argument(
        "--systems",
        metavar="SET",
        help="planner: the cheapest plan, whole machines, and rules that people use (of sessions; otherwise all); "
        "papers: all systems, ablations included; default: planner",
    )
    add_changes(parser)
    add_attainment(parser)
    add_strict(parser)
    parser.add_argument("--objective", metavar="NAME", help=f"{objectives()}; default: the first")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds, as of solve")
    parser.add_argument(
        "--certify",
        type=seconds,
        nargs="?",
        const=CERTIFY_S,
        metavar="S",
        help=f"have an independent prover try each proof within a limit in seconds; without a number: {CERTIFY_S:g}",
    )
    parser.add_argument("--plot", type=Path, metavar="OUT", help="also plot the comparison (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON instead of a table")


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare, print, plot."""
    from euclio.core.tables import to_text
    from euclio.files import load_instance
    from euclio.files.json_writing import check_outputs
    from euclio.files.result_files import stated
    from euclio.questions.comparison.views import comparison_table
    from euclio.verbs.compare import compare
    from euclio.verbs.inputs import GivenInstance

    check_outputs({"--plot": arguments.plot}, [arguments.file, *map(file_of, arguments.solvers or ())])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    given = GivenInstance(load_instance(arguments.file), arguments.file)
    own, keywords = own_keywords(arguments, "systems", "time_limit", "objective", "certify"), family_keywords(arguments)
    own |= attainment_keywords(arguments)
    comparison = compare(given, arguments.solvers, supervised=True, **own, **keywords)
    why = _why_infeasible(comparison, arguments.time_limit)
    _, changes = changed(given.family, given.instance, keywords)
    if arguments.json:
        print(json_text({**comparison.describe(), **stated(changes)}))
    else:
        print(to_text(comparison_table(comparison)))
        if arguments.solvers is None and len(comparison.rows) <= len(given.family.usual):
            print(*(f"{row.solver.label}: {row.solver.summary}" for row in comparison.rows), sep="\n")
        if changes is not None:
            print(f"with {changes.in_words()}")
    if arguments.plot is not None:
        from euclio.questions.comparison.figures import draw_comparison
        from euclio.report.figure_files import save_figure

        save_figure(draw_comparison(comparison), arguments.plot)
    if _say_refuted(comparison, arguments.file):
        return REFUSED
    if why is not None:
        say(f"{arguments.file}: infeasible: {why}")
        return INFEASIBLE
    if any(row.result.value is not None for row in comparison.rows):
        return SOLVED
    say(f"{arguments.file}: no system found a plan")
    return NO_PLAN


def _say_refuted(comparison: Comparison, file: str) -> bool:
    """Say which proofs were refuted; False: none was."""
    refuted = [found for found in comparison.certificates if found.verdict is Verdict.REFUTED]
    for found in refuted:
        say(f"{file}: REFUTED: {found.solver}: {found.claim}: {found.reason}")
    return bool(refuted)


def _why_infeasible(comparison: Comparison, limit_s: float | None) -> str | None:
    """Why no system has a plan, where there is none; None: one of them has, or nobody knows."""
    from euclio.verbs.supervised import Supervised

    best, instance = comparison.best, comparison.instance
    if best is None or best.status is not Status.INFEASIBLE:
        return None
    if any(row.result.value is not None for row in comparison.rows):
        return None
    with Supervised([instance]) as supervised:
        return supervised.why_infeasible(family_of(instance), instance, best, limit_s)


def decompose_options(parser: argparse.ArgumentParser) -> None:
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


def run_decompose(arguments: argparse.Namespace) -> int:
    """Decompose, print, write, plot."""
    from euclio.core.tables import to_text
    from euclio.files.csv_files import frame_text
    from euclio.files.json_writing import check_outputs
    from euclio.questions.comparison.decomposing import common_family, describe, goal_of, steps_of, steps_table
    from euclio.questions.comparison.views import decomposition_table
    from euclio.report.figure_files import check_figure_path, save_figure
    from euclio.verbs.compare import decompose

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
        from euclio.questions.comparison.figures import draw_decomposition

        save_figure(draw_decomposition(table), arguments.plot)
    return _exit_code(table)


def _instances(arguments: argparse.Namespace) -> list[Any]:
    """The instances of all files, folders in the order of names, then the generated ones."""
    from euclio.verbs.compare import drawn_workloads, several_instances

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
