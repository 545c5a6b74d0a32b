"""CSV out: numbers as they are, and texts that no spreadsheet takes for a formula (ours; docs/howto/deployment.md)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.numbers import decimal_text

if TYPE_CHECKING:
    import pandas as pd

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
