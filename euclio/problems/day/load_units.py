"""Units of the numbers in a load from outside: rates per some time, counts, or times of requests (ours).

The user gives the unit (`--load-unit`); it is never guessed from the size of the numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from euclio.core.errors import InputError
from euclio.core.numbers import LARGEST, exact
from euclio.core.parameters import option_text
from euclio.core.system import LARGEST_FILE_BYTES, read_bytes
from euclio.core.words import listed, nearest, percent
from euclio.files.csv_files import csv_records
from euclio.files.json_reading import json_lines
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session.costs import HOURS

# The rows of a CSV of a load, and the relevant column.

JSON_LINES = (".jsonl", ".ndjson")
LARGEST_LOG_BYTES = 512 * 1024**2
"""Bytes of the largest log of requests."""
ENOUGH, MOST_OF_SPAN = 20, 0.95
"""Times of requests from which on they are doubted, and the part of their span that no gap should be."""
Line = tuple[int, list[str]]
"""The number of a line, and its cells without white space around them."""


def lines_of(
    path: Path, *, largest: int = LARGEST_FILE_BYTES, what: str = "times and rates", strict: bool = True
) -> Iterator[Line]:
    """The lines of a CSV that are not blank; of JSON lines the first object's fields, then the cells of each object.

    Args:
        path: the file.
        largest: bytes of the largest file.
        what: content of the file, for an error that says "name a CSV of".
        strict: whether quotes in wrong places are an error.

    Raises:
        InputError: it cannot be read, or is no CSV.
    """
    if path.suffix.lower() == ".json":
        made = f"jq -c '.[]' {quote(str(path))} > lines.jsonl"
        raise InputError(f"is one JSON text; give a CSV of {what}, or an object in each line: {made}")
    try:
        text = read_bytes(path, largest=largest).decode("utf-8-sig")
        if path.suffix.lower() in JSON_LINES:
            yield from _objects(text)
            return
        records = csv_records(text, strict=strict)
        for line, row in records:
            if any(map(str.strip, row)):
                yield line, [cell.strip() for cell in row]
    except OSError as error:
        reason = (error.strerror or "no file").lower()
        raise InputError(f"cannot be read: {reason}; name a CSV of {what}") from None
    except InputError:
        raise
    except (ValueError, csv.Error) as error:
        raise InputError(f"is no CSV in UTF-8 ({error})") from None


def _objects(text: str) -> Iterator[Line]:
    """The fields of JSON lines that are numbers or texts: the names of the first object's, then those of each."""
    header: list[str] = []
    for number, row in json_lines(text):
        cells = {
            name: str(own)
            for name, own in row.items()
            if isinstance(own, str | int | Decimal) and not isinstance(own, bool)
        }
        if not header:
            header = list(cells)
            yield number, header
        yield number, [cells.get(name, "") for name in header]


def doubt_gap(file: str, times: NDArray[np.float64] | NDArray[np.int64]) -> None:
    """Doubt times of requests that are nearly all on one side of a gap in them, as where units are mixed.

    Args:
        file: path of the file.
        times: in ascending order, in any unit.

    Raises:
        InputError: they are doubted, and the option refuses doubtful rows.
    """
    gaps = np.diff(times)
    k = int(np.argmax(gaps))
    share = float(gaps[k] / (times[-1] - times[0]))
    if len(times) >= ENOUGH and share > MOST_OF_SPAN:
        said = (
            f"in order of time, nothing comes before request {k + 2} of {len(times)} for {percent(share)} of the time"
        )
        tell_doubts(file, [f"{said}; look whether all times are in one unit"])


def check_cells(cells: Sequence[str], header: Sequence[str], line: int) -> None:
    """Raise an `InputError` that names the line if it has another number of cells than the header."""
    if len(cells) != len(header):
        raise InputError(f"has {len(cells)} cells; the header has {len(header)}", field=f"line {line}")


def place_of(column: str, header: Sequence[str]) -> int:
    """The place of a named column; raises an `InputError` if there is none of that name, or two."""
    if column not in header:
        raise InputError(f"is {column[:40]!r}, which is no column; {nearest(column, header)}", field="--load-column")
    if header.count(column) > 1:
        raise InputError(f"is {column[:40]!r}, as two columns are called; rename one", field="--load-column")
    return header.index(column)


