"""The set's manifest: what is known of every instance, schema ``euclio/bench-set/1``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at, validated, without_schema
from euclio.files.json_reading import read_json
from euclio.files.json_writing import json_text, one_line, write_text
from euclio.files.plan_files import word

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
    """What the reference method of a family needed.

    Attributes:
        solver: the reference method.
        status: how it ended.
        cpu_s: seconds of processor time, the least of a few runs where it is short.
        counters: its own counters, the same on every machine unless a limit was hit.
    """

    solver: str
    status: str
    cpu_s: float
    counters: dict[str, float]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of the certificate of a proof (`euclio.core.certificate`).

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
    euclio: str
    nodes: int
    wall_s: float
    instance_sha256: str
    plan_sha256: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of an instance; values are in the unit of its objective.

    Attributes:
        name: name of the instance.
        family: problem family.
        text_hash: hash of the instance's text.
        design: what it was designed to be like, as plain data.
        difficulty: class.
        value: best known value, as the checker priced the plan that is kept.
        solver: who found it.
        bound: best proven bound; None: none.
        bound_solver: who proved it; empty without a bound.
        date: day on which value or bound last improved, ISO 8601.
        euclio: version that they were found with.
        effort: effort of the reference method.
        tried: all methods tried.
        time_limit_s: limit of each of them in seconds.
        certificate: what an independent prover says of the proof; None: it was not asked, or nothing is proven.
    """

    name: str
    family: str
    text_hash: str
    design: dict[str, Any]
    difficulty: Difficulty
    value: Fraction
    solver: str
    bound: Fraction | None
    bound_solver: str
    date: str
    euclio: str
    effort: Effort
    tried: tuple[str, ...]
    time_limit_s: float
    certificate: Kept | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The set.

    Attributes:
        seed: seed of the instances.
        cpu: processor that efforts were measured on.
        entries: one per instance, in the order of the design.
    """

    seed: int
    cpu: str
    entries: tuple[Entry, ...]


class _Effort(FileModel):
    solver: Name
    status: Text
    cpu_s: Number
    counters: dict[str, Any]


class _Kept(FileModel):
    verdict: Text
    prover: Name
    euclio: Text
    nodes: Whole
    wall_s: Number
    instance_sha256: Name
    plan_sha256: Name | None


class _Entry(FileModel):
    name: Name
    family: Name
    text_hash: Name
    design: dict[str, Any]
    difficulty: Text
    value: Number
    solver: Name
    bound: Number | None
    bound_solver: Text
    date: Text
    euclio: Text
    effort: _Effort
    tried: list[Name]
    time_limit_s: Number
    certificate: _Kept | None = None


class _Manifest(FileModel):
    seed: Whole
    cpu: Text
    entries: list[_Entry]


def difficulty_of(proven: bool, effort: Effort) -> Difficulty:
    """The class that proof and effort make."""
    if not proven:
        return Difficulty.OPEN
    if effort.status != "optimal" or effort.cpu_s > MEDIUM_S:
        return Difficulty.HARD
    return Difficulty.EASY if effort.cpu_s <= EASY_S else Difficulty.MEDIUM


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    path = folder / FILE
    model = validated(_Manifest, without_schema(read_json(path), SCHEMA, str(path)), str(path))
    entries = []
    for k, entry in enumerate(model.entries):
        with at(f"entries[{k}]", str(path)):
            entries.append(_entry(entry))
    names = [entry.name for entry in entries]
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise InputError(f"{twice[0]!r} is listed twice; keep one of them", file=str(path), field="entries")
    return Manifest(model.seed, model.cpu, tuple(entries))


def _entry(model: _Entry) -> Entry:
    effort = model.effort
    return Entry(
        model.name,
        model.family,
        model.text_hash,
        {key: exact(value) if isinstance(value, Decimal) else value for key, value in model.design.items()},
        Difficulty(word(model.difficulty, Difficulty, "difficulty")),
        exact(model.value),
        model.solver,
        None if model.bound is None else exact(model.bound),
        model.bound_solver,
        model.date,
        model.euclio,
        Effort(
            effort.solver, effort.status, float(effort.cpu_s), {key: float(n) for key, n in effort.counters.items()}
        ),
        tuple(model.tried),
        float(model.time_limit_s),
        None if model.certificate is None else _kept(model.certificate),
    )


def _kept(model: _Kept) -> Kept:
    return Kept(
        Verdict(word(model.verdict, Verdict, "certificate.verdict")),
        model.prover,
        model.euclio,
        model.nodes,
        float(model.wall_s),
        model.instance_sha256,
        model.plan_sha256,
    )


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into a folder.

    Raises:
        InputError: it cannot be written.
    """
    head = {"schema": SCHEMA, "seed": manifest.seed, "cpu": manifest.cpu}
    fields = [f'"{name}":{one_line(json_text(value))}' for name, value in head.items()]
    lines = ",\n".join(one_line(json_text(_data(entry))) for entry in manifest.entries)
    write_text("{" + ",\n".join(fields) + f',\n"entries":[\n{lines}\n]}}\n', folder / FILE)


def _data(entry: Entry) -> dict[str, Any]:
    data = {name: getattr(entry, name) for name in Entry.__slots__}
    effort = entry.effort
    counters = {name: int(n) if n == int(n) else n for name, n in effort.counters.items()}
    data["effort"] = {
        "solver": effort.solver,
        "status": effort.status,
        "cpu_s": round(effort.cpu_s, 6),
        "counters": counters,
    }
    data["tried"] = list(entry.tried)
    kept = data.pop("certificate")
    if kept is not None:
        data["certificate"] = {name: getattr(kept, name) for name in Kept.__slots__}
        data["certificate"]["wall_s"] = round(kept.wall_s, 6)
    return data
