"""`euclio bench-set certify` and `check --certify`: the set's proofs before an independent prover."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.core.progress import progress_bar, say
from euclio.core.values import count, seconds, seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from euclio.bench_set.manifest import Entry
    from euclio.core.values import Verbs

ALL = "all"
SAMPLE = 20
"""Proofs that `check --certify` tries."""


def add_sample(check: argparse.ArgumentParser) -> None:
    """Add the options of `check` that try proofs again."""
    check.add_argument("--certify", action="store_true", help="also try a sample of the proofs with the prover")
    check.add_argument("--sample", type=_sample, metavar="N", help="how many proofs, or all; default: 20")
    check.add_argument("--seed", type=seed, metavar="K", help="seed of the sample; default: 0")


def add_certify(actions: Verbs) -> argparse.ArgumentParser:
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
    certify.add_argument("--family", choices=("session", "pipeline"), help="only this problem family")
    certify.set_defaults(run=run_certify)
    return certify


def _sample(text: str) -> int | str:
    """A whole number, at least 1, or "all"."""
    return text if text == ALL else count(text)


def certify_sample(folder: Path, entries: Sequence[Entry], arguments: argparse.Namespace) -> int:
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
