"""`euclio bench-set`: the benchmark set: check it, run a solver on it, list it, make it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.bench_set_certify import add_certify, add_sample, certify_sample
from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.core.errors import InputError
from euclio.core.progress import progress_bar, say
from euclio.core.values import seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euclio.bench_set.comparing import Compared
    from euclio.bench_set.manifest import Entry

CLASSES = ("easy", "medium", "hard", "open")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "The benchmark set: named sessions and clusters with the best plan and bound known, in classes."
    )
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    check = actions.add_parser(
        "check",
        help="read and price everything again; with --solve, run a solver against the best known; with --certify, "
        "try proofs again",
        description="Every instance reads, every plan has the value that stands there, bounds and classes agree, no "
        "instance is there twice. Exit code 1: something is wrong.",
        allow_abbrev=False,
    )
    check.add_argument("--solve", metavar="SOLVER", help="also run this solver on the instances of its family")
    add_sample(check)
    check.add_argument(
        "--time-limit", type=seconds, metavar="S", help="limit of each run or search in seconds; searches: 60"
    )
    check.set_defaults(run=run_check)
    listing = actions.add_parser("list", help="print the paths of instances", allow_abbrev=False)
    listing.add_argument("--family", choices=("session", "pipeline"), help="only this problem family")
    listing.set_defaults(run=run_list)
    for action in (check, listing):
        action.add_argument("--class", dest="difficulty", choices=CLASSES, help="only this class")
    build = actions.add_parser(
        "build",
        help="make the set again",
        description="Write the seeded instances; solve those that are new or changed, and open ones if the limit is "
        "longer than before.",
        allow_abbrev=False,
    )
    build.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds; default: 20")
    build.set_defaults(run=run_build)
    certify = add_certify(actions)
    for action in (check, listing, build, certify):
        action.add_argument("--folder", type=Path, metavar="DIR", help="default: the set that comes with euclio")


def run_check(arguments: argparse.Namespace) -> int:
    """Check, compare, print."""
    from euclio.bench_set.checking import defects, defects_of_set
    from euclio.bench_set.folder import set_folder
    from euclio.bench_set.manifest import read_manifest
    from euclio.bench_set.table import summary

    _check_options(arguments)
    folder = arguments.folder or set_folder()
    entries = read_manifest(folder).entries
    chosen = [e for e in entries if arguments.difficulty in (None, e.difficulty)]
    wrong = defects(folder, chosen)
    if arguments.difficulty is None:
        wrong += defects_of_set(folder, entries)
    for line in wrong:
        print(line)
    if wrong:
        say(f"the benchmark set has {len(wrong)} defects")
        return REFUSED
    print(summary(chosen))
    code = SOLVED
    if arguments.certify:
        code = certify_sample(folder, chosen, arguments)
    if arguments.solve is not None:
        code = max(code, _solve(folder, chosen, arguments.solve, arguments.time_limit))
    return code


def _check_options(arguments: argparse.Namespace) -> None:
    """Refuse options of work that is not asked for."""
    if arguments.time_limit is not None and arguments.solve is None and not arguments.certify:
        raise InputError("is the limit of a run; ask for one by --solve or --certify", field="--time-limit")
    for name in ("sample", "seed"):
        if getattr(arguments, name) is not None and not arguments.certify:
            raise InputError("is for the proofs that are tried; add --certify, or leave it out", field=f"--{name}")


def _solve(folder: Path, entries: Sequence[Entry], solver: str, time_limit_s: float | None) -> int:
    from euclio.bench_set.comparing import compare_with_best
    from euclio.bench_set.table import compared_table
    from euclio.core.registry import find_solver
    from euclio.core.tables import to_text

    family = find_solver(solver).family
    chosen = [e for e in entries if e.family == family]
    found: list[Compared] = []
    with progress_bar(solver, len(chosen)) as advance:
        for compared in compare_with_best(folder, chosen, solver, time_limit_s):
            found.append(compared)
            advance()
    print(to_text(compared_table(found)))
    return REFUSED if any(compared.wrong for compared in found) else SOLVED


def run_list(arguments: argparse.Namespace) -> int:
    """Print the paths."""
    from euclio.bench_set.folder import instance_path, set_folder
    from euclio.bench_set.manifest import read_manifest

    folder = arguments.folder or set_folder()
    for entry in read_manifest(folder).entries:
        if arguments.difficulty in (None, entry.difficulty) and arguments.family in (None, entry.family):
            print(instance_path(folder, entry))
    return SOLVED


def run_build(arguments: argparse.Namespace) -> int:
    """Make the set."""
    from euclio.bench_set.build import TIME_LIMIT_S, build, designs
    from euclio.bench_set.table import summary

    with progress_bar("instances", len(designs())) as advance:
        manifest = build(arguments.folder, arguments.time_limit or TIME_LIMIT_S, advance=advance)
    print(summary(manifest.entries))
    return SOLVED
