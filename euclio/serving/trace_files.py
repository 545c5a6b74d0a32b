"""Recorded arrivals in files: a column of timestamps, as published traces have it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from euclio.core.errors import InputError
from euclio.files.row_warnings import tell_doubts
from euclio.problems.day.load_units import ENOUGH, LARGEST_LOG_BYTES, doubt_gap, lines_of

MOST = 10**7
"""Most timestamps that are read."""


def load_trace(path: str | Path) -> tuple[float, ...]:
    """Timestamps in the first column of a CSV file, or the first field of JSON lines, ascending.

    They are dates with a time of day (``2023-11-16 18:17:03.98``), or numbers of any unit, since arrivals follow the
    trace at the pace of a rate. A first line that is neither is a header.

    Raises:
        InputError: naming the file, the line and the remedy.
    """
    file = str(path)
    found: list[float] = []
    begun, columns = False, 1
    try:
        for number, row in lines_of(Path(path), largest=LARGEST_LOG_BYTES, what="timestamps", strict=False):
            seconds = _seconds(row[0]) if row[0] else None
            if seconds is None and row[0] and begun:
                message = (
                    f"{row[0][:40]!r} is no timestamp; give seconds, or dates with a time of day, in the first column"
                )
                raise InputError(message, field=f"line {number}")
            begun, columns = True, len(row)
            if seconds is not None:
                found.append(seconds)
    except InputError as error:
        raise error.in_file(file) from None
    if not 2 <= len(found) <= MOST or max(found) == min(found):
        raise InputError(f"has {len(found)} timestamps; give 2 to {MOST}, not all the same", file=file)
    found.sort()
    if columns > 1 and len(found) >= ENOUGH and all(after - before == 1 for before, after in pairwise(found)):
        tell_doubts(file, ["the first column counts by one, as rows do; it has to hold the times"])
    doubt_gap(file, np.array(found))
    return tuple(found)


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
