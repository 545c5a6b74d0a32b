"""`euclio compare`: every applicable system and the optimum on one instance."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.progress import say
from euclio.core.values import names, seconds
from euclio.verbs.commands.attainment import add_attainment, attainment_keywords
from euclio.verbs.commands.change_options import add_changes
from euclio.verbs.commands.exit_codes import INFEASIBLE, NO_PLAN, REFUSED, SOLVED
from euclio.verbs.commands.families import objectives, schemas
from euclio.verbs.commands.keywords import family_keywords, own_keywords
from euclio.verbs.commands.strict import add_strict
from euclio.verbs.defaults import CERTIFY_S

if TYPE_CHECKING:
    from euclio.questions.comparison.comparing import Comparison


def add_options(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Compare, print, plot."""
    from euclio.core.references import file_of
    from euclio.core.tables import to_text
    from euclio.files import load_instance
    from euclio.files.json_writing import check_outputs, json_text
    from euclio.files.result_files import stated
    from euclio.questions.comparison.table import comparison_table
    from euclio.verbs import compare
    from euclio.verbs.keywords import changed
    from euclio.verbs.opened import Opened

    check_outputs({"--plot": arguments.plot}, [arguments.file, *map(file_of, arguments.solvers or ())])
    if arguments.plot is not None:
        from euclio.report.figure_files import check_figure_path

        check_figure_path(arguments.plot)
    given = Opened(load_instance(arguments.file), arguments.file)
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
        from euclio.questions.comparison.figure import draw
        from euclio.report.figure_files import save_figure

        save_figure(draw(comparison), arguments.plot)
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
    from euclio.core.certificate import Verdict

    refuted = [found for found in comparison.certificates if found.verdict is Verdict.REFUTED]
    for found in refuted:
        say(f"{file}: REFUTED: {found.solver}: {found.claim}: {found.reason}")
    return bool(refuted)


def _why_infeasible(comparison: Comparison, limit_s: float | None) -> str | None:
    """Why no system has a plan, where there is none; None: one of them has, or nobody knows."""
    from euclio.core.families import family_of
    from euclio.core.result import Status
    from euclio.verbs.supervised import Supervised

    best, instance = comparison.best, comparison.instance
    if best is None or best.status is not Status.INFEASIBLE:
        return None
    if any(row.result.value is not None for row in comparison.rows):
        return None
    with Supervised([instance]) as supervised:
        return supervised.why_infeasible(family_of(instance), instance, best, limit_s)
