"""CSV in and out: lines and cells, and texts that no spreadsheet takes for a formula (docs/howto/deployment.md)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.numbers import decimal_text

if TYPE_CHECKING:
    import pandas as pd


# CSV in: the records of a text with the lines that they end in; a cell keeps to one line.


def csv_records(
    text: str, *, separator: str = ",", skipinitialspace: bool = False, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The number of its last line, and the cells, of each record.

    A line break in a quoted cell is refused: without it, two names or two numbers would become one.

    Args:
        text: the file's text.
        separator: the character between cells.
        skipinitialspace: whether white space behind a comma is no part of a cell.
        strict: whether quotes in wrong places are an error.

    Raises:
        InputError: a cell holds a line break; names the line.
        csv.Error: the text is not CSV.
    """
    # Without translation, so that the reader sees the line breaks inside quotes, and all that end a line.
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=skipinitialspace, strict=strict
    )
    for cells in reader:
        for cell in cells:
            if cell.splitlines() not in ([], [cell]):
                message = f"has a line break in the cell {cell[:40]!a}; write each cell in one line"
                raise InputError(message, field=f"line {reader.line_num}")
        yield reader.line_num, cells


# CSV out: numbers as they are, and texts that no spreadsheet takes for a formula (ours; docs/howto/deployment.md).

_RISKY = re.compile(r"'*\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""Beginnings of texts that some spreadsheet runs, also in full width, and of those guarded."""
_GUARDED = re.compile(r"'(?='*\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")


def csv_text(heading: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as the text of a CSV file.

    Args:
        heading: names of the columns.
        rows: the cells of each row. Fractions are written as decimals, None as nothing, other numbers as they are; a
            text that a spreadsheet would take for a formula gets an apostrophe before it (`guarded`).
    """
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in (heading, *rows):
        writer.writerow([_cell(value) for value in row])
    return lines.getvalue()


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows by name of the column as the text of a CSV file; the first row has all columns."""
    return csv_text(rows[0], ([row[name] for name in rows[0]] for row in rows))


def guarded(text: str) -> str:
    """A text with an apostrophe before it where a spreadsheet would take it for a formula; `unguarded` takes it off.

    Texts that would read as guarded get one too, so that different texts stay different.
    """
    return f"'{text}" if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given."""
    return _GUARDED.sub("", text, count=1) if _GUARDED.match(text) else text


def frame_text(frame: pd.DataFrame) -> str:
    """A frame as the text of a CSV file, without its index; its texts are `guarded`."""
    safe = frame.rename(columns=guarded)
    for place, column in enumerate(safe.columns):
        if safe.dtypes.iloc[place].kind not in "biufc":
            safe = safe.assign(**{column: [guarded(v) if isinstance(v, str) else v for v in safe[column]]})
    return str(safe.to_csv(index=False))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return guarded(value)
    if isinstance(value, Fraction):
        return decimal_text(value)
    return "" if value is None else value
