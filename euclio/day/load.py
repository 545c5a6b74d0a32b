"""A load over time from a CSV of times and rates or factors (docs/formats/day.md)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from euclio.core.bytes_reading import read_bytes
from euclio.core.errors import InputError
from euclio.core.numbers import LARGEST, exact_number
from euclio.core.words import full
from euclio.day.instance import MOST_STEPS, Step
from euclio.files.csv_reading import csv_records
from euclio.session import Session

TIME = "time_s"
KINDS = ("rate_rps", "factor")
"""What a column says: requests per second, or a multiple of the session's rates."""

LONGEST_NUMBER = 40
"""Characters of the longest number that is read."""

Row = dict[str, Fraction]
Rates = Callable[[Row], tuple[Fraction, ...]]


def read_load(path: str | Path, session: Session) -> tuple[Step, ...]:
    """The steps in a CSV.

    Args:
        path: the file.
        session: the application whose rates they say.

    Returns:
        A step per row, as long as the time to the next row; the last one as long as the one before it.

    Raises:
        InputError: naming the file, the line or the column, and the remedy.
    """
    try:
        return _steps(_rows(Path(path)), session)
    except InputError as error:
        raise InputError(error.message, file=str(path), field=error.field) from None


def _rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and the rows of numbers with their lines."""
    try:
        records = csv_records(read_bytes(path).decode("utf-8-sig"), strict=True)
        rows = [(line, [cell.strip() for cell in row]) for line, row in records if any(map(str.strip, row))]
    except OSError as error:
        reason = (error.strerror or "no file").lower()
        raise InputError(f"cannot be read: {reason}; name a CSV of times and rates") from None
    except InputError:
        raise
    except (ValueError, csv.Error) as error:
        raise InputError(f"is no CSV in UTF-8 ({error})") from None
    if len(rows) < 3:
        raise InputError(f"has {max(0, len(rows) - 1)} rows of numbers; give a header and at least two rows")
    if len(rows) > MOST_STEPS + 1:
        raise InputError(f"has {len(rows) - 1} rows of numbers; at most {MOST_STEPS} are supported")
    return rows[0][1], rows[1:]


def _steps(table: tuple[list[str], list[tuple[int, list[str]]]], session: Session) -> tuple[Step, ...]:
    header, rows = table
    rates = _rates(header, session)
    read = [_row(header, cells, line) for line, cells in rows]
    lengths: list[Fraction] = []
    for (line, _), (before, after) in zip(rows[1:], pairwise(row[TIME] for row in read), strict=True):
        if after <= before:
            message = f"is {full(after, digits=12)} after {full(before, digits=12)}; times have to rise from row to row"
            raise InputError(message, field=f"line {line}: {TIME}")
        lengths.append(after - before)
    return tuple(Step(length, rates(row)) for length, row in zip([*lengths, lengths[-1]], read, strict=True))


def _row(header: Sequence[str], cells: list[str], line: int) -> Row:
    if len(cells) != len(header):
        raise InputError(f"has {len(cells)} cells; the header has {len(header)}", field=f"line {line}")
    named = zip(header, cells, strict=True)
    return {name: _number(cell, f"line {line}: {name[:40]}") for name, cell in named}


def _number(cell: str, field: str) -> Fraction:
    """The exact number in a cell; a text whose number would be out of range is never expanded."""
    try:
        size = abs(float(cell)) if len(cell) <= LONGEST_NUMBER else None
    except ValueError:
        size = None
    if size is None or not size <= 10 * LARGEST:
        raise InputError(f"is {cell[:40]!r}; it must be a number", field=field)
    return exact_number(0 if size == 0 else cell, field, zero=True)


def _rates(header: list[str], session: Session) -> Rates:
    """What makes the modules' rates of a row."""
    if TIME not in header:
        raise InputError(f"there is no column {TIME}; the header is {', '.join(header)[:80]}", field=TIME)
    columns = [name for name in header if name != TIME]
    if len(set(header)) < len(header):
        raise InputError("two columns have one name; rename one", field="header")
    if len(columns) == 1 and columns[0] in KINDS:
        return _for_all(columns[0], session)
    for name in columns:
        kind, _, module = name.partition(":")
        if kind not in KINDS or not module:
            known = "rate_rps or factor for all modules, or rate_rps:MODULE or factor:MODULE for each"
            raise InputError(f"is no column of a load; next to {TIME} write {known}", field=name[:80])
        if module not in session.index:
            names = ", ".join(session.index)
            raise InputError(
                f"there is no module {module[:80]!r} in the session (known: {names[:200]})", field=name[:80]
            )
    modules = [name.partition(":")[2] for name in columns]
    missing = [own.name for own in session.modules if own.name not in modules]
    if missing:
        raise InputError(f"module {missing[0]!r} has no column; add rate_rps:{missing[0]} or factor:{missing[0]}")
    if len(set(modules)) < len(modules):
        raise InputError("a module has two columns; keep one of them", field="header")
    return _for_each({name.partition(":")[2]: name for name in columns}, session)


def _for_all(kind: str, session: Session) -> Rates:
    """All modules in ratio: by a factor, or so that the sources' rates sum up to a rate."""
    own = tuple(module.rate_rps for module in session.modules)
    sources = sum((rate for rate, parents in zip(own, session.parents(), strict=True) if not parents), Fraction(0))
    per_unit = Fraction(1) if kind == "factor" else 1 / sources
    return lambda row: tuple(rate * row[kind] * per_unit for rate in own)


def _for_each(columns: dict[str, str], session: Session) -> Rates:
    """Each module by a column of its own."""

    def rates(row: Row) -> tuple[Fraction, ...]:
        found = ((module.rate_rps, columns[module.name]) for module in session.modules)
        return tuple(row[name] * (own if name.startswith("factor") else 1) for own, name in found)

    return rates
