"""The rows of a CSV of a load, and the column in it that is meant."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from euclio.core.bytes_reading import LARGEST_FILE_BYTES, read_bytes
from euclio.core.errors import InputError
from euclio.core.words import listed, nearest
from euclio.files.csv_reading import csv_records

Line = tuple[int, list[str]]
"""The number of a line, and its cells without white space around them."""


def lines_of(path: Path, *, largest: int = LARGEST_FILE_BYTES) -> Iterator[Line]:
    """The lines of a CSV that are not blank.

    Args:
        path: the file.
        largest: bytes of the largest file.

    Raises:
        InputError: it cannot be read, or is no CSV.
    """
    try:
        records = csv_records(read_bytes(path, largest=largest).decode("utf-8-sig"), strict=True)
        for line, row in records:
            if any(map(str.strip, row)):
                yield line, [cell.strip() for cell in row]
    except OSError as error:
        reason = (error.strerror or "no file").lower()
        raise InputError(f"cannot be read: {reason}; name a CSV of times and rates") from None
    except InputError:
        raise
    except (ValueError, csv.Error) as error:
        raise InputError(f"is no CSV in UTF-8 ({error})") from None


def check_cells(cells: Sequence[str], header: Sequence[str], line: int) -> None:
    """Refuse a line with another number of cells than the header.

    Raises:
        InputError: naming the line.
    """
    if len(cells) != len(header):
        raise InputError(f"has {len(cells)} cells; the header has {len(header)}", field=f"line {line}")


def place_of(column: str, header: Sequence[str]) -> int:
    """The place of a column that is named.

    Raises:
        InputError: there is none of that name, or two.
    """
    if column not in header:
        raise InputError(f"is {column[:40]!r}, which is no column; {nearest(column, header)}", field="--load-column")
    if header.count(column) > 1:
        raise InputError(f"is {column[:40]!r}, as two columns are called; rename one", field="--load-column")
    return header.index(column)


def asked_for(what: str, header: Sequence[str]) -> InputError:
    """What is said where several columns may be meant."""
    return InputError(f"is needed, as several columns may have the {what}: {listed(header)}", field="--load-column")
