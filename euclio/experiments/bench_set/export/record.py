"""The manifest of an export of the benchmark set, schema ``euclio/bench-export/1``."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.certificate import CHECKER
from euclio.core.numbers import decimal_text
from euclio.files.boundary import Text, at, validated, without_schema
from euclio.files.dataclass_files import file_model, made, plain_data
from euclio.files.json_reading import read_json
from euclio.files.json_writing import json_text, one_line

SCHEMA = "euclio/bench-export/1"
FILE, TABLE = "manifest.json", "manifest.csv"
BY_FILE, BY_SEARCH, BY_CHECKER = "file", "independent search", CHECKER
MODEL, SOLUTION, PROOF = ".mps.gz", ".sol", ".vipr.gz"


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of an export.

    Attributes:
        path: its path relative to the folder of the export, with slashes.
        size: its size in bytes.
        sha256: its SHA-256 in hex.
    """

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ExportedInstance:
    """An instance in an export; values are in the unit of its objective.

    Attributes:
        name: name of the instance.
        family: problem family.
        difficulty: its class in the set.
        space: plan space in words.
        objective: the objective of a plan.
        unit: unit of value and bound.
        value: best known value, as the checker prices the plan, in 15 digits where no decimal equals it.
        bound: best proven bound; None if none is proven.
        evidence: the evidence that no plan is better: "file", "independent search" or "checker"; empty if it is only
            the solver that proved the bound, or if nothing is proven.
        formulation: number of the written program, such as "F1"; empty if there is none.
        rows: its constraints, but for bounds of single variables.
        no_model: why there is no program, in one line.
        no_proof: why there is no proof file, in one line.
        date: day on which value or bound last improved, ISO 8601.
        time_limit_s: limit in seconds under which program and proof were made.
        source_hash: hash of the instance's entry in the set and of its files there.
    """

    name: str
    family: str
    difficulty: str
    space: Text
    objective: str
    unit: Text
    value: Fraction
    bound: Fraction | None
    evidence: Text
    formulation: Text
    variables: int
    rows: int
    no_model: Text
    no_proof: Text
    date: Text
    time_limit_s: float
    source_hash: str
    files: tuple[ExportedFile, ...]

    def file(self, ending: str) -> ExportedFile | None:
        """Its file with this name ending; None if there is none."""
        return next((file for file in self.files if file.path.endswith(ending)), None)


@dataclass(frozen=True, slots=True)
class Export:
    """An export.

    Attributes:
        euclio: version that it was made with.
        entries: its instances, in the order of the set.
        files: files about all of them, but for this record and the crate's, which lists it.
        writing: names of files that are just being written; none if it is complete.
    """

    euclio: Text
    entries: tuple[ExportedInstance, ...] = ()
    files: tuple[ExportedFile, ...] = ()
    writing: tuple[str, ...] = ()

    @property
    def date(self) -> str:
        """Day on which a value or a bound of it last improved, ISO 8601; empty if it has no instances."""
        return max((entry.date for entry in self.entries), default="")

    def paths(self) -> Iterator[str]:
        """The files that are, or may be, there since this export was made."""
        yield from self.writing
        for entry in self.entries:
            yield from (file.path for file in entry.files)
        yield from (file.path for file in self.files)


def described(path: str, data: bytes) -> ExportedFile:
    """The record of a file that holds these bytes."""
    return ExportedFile(path, len(data), hashlib.sha256(data).hexdigest())


def read_export(folder: Path) -> Export:
    """The record of an export; raises an `InputError` that names the file, the field and the remedy."""
    path = folder / FILE
    model = validated(file_model(Export), without_schema(read_json(path), SCHEMA, str(path)), str(path))
    with at("", str(path)):
        found: Export = made(Export, model)
    return found


def export_text(export: Export) -> str:
    """The text of a record: a line for each instance."""
    head = {"schema": SCHEMA, "euclio": export.euclio, "writing": list(export.writing)}
    fields = [f'"{name}":{one_line(json_text(value))}' for name, value in head.items()]
    parts = (("entries", export.entries), ("files", export.files))
    for name, own in parts:
        lines = ",\n".join(one_line(json_text(plain_data(one))) for one in own)
        fields.append(f'"{name}":[\n{lines}\n]' if own else f'"{name}":[]')
    return "{" + ",\n".join(fields) + "}\n"


def table_text(export: Export) -> str:
    """The instances of an export as a table of comma-separated values."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*_row(export.entries[0])] if export.entries else [], lineterminator="\n")
    writer.writeheader()
    for entry in export.entries:
        writer.writerow(_row(entry))
    return out.getvalue()


def _row(entry: ExportedInstance) -> dict[str, Any]:
    sizes = {f"{name}_bytes": entry.file(end) for name, end in (("mps", MODEL), ("vipr", PROOF))}
    return {
        "name": entry.name,
        "family": entry.family,
        "class": entry.difficulty,
        "space": entry.space,
        "objective": entry.objective,
        "unit": entry.unit,
        "value": decimal_text(entry.value),
        "bound": "" if entry.bound is None else decimal_text(entry.bound),
        "evidence": entry.evidence,
        "formulation": entry.formulation,
        "variables": entry.variables or "",
        "rows": entry.rows or "",
        **{name: "" if file is None else file.size for name, file in sizes.items()},
        "no_model": entry.no_model,
        "no_proof": entry.no_proof,
    }
