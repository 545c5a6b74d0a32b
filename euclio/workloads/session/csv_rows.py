"""Rows of tables by column name; every defect of the text is one line that names file and row."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from euclio.core.errors import InputError, reason_of
from euclio.core.system import read_bytes
from euclio.core.values import POSITIVE
from euclio.files.csv_files import csv_records
from euclio.files.row_warnings import tell_doubts

LONGEST_NUMBER = 40
"""Characters of the longest number read."""

Row = dict[str, str]
"""Cells of a line by column, without white space around them."""
Place = int | str
"""Number of a line, or the place of a row in a file that has no lines, such as ``[2]``."""

NO_TEXT = "is not UTF-8 text (in a spreadsheet, save it as CSV UTF-8)"
THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
SEPARATORS = (";", "\t")
"""What spreadsheets put between cells where the comma stands in numbers; a line ``sep=;`` may say so."""


@dataclass(slots=True)
class _Decimals:
    """Numbers of a file that a spreadsheet may have written with decimal commas, which become points.

    Attributes:
        file: path of the file.
        is_number: whether a column holds numbers, by its name.
        first: where a number with each sign was first found, and its text.
        thousands: whether every number with a point may be one of thousands.
    """

    file: str
    is_number: Callable[[str], bool]
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    thousands: bool = True

    def pointed(self, row: Row, line: int) -> Row:
        """The row with decimal points.

        Raises:
            InputError: a number has both signs, or the file's numbers have now the one and now the other.
        """
        return {name: self._cell(name, text, line) if self.is_number(name) else text for name, text in row.items()}

    def _cell(self, column: str, text: str, line: int) -> str:
        signs = [sign for sign in ",." if sign in text]
        self.thousands &= "." not in text or THOUSANDS.fullmatch(text) is not None
        for sign in signs:
            self.first.setdefault(sign, (line, text))
        if len(self.first) > 1 and signs:
            other, seen = self.first["." if signs[0] == "," else ","]
            where = "both signs" if len(signs) > 1 else f"line {other} has {seen[:40]!a}"
            message = f"is {text[:40]!a}, and {where}; write all numbers with a decimal point and no other sign"
            raise at_line(line, message, self.file, column)
        return text.replace(",", ".")

    def tell_thousands(self) -> None:
        """Doubt points that may divide thousands, as where decimals have a comma and no number shows it."""
        if self.thousands and "." in self.first:
            line, text = self.first["."]
            doubt = f"{text} may be {text.replace('.', '')}, as every point has three digits behind it"
            tell_doubts(self.file, [f"line {line}: {doubt}; write thousands without a sign"])


def rows_of(
    file: str,
    what: str,
    check: Callable[[list[str], int], None],
    *,
    trailing_comma: bool = False,
    numbers: Callable[[str], bool] | None = None,
) -> Iterator[tuple[int, Row]]:
    """Line number and cells by column of each line below the first, blank lines left out.

    Args:
        file: path of the file.
        what: what it is a file of, as an error says it after "name a CSV file of".
        check: is given the columns, which the first line names, and the number of that line; refuses wrong ones.
        trailing_comma: lines may end with one, as those of some tools do.
        numbers: of files that people keep in spreadsheets, whether a column holds numbers. Cells may then be divided by
            semicolons or tabs, with decimal commas in the numbers, and capitals in the columns' names do not matter.
            None means a file as a program writes it.

    Raises:
        InputError: naming file, line and remedy.
    """
    columns: list[str] = []
    line = 0
    text = text_of(file, what)
    separator = "," if numbers is None else _separator(text)
    decimals = None if numbers is None or separator == "," else _Decimals(file, numbers)
    try:
        for line, cells in _records(text, file, separator):
            if not any(cell.strip() for cell in cells):
                continue
            row = [cell.strip() for cell in cells]
            if not columns and numbers is not None:
                if row[0].lower().startswith("sep="):
                    continue
                row = [cell.lower() for cell in row]
            if not columns:
                refuse_twice(row, line, file)
                check(row, line)
                columns = row
                continue
            if trailing_comma and len(row) == len(columns) + 1 and not row[-1]:
                row.pop()
            if len(row) != len(columns):
                message = f"has {len(row)} cells for {len(columns)} columns; give one for each of {', '.join(columns)}"
                if numbers is not None and separator == "," and len(row) > len(columns):
                    message += "; where numbers have decimal commas, write points, or divide columns by semicolons"
                raise at_line(line, message, file)
            named = dict(zip(columns, row, strict=True))
            yield line, named if decimals is None else decimals.pointed(named, line)
        if decimals is not None:
            decimals.tell_thousands()
    except csv.Error as error:
        raise at_line(line + 1, f"is not CSV ({error}); correct the quotes there", file) from None


def at_line(line: Place, message: str, file: str, column: str | None = None) -> InputError:
    """An error that names a row of a file, and a column where one is wrong."""
    place = place_label(line)
    return InputError(message, file=file, field=place if column is None else f"{place}, {column}")


def place_label(place: Place) -> str:
    """A place of a row as messages name it."""
    return f"line {place}" if isinstance(place, int) else place


def whole_cell(text: str, column: str, line: Place, file: str) -> int:
    """The whole number in a cell.

    Raises:
        InputError: naming file, line and column.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise at_line(line, f"is {text[:40]!a}; it must be a whole number, at least 1", file, column)
    return int(text)


def positive_cell(text: str, column: str, line: Place, file: str) -> str:
    """The text of a number of ordinary size, greater than 0, so that its exact value is made quickly.

    Raises:
        InputError: naming file, line and column.
    """
    if POSITIVE.number(text) is None or len(text) > LONGEST_NUMBER:
        raise at_line(
            line, f"is {text[:40]!a}; it must be a decimal number greater than 0, such as 0.025", file, column
        )
    return text


def refuse_twice(columns: list[str], line: Place, file: str) -> None:
    """Refuse a column that is there twice, since only one of them would be read.

    Raises:
        InputError: naming the column.
    """
    for column in columns:
        if columns.count(column) > 1:
            raise at_line(line, f"names column {column[:40]!a} twice; keep one of them", file)


def _separator(text: str) -> str:
    """What divides the cells of a file: what its first line has most of."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.lower().startswith("sep=") and len(first.strip("\r\n")) == len("sep=") + 1:
        return first[len("sep=")]
    return max((",", *SEPARATORS), key=first.count)


def _records(text: str, file: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from csv_records(text, separator=separator, skipinitialspace=True, strict=True)
    except InputError as error:
        raise (error if error.file else error.in_file(file)) from None


def text_of(file: str, what: str) -> str:
    """The text of a file, in UTF-8 or UTF-16.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    try:
        data = read_bytes(Path(file))
        text = data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")
    except (OSError, ValueError) as error:
        reason = reason_of(error).lower() if isinstance(error, OSError) else NO_TEXT
        raise InputError(f"cannot be read: {reason}; name a CSV file of {what}", file=file) from None
    if "\0" in text:
        raise InputError(f"cannot be read: {NO_TEXT}; name a CSV file of {what}", file=file)
    return text
