"""Records as Arrow tables: one column per field, nested fields as JSON text, provenance side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.parameters import verb_text
from euclio.experiments.durable import replaced
from euclio.experiments.record import Record

_WORD = pa.dictionary(pa.int32(), pa.string())
"""Texts that many rows share."""

_KINDS = {"str": _WORD, "dict": _WORD, "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
"""Types of columns by the type of the record's field, as it begins."""
_OWN_KINDS = {
    **dict.fromkeys(("key", "stats", "plan", "started_at", "measured"), pa.string()),  # few rows share one
    "trace": pa.list_(pa.list_(pa.float64())),
}
_PROVENANCE = {
    **dict.fromkeys(("git", "euclio", "python", "cpu"), _WORD),
    "cores": pa.int64(),
    **dict.fromkeys(("packages", "kernels"), _WORD),
}
"""Columns that stand for a record's provenance."""


def _columns() -> Iterator[tuple[str, pa.DataType]]:
    for field in fields(Record):
        if field.name == "provenance":
            yield from _PROVENANCE.items()
        else:
            kind = re.split(r"\W", str(field.type))[0]
            yield field.name, _OWN_KINDS[field.name] if field.name in _OWN_KINDS else _KINDS[kind]


SCHEMA = pa.schema(list(_columns()))
"""One column per field of a record, in its order."""

JSON_TEXT = ("options", "features", "stats", "plan", "packages", "measured")
"""Columns of JSON text."""

LATER = ("certificate", "certify_s", "certify_nodes", "certify_reason", "cpu_s", "measured", "population", "kernels")
"""Columns that results of earlier versions lack."""


_NEEDED = tuple(
    field.name
    for field in fields(Record)
    if field.name in SCHEMA.names and field.name not in LATER and "None" not in str(field.type)
)
"""Columns without missing values."""

_SHARED_OBJECTS = ("options", "features", "packages")
"""Columns of JSON objects that many rows share."""


def to_table(rows: Iterable[Mapping[str, Any]], file: Path | None = None) -> pa.Table:
    """Records as written (`euclio.experiments.journal`) as a table of `SCHEMA`.

    Args:
        rows: the records.
        file: their file, for messages; None means that they come from this process.

    Raises:
        InputError: a field has an impossible value; names file and field.
    """
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    for row in rows:
        for name, value in _flat(row, file).items():
            columns[name].append(value)
    arrays = {field.name: _column(columns[field.name], field, file) for field in SCHEMA}
    return checked(pa.table(arrays, schema=SCHEMA), file)


def checked(table: pa.Table, file: Path | None) -> pa.Table:
    """A table with the columns of `SCHEMA`, of their types, as records have them; further columns stay.

    Raises:
        InputError: a column has an impossible value; names file and field.
    """
    try:
        # Reading a file checks numbers of bytes only; their content, such as UTF-8, is checked here.
        table.validate(full=True)
    except pa.ArrowException:
        raise _damaged(file) from None
    for name in table.column_names:
        if name in SCHEMA.names:
            field = SCHEMA.field(name)
            place = table.column_names.index(name)
            table = table.set_column(place, field, _cast(table.column(name), field, file))
    for name in _NEEDED:
        if name in table.column_names and table.column(name).null_count:
            raise _wrong(file, name, "is missing in a row")
    for name in _SHARED_OBJECTS:
        if name in table.column_names:
            _check_objects(table.column(name).unique().to_pylist(), name, file)
    if "certificate" in table.column_names:
        unknown = set(table.column("certificate").unique().to_pylist()) - {None, *map(str, Verdict)}
        if unknown:
            raise _wrong(file, "certificate", f"is {min(unknown)[:40]!a}, no verdict of a prover")
    return table


def _column(values: list[Any], field: pa.Field, file: Path | None) -> pa.Array:
    try:
        return pa.array(values, field.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise _wrong(file, field.name, "holds what no record has there") from None


def _cast(column: pa.ChunkedArray, field: pa.Field, file: Path | None) -> pa.ChunkedArray:
    if column.type == field.type:
        return column
    try:
        return column.cast(field.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise _wrong(file, field.name, "holds what no record has there") from None


def _check_objects(texts: list[Any], name: str, file: Path | None) -> None:
    """Refuse texts that are no JSON objects."""
    for text in texts:
        with suppress(ValueError, TypeError, RecursionError):
            if isinstance(json.loads(text), dict):
                continue
        raise _wrong(file, name, "holds no object in JSON")


def _wrong(file: Path | None, name: str, what: str) -> InputError:
    return InputError(
        f"{what}; move the file away, then {verb_text('run')} makes its runs again",
        file=None if file is None else str(file),
        field=name,
    )


def _damaged(file: Path | None) -> InputError:
    return InputError(
        f"is damaged; move it away, then {verb_text('run')} makes its runs again",
        file=None if file is None else str(file),
    )


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Records in a Parquet file of a result folder; some of their columns, or all.

    Raises:
        InputError: it is damaged.
    """
    try:
        table = pq.read_table(path, columns=columns, schema=SCHEMA)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException):
        raise _damaged(path) from None
    return checked(table, path)


def with_later(table: pa.Table) -> pa.Table:
    """A table of results with the columns of `LATER`, which are missing values where it had none."""
    for name in LATER:
        if name not in table.column_names:
            kind = SCHEMA.field(name).type
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a Parquet file atomically; raises an `UnwritableError` if it cannot be written."""
    with replaced(path) as stream:
        pq.write_table(table, stream, compression="zstd")


def _flat(row: Mapping[str, Any], file: Path | None) -> dict[str, Any]:
    provenance = row.get("provenance")
    packages = provenance.get("packages", {}) if isinstance(provenance, dict) else None
    if not (isinstance(provenance, dict) and isinstance(packages, dict)):
        raise _wrong(file, "provenance", "holds what no record has there")
    flat = {name: row.get(name) for name in SCHEMA.names}
    flat |= {name: provenance.get(name) for name in _PROVENANCE}
    flat |= {"euclio": packages.get("euclio"), "packages": packages}
    for name in JSON_TEXT:
        flat[name] = None if flat[name] is None else json.dumps(flat[name], sort_keys=True, ensure_ascii=False)
    return flat
