"""Check the benchmark set: read files, price plans again, compare bounds and classes, find duplicates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.numbers import decimal_text
from euclio.core.progress import told
from euclio.experiments.bench_set.manifest import (
    CertificateRecord,
    Difficulty,
    Entry,
    best_path,
    difficulty_of,
    instance_path,
    read_best,
    read_instance,
    rooms,
)
from euclio.experiments.task import text_hash
from euclio.files.json_reading import read_text
from euclio.files.json_writing import one_line
from euclio.files.result_files import reasons_against
from euclio.proving.certifying import instance_sha256, plan_sha256


@told("checking the benchmark set")
def defects(folder: Path, entries: Sequence[Entry], advance: Callable[[], None] = lambda: None) -> list[str]:
    """The errors of some instances of the set, one line each.

    Args:
        folder: folder of the set.
        entries: their entries in the manifest.
        advance: called after each instance.
    """
    found: list[str] = []
    for entry in entries:
        found += [f"{entry.name}: {reason}" for reason in _defects_of(folder, entry)]
        advance()
    return found


@told("looking for twins and strays in the benchmark set")
def defects_of_set(folder: Path, entries: Sequence[Entry]) -> list[str]:
    """The errors of the set as a whole, one line each: stray files, duplicate instances, empty classes."""
    return [*_strays(folder, entries), *_twins(folder, entries), *_missing_classes(entries)]


def _defects_of(folder: Path, entry: Entry) -> list[str]:
    try:
        instance = read_instance(folder, entry)
        written = read_best(folder, instance)
    except InputError as error:
        return [str(error)]
    family = family_of(instance)
    reasons = []
    if (instance.name, family.name) != (entry.name, entry.family):
        reasons.append(f"the file holds {family.name} {instance.name}")
    if text_hash(read_text(instance_path(folder, entry))) != entry.text_hash:
        reasons.append("the file is not the one that text_hash speaks of")
    if written.plan is None:
        return [*reasons, "there is no plan"]
    checked = family.evaluate(instance, written.plan, written.space)
    refused = reasons_against(instance, written, checked)
    if refused:
        return [*reasons, *refused]
    assert checked.value is not None
    goal = written.goal
    for what, value in (("manifest", entry.value), ("result", written.value)):
        if value is None or decimal_text(value) != decimal_text(checked.value):
            reasons.append(f"{goal.value_field} is checked as {decimal_text(checked.value)}, not so in the {what}")
    if written.bound != entry.bound:
        reasons.append(f"{goal.bound_field} differs between manifest and result")
    difficulty = difficulty_of(goal.proven(checked.value, entry.bound), entry.effort)
    if difficulty is not entry.difficulty:
        reasons.append(f"is {entry.difficulty}, but its effort makes it {difficulty}")
    kept = entry.certificate
    if kept is not None:
        hashes = (instance_sha256(instance), plan_sha256(instance, written.plan, checked))
        reasons += _against(kept, difficulty, hashes)
    return reasons


def _against(kept: CertificateRecord, difficulty: Difficulty, hashes: tuple[str, str | None]) -> Iterator[str]:
    """The errors of a kept certificate."""
    if difficulty is Difficulty.OPEN:
        yield "is not proven, but has a certificate"
    if kept.verdict is Verdict.REFUTED:
        yield f"its proof is REFUTED by {kept.prover}"
    if (kept.instance_sha256, kept.plan_sha256) != hashes:
        yield "its certificate is of another instance or plan; `euclio bench-set certify` makes a new one"


def _strays(folder: Path, entries: Iterable[Entry]) -> list[str]:
    """Files that the manifest does not list."""
    known = {path for e in entries for path in (instance_path(folder, e), best_path(folder, e.name))}
    return [
        f"{path.relative_to(folder)}: is not in the manifest"
        for room in rooms()
        for path in sorted((folder / room).glob("*"))
        if path not in known
    ]


def _twins(folder: Path, entries: Iterable[Entry]) -> list[str]:
    """Instances that are the same but for their names."""
    first: dict[str, str] = {}
    found = []
    for entry in entries:
        path = instance_path(folder, entry)
        if not path.is_file():
            continue
        text = one_line(read_text(path))
        content = text_hash(text.replace(f'"name":{json.dumps(entry.name)}', "", 1))
        if content in first:
            found.append(f"{entry.name}: is the same instance as {first[content]}")
        first.setdefault(content, entry.name)
    return found


def _missing_classes(entries: Iterable[Entry]) -> list[str]:
    present = {entry.difficulty for entry in entries}
    return [f"no instance is {difficulty}" for difficulty in Difficulty if difficulty not in present]
