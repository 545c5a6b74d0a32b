"""The set's manifest with an entry per instance, schema ``euclio/bench-set/1``, and the paths of its files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.families import families, family_of, find_family
from euclio.core.folders import data_dir
from euclio.core.result import WrittenResult
from euclio.files.boundary import Text, at, validated, without_schema
from euclio.files.dataclass_files import file_model, made, plain_data
from euclio.files.instance_files import load_instance
from euclio.files.json_reading import read_json
from euclio.files.json_writing import compact, json_text, one_line, write_text
from euclio.files.result_files import load_result

SCHEMA = "euclio/bench-set/1"
FILE = "manifest.json"

EASY_S, MEDIUM_S = 0.1, 2.0
"""Seconds of processor time within which the reference method proves an easy and a medium instance."""


class Difficulty(StrEnum):
    """Class of an instance."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    """Proven, but only in more time, or by another method."""
    OPEN = "open"
    """Not proven by any method tried."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of the reference method of a family.

    Attributes:
        solver: the reference method.
        status: how it ended.
        cpu_s: seconds of processor time; the least of a few runs where it is short.
        counters: its own counters, the same on every machine unless a limit was hit.
    """

    solver: str
    status: Text
    cpu_s: float
    counters: dict[str, float]


@dataclass(frozen=True, slots=True)
class CertificateRecord:
    """The kept part of the certificate of a proof (`euclio.core.certificate`).

    Attributes:
        verdict: certified, refuted or open.
        prover: module of the prover, or "checker".
        euclio: version that it was made with.
        nodes: nodes of its search.
        wall_s: seconds that it took.
        instance_sha256: SHA-256 of the instance's text as euclio writes it, in hex.
        plan_sha256: the same of the plan.
    """

    verdict: Verdict
    prover: str
    euclio: Text
    nodes: int
    wall_s: float
    instance_sha256: str
    plan_sha256: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """The known results on an instance; values are in the unit of its objective.

    Attributes:
        name: name of the instance.
        family: problem family.
        text_hash: hash of the instance's text.
        design: its design as plain data.
        difficulty: class.
        value: best known value, as the checker priced the plan that is kept.
        solver: the solver that found it.
        bound: best proven bound; None if none is proven.
        bound_solver: the solver that proved it; empty without a bound.
        date: day on which value or bound last improved, ISO 8601.
        euclio: version that they were found with.
        effort: effort of the reference method.
        tried: all methods tried.
        time_limit_s: limit of each of them in seconds.
        certificate: an independent prover's verdict on the proof; None if it did not run, or nothing is proven.
    """

    name: str
    family: str
    text_hash: str
    design: dict[str, Any]
    difficulty: Difficulty
    value: Fraction
    solver: str
    bound: Fraction | None
    bound_solver: Text
    date: Text
    euclio: Text
    effort: Effort
    tried: tuple[str, ...]
    time_limit_s: float
    certificate: CertificateRecord | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The set.

    Attributes:
        seed: seed of the instances.
        cpu: processor that efforts were measured on.
        entries: one per instance, in the order of the design.
    """

    seed: int
    cpu: Text
    entries: tuple[Entry, ...]


def difficulty_of(proven: bool, effort: Effort) -> Difficulty:
    """The class that proof and effort make."""
    if not proven:
        return Difficulty.OPEN
    if effort.status != "optimal" or effort.cpu_s > MEDIUM_S:
        return Difficulty.HARD
    return Difficulty.EASY if effort.cpu_s <= EASY_S else Difficulty.MEDIUM


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder; raises an `InputError` that names the file, the field and the remedy."""
    path = folder / FILE
    model = validated(file_model(Manifest), without_schema(read_json(path), SCHEMA, str(path)), str(path))
    with at("", str(path)):
        manifest: Manifest = made(Manifest, model)
    names = [entry.name for entry in manifest.entries]
    for k, name in enumerate(names):
        if {"/", "\\"} & set(name) or name in (".", ".."):
            message = f"is {name[:40]!a}, no name of a file in the set; take out what leads out of its folder"
            raise InputError(message, file=str(path), field=f"entries[{k}].name")
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise InputError(f"{twice[0]!r} is listed twice; keep one of them", file=str(path), field="entries")
    return manifest


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into a folder; raises an `InputError` if it cannot be written."""
    head = {"schema": SCHEMA, "seed": manifest.seed, "cpu": manifest.cpu}
    fields = [f'"{name}":{one_line(json_text(value))}' for name, value in head.items()]
    lines = ",\n".join(one_line(json_text(entry_data(entry))) for entry in manifest.entries)
    write_text("{" + ",\n".join(fields) + f',\n"entries":[\n{lines}\n]}}\n', folder / FILE)


def entry_data(entry: Entry) -> dict[str, Any]:
    """An instance's entry in the manifest as plain data."""
    data: dict[str, Any] = plain_data(entry)
    effort, kept = data["effort"], data["certificate"]
    effort["cpu_s"] = round(effort["cpu_s"], 6)
    effort["counters"] = {name: int(n) if n == int(n) else n for name, n in effort["counters"].items()}
    if kept is None:
        del data["certificate"]
    else:
        kept["wall_s"] = round(kept["wall_s"], 6)
    return data


def set_folder() -> Path:
    """The folder of the set that comes with euclio."""
    return data_dir() / "instances"


def rooms() -> list[str]:
    """The folders in it: one per family that it has instances of, and that of the best plans."""
    return [*(family.instances for family in families() if family.designs()), "best"]


def instance_path(folder: Path, entry: Entry) -> Path:
    """File of an instance."""
    return folder / find_family(entry.family).instances / f"{entry.name}.json"


def best_path(folder: Path, name: str) -> Path:
    """File of the best known result on an instance, as `euclio verify` reads it."""
    return folder / "best" / f"{name}.json"


def read_instance(folder: Path, entry: Entry) -> Any:
    """An instance of the set; raises an `InputError` that names the file, the field and the remedy."""
    return load_instance(instance_path(folder, entry))


def read_best(folder: Path, instance: Any) -> WrittenResult:
    """The best known result on an instance, not yet checked.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    return load_result(best_path(folder, instance.name), instance)


def instance_text(instance: Any) -> str:
    """The text of an instance's file in the set."""
    return compact(family_of(instance).to_text(instance))
