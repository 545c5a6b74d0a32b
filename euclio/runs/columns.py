"""Records as Arrow tables: one column per field, nested fields as JSON text, provenance side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from euclio.core.errors import InputError
from euclio.runs.durable import replaced
from euclio.runs.record import Record

_WORD = pa.dictionary(pa.int32(), pa.string())
"""Texts that many rows share."""

_KINDS = {"str": _WORD, "dict": _WORD, "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
"""Types of columns by the type of the record's field, as it begins."""
_OWN_KINDS = {
    **dict.fromkeys(("key", "stats", "plan", "started_at", "measured"), pa.string()),  # few rows share one
    "trace": pa.list_(pa.list_(pa.float64())),
}
_PROVENANCE = {"git": _WORD, "euclio": _WORD, "python": _WORD, "cpu": _WORD, "cores": pa.int64(), "packages": _WORD}
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

LATER = ("certificate", "certify_s", "certify_nodes", "certify_reason", "cpu_s", "measured")
"""Columns that results of earlier versions do not have; they are missing there."""


def to_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Records as written (`euclio.runs.journal`) as a table of `SCHEMA`."""
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    for row in rows:
        for name, value in _flat(row).items():
            columns[name].append(value)
    return pa.table({field.name: pa.array(columns[field.name], field.type) for field in SCHEMA}, schema=SCHEMA)


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Records in a Parquet file of a result folder; some of their columns, or all.

    Raises:
        InputError: it is damaged.
    """
    try:
        return pq.read_table(path, columns=columns, schema=SCHEMA)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException):
        raise InputError("is damaged; move it away, then `euclio run` makes its runs again", file=str(path)) from None


def with_later(table: pa.Table) -> pa.Table:
    """A table of results with the columns of `LATER`, which are missing values where it had none."""
    for name in LATER:
        if name not in table.column_names:
            kind = SCHEMA.field(name).type
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a Parquet file, which is there whole or not at all.

    Raises:
        UnwritableError: it cannot be written.
    """
    with replaced(path) as stream:
        pq.write_table(table, stream, compression="zstd")


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    provenance = row["provenance"]
    packages = provenance.get("packages", {})
    flat = {name: row.get(name) for name in SCHEMA.names}
    flat |= {name: provenance.get(name) for name in _PROVENANCE}
    flat |= {"euclio": packages.get("euclio"), "packages": packages}
    for name in JSON_TEXT:
        flat[name] = None if flat[name] is None else json.dumps(flat[name], sort_keys=True, ensure_ascii=False)
    return flat
