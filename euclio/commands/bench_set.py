"""`euclio bench-set`: the benchmark set: check it, run a solver on it, list it, make it, have its proofs certified."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.commands.families import instances
from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.families import homes
from euclio.core.progress import progress_bar, say, waiting
from euclio.core.values import count, seconds, seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euclio.bench_set.comparing import Compared
    from euclio.bench_set.manifest import Entry
    from euclio.core.values import Verbs

CLASSES = ("easy", "medium", "hard", "open")
ALL = "all"
SAMPLE = 20
"""Proofs that `check --certify` tries."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = f"The benchmark set: named {instances('and')} with the best plan and bound known, in classes."
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
    _add_sample(check)
    check.add_argument(
        "--time-limit", type=seconds, metavar="S", help="limit of each run or search in seconds; searches: 60"
    )
    check.set_defaults(run=run_check)
    listing = actions.add_parser("list", help="print the paths of instances", allow_abbrev=False)
    listing.add_argument("--family", choices=tuple(homes()), help="only this problem family")
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
    certify = _add_certify(actions)
    for action in (check, listing, build, certify):
        action.add_argument("--folder", type=Path, metavar="DIR", help="default: the set that comes with euclio")


def _add_sample(check: argparse.ArgumentParser) -> None:
    """Add the options of `check` that try proofs again."""
    check.add_argument("--certify", action="store_true", help="also try a sample of the proofs with the prover")
    check.add_argument("--sample", type=_sample, metavar="N", help="how many proofs, or all; default: 20")
    check.add_argument("--seed", type=seed, metavar="K", help="seed of the sample; default: 0")


def _add_certify(actions: Verbs) -> argparse.ArgumentParser:
    """Add the action that makes certificates."""
    certify = actions.add_parser(
        "certify",
        help="try the proofs that have no certificate with the prover, and keep what it says",
        description="Make the certificates that are missing, or were left open before, and keep them in the manifest. "
        "Exit code 1: a proof is refuted.",
        allow_abbrev=False,
    )
    certify.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each search in seconds; default: 60")
    certify.add_argument("--again", action="store_true", help="make all of them again")
    certify.add_argument("--family", choices=tuple(homes()), help="only this problem family")
    certify.set_defaults(run=run_certify)
    return certify


def _sample(text: str) -> int | str:
    """A whole number, at least 1, or "all"."""
    return text if text == ALL else count(text)


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
        code = _certify_sample(folder, chosen, arguments)
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
    from euclio.core.warm_up import compile_solver

    family = find_solver(solver).family
    chosen = [e for e in entries if e.family == family]
    found: list[Compared] = []
    time_runs()
    with waiting(f"loading {solver}, or compiling it"):
        compile_solver(find_solver(solver), find_solver(solver).space)
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


def _certify_sample(folder: Path, entries: Sequence[Entry], arguments: argparse.Namespace) -> int:
    """Try a sample of the proofs again and print what came out; the exit code."""
    from euclio.bench_set.certifying import TIME_LIMIT_S, certified, proofs, sample, wrong
    from euclio.bench_set.table import certificate_table
    from euclio.core.tables import to_text

    size = None if arguments.sample == ALL else arguments.sample or SAMPLE
    chosen = sample(proofs(entries), size, arguments.seed or 0)
    made, against = [], []
    with progress_bar("certify", len(chosen)) as advance:
        for entry in chosen:
            found = certified(folder, entry, arguments.time_limit or TIME_LIMIT_S)
            made.append((entry, found))
            against.append(wrong(entry, found))
            advance()
    print(to_text(certificate_table(made)))
    return _exit_code(against)


def _exit_code(against: Sequence[str]) -> int:
    """Say what is wrong; the exit code."""
    problems = [line for line in against if line]
    for line in problems:
        say(line)
    return REFUSED if problems else SOLVED


def run_certify(arguments: argparse.Namespace) -> int:
    """Make certificates and keep them."""
    from euclio.bench_set.certifying import TIME_LIMIT_S, fill, has_certificate, proofs
    from euclio.bench_set.folder import set_folder
    from euclio.bench_set.manifest import read_manifest
    from euclio.bench_set.table import certificates
    from euclio.core.certificate import Verdict

    folder = arguments.folder or set_folder()

    def wanted(entry: Entry) -> bool:
        if arguments.family not in (None, entry.family):
            return False
        return arguments.again or not has_certificate(folder, entry)

    chosen = [entry.name for entry in filter(wanted, proofs(read_manifest(folder).entries))]
    with progress_bar("certificates", len(chosen)) as advance:
        manifest = fill(folder, chosen, arguments.time_limit or TIME_LIMIT_S, advance)
    print(certificates(manifest.entries))
    refuted = [e.name for e in manifest.entries if e.certificate and e.certificate.verdict is Verdict.REFUTED]
    return _exit_code([f"{name}: its proof is REFUTED; `euclio certify` prints the better plan" for name in refuted])
