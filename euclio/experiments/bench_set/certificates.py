"""Certificates of the set's proofs: made once and kept in the manifest, repeated on a sample."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from euclio.core.certificate import Certificate, Verdict
from euclio.core.families import family_of
from euclio.core.family import Checked
from euclio.core.progress import told
from euclio.experiments.bench_set.manifest import (
    CertificateRecord,
    Difficulty,
    Entry,
    Manifest,
    read_best,
    read_instance,
    read_manifest,
    write_manifest,
)
from euclio.proving.certifying import certify, instance_sha256, plan_sha256

TIME_LIMIT_S = 60.0


def proofs(entries: Iterable[Entry]) -> list[Entry]:
    """The entries whose plan is proven."""
    return [entry for entry in entries if entry.difficulty is not Difficulty.OPEN]


def sample(entries: Sequence[Entry], size: int | None, seed: int) -> list[Entry]:
    """A seeded sample in the order of the set; all entries where no size is given or there are no more."""
    if size is None or size >= len(entries):
        return list(entries)
    return [entries[i] for i in sorted(random.Random(seed).sample(range(len(entries)), size))]


def certified(folder: Path, entry: Entry, time_limit_s: float | None, proofs: Path | None = None) -> Certificate:
    """The prover's verdict on an entry's proof now.

    Args:
        folder: folder of the set.
        entry: an entry whose plan is proven.
        time_limit_s: limit in seconds; None means no limit.
        proofs: folder to write a proof file to, named after the instance; None if none is written.

    Raises:
        InputError: a file cannot be read or written.
    """
    instance = read_instance(folder, entry)
    proof = None if proofs is None else proofs / f"{entry.name}.vipr"
    return certify(instance, read_best(folder, instance), time_limit_s, proof)


def kept_certificate(certificate: Certificate) -> CertificateRecord:
    """The part of a certificate that the manifest keeps."""
    return CertificateRecord(
        certificate.verdict,
        certificate.prover,
        certificate.provenance["packages"]["euclio"],
        certificate.nodes,
        certificate.wall_s,
        certificate.instance_sha256,
        certificate.plan_sha256,
    )


def wrong(entry: Entry, certificate: Certificate) -> str:
    """The disagreement of a repeated certificate with the set, in one line; empty if there is none."""
    if certificate.verdict is Verdict.REFUTED:
        return f"{entry.name}: REFUTED: {certificate.reason}"
    before = entry.certificate
    hashes = (certificate.instance_sha256, certificate.plan_sha256)
    if before is not None and (before.instance_sha256, before.plan_sha256) != hashes:
        return f"{entry.name}: the certificate that is kept is of another instance or plan"
    return ""


def has_certificate(folder: Path, entry: Entry) -> bool:
    """Whether an entry's proof is certified for the instance and the plan as they are now.

    Raises:
        InputError: a file cannot be read.
    """
    if entry.certificate is None or entry.certificate.verdict is not Verdict.CERTIFIED:
        return False
    instance = read_instance(folder, entry)
    best = read_best(folder, instance)
    return is_certified(entry, instance, best.plan, family_of(instance).evaluate(instance, best.plan, best.space))


def is_certified(entry: Entry, instance: Any, plan: Any, checked: Checked) -> bool:
    """Whether the proof of an entry is certified for this instance and this checked plan."""
    known = entry.certificate
    if known is None or known.verdict is not Verdict.CERTIFIED:
        return False
    hashes = (instance_sha256(instance), plan_sha256(instance, plan, checked))
    return (known.instance_sha256, known.plan_sha256) == hashes


@told("certifying the benchmark set")
def fill(folder: Path, names: Collection[str], time_limit_s: float | None, advance: Callable[[], None]) -> Manifest:
    """Make certificates and keep each in the manifest at once.

    Args:
        folder: folder of the set.
        names: instances whose plan is proven.
        time_limit_s: limit of each search in seconds; None means no limit.
        advance: called after each of them.

    Raises:
        InputError: a file cannot be read or written.
    """
    manifest = read_manifest(folder)
    for entry in manifest.entries:
        if entry.name in names:
            found = replace(entry, certificate=kept_certificate(certified(folder, entry, time_limit_s)))
            entries = tuple(found if e.name == entry.name else e for e in manifest.entries)
            manifest = replace(manifest, entries=entries)
            write_manifest(manifest, folder)
            advance()
    return manifest