def asked_for(what: str, header: Sequence[str]) -> InputError:
    """The message if several columns are possible."""
    return InputError(f"is needed, as several columns may have the {what}: {listed(header)}", field="--load-column")


RATES: dict[str, Fraction | None] = {
    **{f"requests-per-{unit}": 1 / (3600 * HOURS[unit]) for unit in ("second", "minute", "hour")},
    "requests-per-step": None,
}
"""Units of rates in requests per second; None means over the length of the step."""
NS_PER_S = 10**9
STAMPS: dict[str, int | None] = {
    "timestamps-iso": None,
    "timestamps-s": NS_PER_S,
    "timestamps-ms": 10**6,
    "timestamps-us": 10**3,
    "timestamps-ns": 1,
}
"""Units of times of requests in nanoseconds; None means dates with a time of day."""
UNITS = (*RATES, *STAMPS)

LATEST_NS = 2**63 - 1
LONGEST_NUMBER = 40
"""Most characters of a number."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Said:
    """The user's facts about a file of a load.

    Attributes:
        unit: one of `UNITS`; None means that the columns name it.
        step_s: length of the steps for counting requests.
        column: column of the rates or times; None means the only possible one.
    """

    unit: str | None = None
    step_s: Fraction | None = None
    column: str | None = None


def check_said(said: Said) -> None:
    """Refuse an unknown unit, a missing option, or options that exclude each other.

    Raises:
        InputError: naming the option.
    """
    if said.unit is not None and said.unit not in UNITS:
        raise InputError(f"is {said.unit!r}; {nearest(said.unit, UNITS)}", field="--load-unit")
    if said.unit in STAMPS and said.step_s is None:
        message = "is needed with a log of requests: the seconds of a step, for which they are counted, such as 300"
        raise InputError(message, field="--load-step")
    if said.unit not in STAMPS and said.step_s is not None:
        unit = option_text("--load-unit", "timestamps-iso")
        message = f"is for a log of requests ({unit} and others); steps are the rows here"
        raise InputError(message, field="--load-step")
    if said.unit is None and said.column is not None:
        message = f"goes with {option_text('--load-unit')}, which says what the column has; give that too"
        raise InputError(message, field="--load-column")


def exact_cell(cell: str, field: str) -> Fraction:
    """The exact number in a cell; a text with a number out of range is never expanded.

    Raises:
        InputError: it is no number; names the field.
    """
    try:
        size = abs(float(cell)) if len(cell) <= LONGEST_NUMBER else None
    except ValueError:
        size = None
    if size is None or not size <= 10 * LARGEST * NS_PER_S:
        raise InputError(f"is {cell[:40]!r}; it must be a number", field=field)
    return Fraction(0) if size == 0 else exact(cell)


def is_iso(cell: str) -> bool:
    """Whether a cell is a date with a time of day."""
    return _ISO.match(cell) is not None


@dataclass(slots=True)
class Dates:
    """Reads times of one unit, all with a time zone or all without.

    Attributes:
        unit: one of `STAMPS`.
        zoned: whether the times so far have a zone; None means no time yet.
    """

    unit: str
    zoned: bool | None = None

    def nanoseconds(self, cell: str, field: str) -> int:
        """The time in a cell, in whole nanoseconds rounded down; microseconds are the finest of dates.

        Raises:
            InputError: there is none, or it has a zone and others do not; names the field.
        """
        scale = STAMPS[self.unit]
        if scale is None:
            return self._of_date(cell, field)
        found = int(exact_cell(cell, field) * scale // 1)
        if not -LATEST_NS <= found <= LATEST_NS:
            raise InputError(f"is {cell[:40]}, later than all dates; check {option_text('--load-unit')}", field=field)
        return found

    def _of_date(self, cell: str, field: str) -> int:
        try:
            moment = datetime.fromisoformat(cell) if is_iso(cell) else None
        except ValueError:
            moment = None
        if moment is None:
            message = f"is {cell[:40]!r}; it must be a date with a time of day, such as 2026-01-31T18:00:00"
            raise InputError(message, field=field)
        zoned = moment.tzinfo is not None
        if self.zoned not in (None, zoned):
            raise InputError("does not say its time zone as the others do; write all in one way", field=field)
        self.zoned = zoned
        return ((moment if zoned else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND * 1000
