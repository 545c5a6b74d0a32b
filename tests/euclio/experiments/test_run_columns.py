"""Columns of records as files hold them."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from euclio.core.errors import InputError
from euclio.experiments.columns import SCHEMA, read_table


def test_a_text_that_is_no_utf_8_is_a_damaged_file(tmp_path):
    """Bytes flipped within a text left the file readable, and ended `euclio report` in an internal error."""
    path = tmp_path / "records-1.parquet"
    texts = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    columns = {field.name: texts if field.type == pa.string() else pa.nulls(1, field.type) for field in SCHEMA}
    pq.write_table(pa.table(columns, schema=SCHEMA), path)
    with pytest.raises(InputError, match="is damaged; move it away"):
        read_table(path)
