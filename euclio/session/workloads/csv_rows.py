"""Rows of CSV files by column name; every defect of the text is one line that names file and line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

from euclio.core.bytes_reading import read_bytes
from euclio.core.errors import InputError
from euclio.core.values import POSITIVE
from euclio.files.csv_reading import csv_records

LONGEST_NUMBER = 40
"""Characters of the longest number read."""

Row = dict[str, str]
"""Cells of a line by column, without white space around them."""


def rows_of(
    file: str, what: str, check: Callable[[list[str], int], None], *, trailing_comma: bool = False
) -> Iterator[tuple[int, Row]]:
    """Line number and cells by column of each line below the first, blank lines left out.

    Args:
        file: path of the file.
        what: what it is a file of, as an error says it after "name a CSV file of".
        check: is given the columns, which the first line names, and the number of that line; refuses wrong ones.
        trailing_comma: lines may end with one, as those of some tools do.

    Raises:
        InputError: naming file, line and remedy.
    """
    columns: list[str] = []
    line = 0
    try:
        for line, cells in _records(file, what):
            if not any(cell.strip() for cell in cells):
                continue
            row = [cell.strip() for cell in cells]
            if not columns:
                _refuse_twice(row, line, file)
                check(row, line)
                columns = row
                continue
            if trailing_comma and len(row) == len(columns) + 1 and not row[-1]:
                row.pop()
            if len(row) != len(columns):
                message = f"has {len(row)} cells for {len(columns)} columns; give one for each of {', '.join(columns)}"
                raise at_line(line, message, file)
            yield line, dict(zip(columns, row, strict=True))
    except csv.Error as error:
        raise at_line(line + 1, f"is not CSV ({error}); correct the quotes there", file) from None


def at_line(line: int, message: str, file: str, column: str | None = None) -> InputError:
    """An error that names a line of a file, and a column where one is wrong."""
    return InputError(message, file=file, field=f"line {line}" if column is None else f"line {line}, {column}")


def whole_cell(text: str, column: str, line: int, file: str) -> int:
    """The whole number in a cell.

    Raises:
        InputError: naming file, line and column.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise at_line(line, f"is {text[:40]!a}; it must be a whole number, at least 1", file, column)
    return int(text)


def positive_cell(text: str, column: str, line: int, file: str) -> str:
    """The text of a number of ordinary size, greater than 0, so that its exact value is made quickly.

    Raises:
        InputError: naming file, line and column.
    """
    if POSITIVE.number(text) is None or len(text) > LONGEST_NUMBER:
        raise at_line(
            line, f"is {text[:40]!a}; it must be a decimal number greater than 0, such as 0.025", file, column
        )
    return text


def _refuse_twice(columns: list[str], line: int, file: str) -> None:
    for column in columns:
        if columns.count(column) > 1:
            raise at_line(line, f"names column {column[:40]!a} twice; keep one of them", file)


def _records(file: str, what: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from csv_records(_text(file, what), skipinitialspace=True, strict=True)
    except InputError as error:
        raise (error if error.file else error.in_file(file)) from None


def _text(file: str, what: str) -> str:
    try:
        return read_bytes(Path(file)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "is not UTF-8 text"
        raise InputError(f"cannot be read: {reason}; name a CSV file of {what}", file=file) from None
