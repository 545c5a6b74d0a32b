"""`euclio bench-set`: the benchmark set: check it, run a solver on it, list it, make it, certify it, export it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.certificate import Verdict
from euclio.core.families import homes
from euclio.core.progress import say
from euclio.core.values import count, seconds, seed
from euclio.verbs.commands import REFUSED, SOLVED
from euclio.verbs.commands.options import instances, own_keywords
from euclio.verbs.keywords import ALL, CLASSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euclio.core.values import Verbs


def bench_set_options(parser: argparse.ArgumentParser) -> None:
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
    listing = actions.add_parser(
        "list",
        help="list instances: a table, or in a pipe their paths",
        description="A table of instances with what they were drawn from; in a pipe their paths.",
        allow_abbrev=False,
    )
    form = listing.add_mutually_exclusive_group()
    form.add_argument("--table", action="store_true", help="print the table also where the output is no terminal")
    form.add_argument("--json", action="store_true", help="print paths and what is known of the instances as JSON")
    listing.set_defaults(run=run_list)
    exporting = _add_export(actions)
    for action in (check, listing, exporting):
        action.add_argument("--family", choices=tuple(homes()), help="only this problem family")
        action.add_argument("--class", dest="difficulty", choices=CLASSES, help="only this class")
    build = actions.add_parser(
        "build",
        help="make the set again",
        description="Write the seeded instances; solve those that are new or changed, and open ones if the limit is "
        "longer than before.",
        allow_abbrev=False,
    )
    build.add_argument("--time-limit", type=seconds, metavar="S", help="limit of each run in seconds; default: 20")
    build.add_argument(
        "--again", action="store_true", help="measure and prove all of them again, and keep plans that are better"
    )
    build.add_argument("--family", choices=tuple(homes()), help="with --again: only this problem family")
    build.set_defaults(run=run_build)
    certify = _add_certify(actions)
    for action in (check, listing, build, certify, exporting):
        action.add_argument("--folder", type=Path, metavar="DIR", help="default: the set that comes with euclio")


def _add_sample(check: argparse.ArgumentParser) -> None:
    """Add the options of `check` that try proofs again."""
    check.add_argument("--certify", action="store_true", help="also try a sample of the proofs with the prover")
    check.add_argument("--sample", type=_sample, metavar="N", help="how many proofs, or all; default: 20")
    check.add_argument("--seed", type=seed, metavar="K", help="seed of the sample; default: 0")
    check.add_argument(
        "--proofs", type=Path, metavar="DIR", help="write proof files of them there, and show their sizes"
    )


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


def _add_export(actions: Verbs) -> argparse.ArgumentParser:
    """Add the action that writes the set for people without euclio."""
    exporting = actions.add_parser(
        "export",
        help="write the set for people who do not install euclio: programs, proofs, and what checks them",
        description="Write instances, plans, programs (MPS), points and proofs (VIPR), values in MIPLIB's format, and "
        "two checkers that need nothing but Python. Interrupted, it goes on where it was.",
        allow_abbrev=False,
    )
    exporting.add_argument("out", metavar="DIR", help="a new folder, or that of an earlier export")
    exporting.add_argument(
        "--time-limit", type=seconds, metavar="S", help="limit for each program and its proof in seconds; default: 10"
    )
    exporting.set_defaults(run=run_export)
    return exporting


def _sample(text: str) -> int | str:
    """A whole number, at least 1, or "all"."""
    return text if text == ALL else count(text)


def run_check(arguments: argparse.Namespace) -> int:
    """Check, compare, print."""
    from euclio.core.tables import to_text
    from euclio.experiments.bench_set.table import certificate_table, compared_table, proofs_table, summary
    from euclio.verbs.bench_set import check_bench_set

    own = own_keywords(arguments, "family", "solve", "certify", "sample", "seed", "proofs", "time_limit")
    found = check_bench_set(arguments.folder, class_=arguments.difficulty, **own)
    for line in found.defects:
        print(line)
    if found.defects:
        say(f"the benchmark set has {len(found.defects)} defects")
        return REFUSED
    print(summary(found.entries))
    if arguments.certify:
        print(to_text(certificate_table(found.certified)))
        if arguments.proofs is not None:
            print(to_text(proofs_table(found.certified)))
        _exit_code(found.against)
    if arguments.solve is not None:
        print(to_text(compared_table(found.compared)))
    return SOLVED if found.good else REFUSED


def run_list(arguments: argparse.Namespace) -> int:
    """Print a table, JSON or the paths."""
    from euclio.verbs.bench_set import list_bench_set

    found = list_bench_set(arguments.folder, family=arguments.family, class_=arguments.difficulty)
    if arguments.json:
        from euclio.experiments.bench_set.manifest import entry_data
        from euclio.files.json_writing import json_text

        known = [{"path": str(path), **entry_data(one)} for path, one in zip(found, found.entries, strict=True)]
        print(json_text({"schema": "euclio/bench-list/1", "instances": known}))
    elif arguments.table or sys.stdout.isatty():
        from euclio.core.tables import to_text
        from euclio.experiments.bench_set.table import listed_table

        print(to_text(listed_table(found.entries)))
    else:
        print("".join(f"{path}\n" for path in found), end="")
    return SOLVED


def run_build(arguments: argparse.Namespace) -> int:
    """Make the set."""
    from euclio.experiments.bench_set.table import summary
    from euclio.verbs.bench_set import build_bench_set

    own = own_keywords(arguments, "time_limit", "again", "family")
    print(summary(build_bench_set(arguments.folder, **own).entries))
    return SOLVED


def run_certify(arguments: argparse.Namespace) -> int:
    """Make certificates and keep them."""
    from euclio.experiments.bench_set.table import certificates
    from euclio.verbs.bench_set import certify_bench_set

    manifest = certify_bench_set(arguments.folder, **own_keywords(arguments, "time_limit", "again", "family"))
    print(certificates(manifest.entries))
    refuted = [e.name for e in manifest.entries if e.certificate and e.certificate.verdict is Verdict.REFUTED]
    return _exit_code([f"{name}: its proof is REFUTED; `euclio certify` prints the better plan" for name in refuted])


def run_export(arguments: argparse.Namespace) -> int:
    """Write the set for people without euclio."""
    from euclio.core.tables import to_text
    from euclio.experiments.bench_set.table import exported_table
    from euclio.verbs.bench_set import export_bench_set

    own = own_keywords(arguments, "time_limit", "family")
    found = export_bench_set(arguments.out, arguments.folder, class_=arguments.difficulty, **own)
    print(to_text(exported_table(found)))
    return SOLVED


def _exit_code(problems: Sequence[str]) -> int:
    """Say what is wrong; the exit code."""
    for line in problems:
        say(line)
    return REFUSED if problems else SOLVED
