"""A load over time from a CSV of times and rates, or of requests with their times (docs/formats/day.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.core.words import full
from euclio.problems.day.instance import MOST_STEPS, Step
from euclio.problems.day.load_tables import Line, asked_for, check_cells, lines_of, place_of
from euclio.problems.day.load_units import NS_PER_S, RATES, STAMPS, Dates, Said, check_said, exact_cell, is_iso
from euclio.problems.day.request_log import counted
from euclio.problems.session import Session

TIME = "time_s"
RATE = "rate_rps"
KINDS = (RATE, "factor")
"""What a column says: requests per second, or a multiple of the session's rates."""

Row = dict[str, Fraction]
Rates = Callable[[Row], tuple[Fraction, ...]]


def read_load(path: str | Path, session: Session, said: Said | None = None) -> tuple[Step, ...]:
    """The steps in a CSV.

    Args:
        path: the file.
        session: the application whose rates they say.
        said: what its numbers are, where the columns do not say it; None: they do.

    Returns:
        A step per row, as long as the time to the next row; the last one as long as the one before it. Of a log of
        requests those that are counted (`request_log.counted`).

    Raises:
        InputError: naming the file, the line or the column, or the option, and the remedy.
    """
    how = said or Said()
    check_said(how)
    try:
        if how.unit in STAMPS:
            rates = _for_all(RATE, session)
            return tuple(Step(length, rates({RATE: rate})) for length, rate in counted(Path(path), how))
        header, rows = _table(Path(path))
        return _steps(header, rows, session) if how.unit is None else _series(header, rows, session, how)
    except InputError as error:
        raise InputError(error.message, file=str(path), field=error.field) from None


def _table(path: Path) -> tuple[list[str], list[Line]]:
    """The header, and the rows of numbers with their lines."""
    rows = list(lines_of(path))
    if len(rows) < 3:
        raise InputError(f"has {max(0, len(rows) - 1)} rows of numbers; give a header and at least two rows")
    if len(rows) > MOST_STEPS + 1:
        raise InputError(f"has {len(rows) - 1} rows of numbers; at most {MOST_STEPS} are supported")
    return rows[0][1], rows[1:]


def _steps(header: list[str], rows: list[Line], session: Session) -> tuple[Step, ...]:
    """Steps of columns that say their units."""
    rates = _rates(header, session)
    read = [_row(header, cells, line) for line, cells in rows]
    times = [(line, row[TIME]) for (line, _), row in zip(rows, read, strict=True)]
    return tuple(Step(length, rates(row)) for length, row in zip(_lengths(times, TIME), read, strict=True))


def _lengths(times: Sequence[tuple[int, Fraction]], name: str) -> list[Fraction]:
    """Seconds of each step, given when it begins, with its line."""
    lengths: list[Fraction] = []
    for (_, before), (line, after) in pairwise(times):
        if after <= before:
            message = f"is {full(after, digits=12)} after {full(before, digits=12)}; times have to rise from row to row"
            raise InputError(message, field=f"line {line}: {name}")
        lengths.append(after - before)
    return [*lengths, lengths[-1]]


def _series(header: list[str], rows: list[Line], session: Session, said: Said) -> tuple[Step, ...]:
    """Steps of rates whose unit is said: a column of times, and one of rates or one for each module."""
    assert said.unit is not None
    own = [name for name in header if name.partition(":")[0] in KINDS]
    if own:
        message = f"is not needed: the column {own[0][:40]} says its unit; leave it out, or rename the column"
        raise InputError(message, field="--load-unit")
    for line, cells in rows:
        check_cells(cells, header, line)
    at = _place_of_times(header, rows)
    places = _places_of_rates(header, at, session, said.column)
    lengths = _lengths(list(_times(header[at], [(line, cells[at]) for line, cells in rows])), header[at][:40])
    found: list[Step] = []
    for (line, cells), length in zip(rows, lengths, strict=True):
        unit = RATES[said.unit] or 1 / length
        read = [_number(cells[place], f"line {line}: {header[place][:40]}") * unit for place in places]
        rates = _for_all(RATE, session)({RATE: read[0]}) if len(read) == 1 else read
        found.append(Step(length, rates))
    return tuple(found)


def _place_of_times(header: list[str], rows: list[Line]) -> int:
    """The column of times: `time_s`, or the only one of dates."""
    if header.count(TIME) == 1:
        return header.index(TIME)
    dated = [place for place, cell in enumerate(rows[0][1]) if is_iso(cell)]
    if len(dated) != 1:
        message = f"there is no column {TIME}, and not one of dates with a time of day; the header is"
        raise InputError(f"{message} {', '.join(header)[:80]}", field=TIME)
    return dated[0]


def _places_of_rates(header: list[str], times: int, session: Session, column: str | None) -> list[int]:
    """The columns of the rates: one for all modules, or one for each that is called as it, in their order."""
    if column is not None:
        return [place_of(column, header)]
    others = [place for place in range(len(header)) if place != times]
    if len(others) == 1:
        return others
    names = [module.name for module in session.modules]
    if sorted(header[place] for place in others) == sorted(names):
        return [header.index(name) for name in names]
    raise asked_for("rates", [header[place] for place in others])


def _times(name: str, cells: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Fraction]]:
    """When steps begin, in seconds, with their lines."""
    dates = Dates("timestamps-iso")
    for line, cell in cells:
        field = f"line {line}: {name[:40]}"
        yield line, _number(cell, field) if name == TIME else Fraction(dates.nanoseconds(cell, field), NS_PER_S)


def _row(header: Sequence[str], cells: list[str], line: int) -> Row:
    check_cells(cells, header, line)
    named = zip(header, cells, strict=True)
    return {name: _number(cell, f"line {line}: {name[:40]}") for name, cell in named}


def _number(cell: str, field: str) -> Fraction:
    """The exact number in a cell, at least 0."""
    return exact_number(exact_cell(cell, field), field, zero=True)


def _rates(header: list[str], session: Session) -> Rates:
    """What makes the modules' rates of a row."""
    if TIME not in header:
        message = (
            f"there is no column {TIME}; the header is {', '.join(header)[:80]}; --load-unit says what others have"
        )
        raise InputError(message, field=TIME)
    columns = [name for name in header if name != TIME]
    if len(set(header)) < len(header):
        raise InputError("two columns have one name; rename one", field="header")
    if len(columns) == 1 and columns[0] in KINDS:
        return _for_all(columns[0], session)
    for name in columns:
        kind, _, module = name.partition(":")
        if kind not in KINDS or not module:
            known = "rate_rps or factor for all modules, or rate_rps:MODULE or factor:MODULE for each"
            message = f"is no column of a load; next to {TIME} write {known}; or say its unit by --load-unit"
            raise InputError(message, field=name[:80])
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
