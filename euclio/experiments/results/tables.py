"""Tables of results: joined, and as Parquet with the provenance in the schema's metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

PROVENANCE_KEY = b"euclio"
NAMES = ("workload", "application", "solver", "policy", "dummy_rule", "status", "module", "hardware")


def joined(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Tables one below the other; a column that a table lacks is empty there."""
    return pd.DataFrame.from_records([row for table in tables for row in table.to_dict("records")])


def save(table: pd.DataFrame, path: Path, provenance: dict[str, Any]) -> None:
    """Write a table, repeated names as dictionaries."""
    compact = table.astype({name: "category" for name in NAMES if name in table})
    arrow = pa.Table.from_pandas(compact, preserve_index=False)
    metadata = {**(arrow.schema.metadata or {}), PROVENANCE_KEY: json.dumps(provenance, sort_keys=True).encode()}
    pq.write_table(arrow.replace_schema_metadata(metadata), path, compression="zstd", compression_level=9)


def load(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table and its provenance."""
    arrow = pq.read_table(path)
    provenance: dict[str, Any] = json.loads((arrow.schema.metadata or {})[PROVENANCE_KEY])
    table: pd.DataFrame = arrow.to_pandas()
    return table.astype({name: object for name in NAMES if name in table}), provenance
