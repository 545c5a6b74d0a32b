"""CSV in: the records of a text with the lines that they end in; a cell keeps to one line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from euclio.core.errors import InputError


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
