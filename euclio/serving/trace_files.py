"""Recorded arrivals in files: a column of timestamps, as published traces have it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from euclio.core.errors import InputError
from euclio.core.system import read_bytes
from euclio.files.csv_files import csv_records

MOST = 10**7
"""Most timestamps that are read."""
LARGEST_BYTES = 512 * 1024**2
"""Bytes of the largest file of them."""


def load_trace(path: str | Path) -> tuple[float, ...]:
    """Timestamps in the first column of a CSV file, in seconds, ascending.

    They are numbers of seconds or dates with a time of day (``2023-11-16 18:17:03.98``); a first line that is neither
    is a header.

    Raises:
        InputError: naming the file, the line and the remedy.
    """
    file = str(path)
    try:
        text = read_bytes(Path(path), largest=LARGEST_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "is not UTF-8 text"
        raise InputError(f"cannot be read: {reason.lower()}; name a CSV file of timestamps", file=file) from None
    found: list[float] = []
    for number, row in _records(text, file):
        if not row or not row[0].strip():
            continue
        seconds = _seconds(row[0].strip())
        if seconds is None and number > 1:
            raise InputError(
                f"{row[0][:40]!r} is no timestamp; give seconds, or dates with a time of day, in the first column",
                file=file,
                field=f"line {number}",
            )
        if seconds is not None:
            found.append(seconds)
    if not 2 <= len(found) <= MOST or max(found) == min(found):
        raise InputError(f"has {len(found)} timestamps; give 2 to {MOST}, not all the same", file=file)
    return tuple(sorted(found))


def _records(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    try:
        yield from csv_records(text)
    except InputError as error:
        raise error.in_file(file) from None
    except csv.Error as error:
        raise InputError(f"is not CSV ({error}); name a CSV file of timestamps", file=file) from None


def _seconds(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        try:
            moment = np.datetime64(text.replace(" ", "T"), "ns")
        except ValueError:
            return None
        return None if np.isnat(moment) else float(moment.astype(np.int64)) / 1e9
    return number if np.isfinite(number) else None
