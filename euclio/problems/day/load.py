"""A load over time from a CSV of times and rates, or of requests with their times (docs/formats/day.md)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.core.parameters import option_text
from euclio.core.words import full
from euclio.files.row_warnings import tell_doubts
from euclio.problems.day.instance import MOST_STEPS, Step
from euclio.problems.day.load_units import (
    ENOUGH,
    LARGEST_LOG_BYTES,
    NS_PER_S,
    RATES,
    STAMPS,
    Dates,
    Line,
    Said,
    asked_for,
    check_cells,
    check_said,
    doubt_gap,
    exact_cell,
    is_iso,
    lines_of,
    place_of,
)
from euclio.problems.session import Session

# A load over time from a log of requests, with a line and a time for each, counted by steps (docs/formats/day.md).

LONG_GAP_S, MANY, LONG_S = 30.0, 100, 7 * 86400
"""Seconds between requests, and number of requests, from which whole seconds may be milliseconds; and seconds in all
from which any unit may be the next finer one."""
FINER = {
    "timestamps-s": ("milliseconds", "timestamps-ms"),
    "timestamps-ms": ("microseconds", "timestamps-us"),
    "timestamps-us": ("nanoseconds", "timestamps-ns"),
}
"""The unit that times may have in place of another one."""
UNNATURAL_S = 1000
"""Seconds of which a step is hardly a multiple, since no part of a day is."""
Counted = tuple[Fraction, Fraction]
"""Seconds of a step, and its requests per second."""


def counted(path: Path, said: Said) -> list[Counted]:
    """The steps of a log with their rates.

    The first step begins with the first request, and each has the given length. The last one ends with the last
    request; if it would be shorter than half a step, the step before includes it.

    Args:
        path: the file; its requests are in any order.
        said: unit of the times, length of the steps and, if several are possible, the column.

    Raises:
        InputError: naming line and remedy.
    """
    assert said.unit is not None
    assert said.step_s is not None
    step_ns = said.step_s * NS_PER_S
    if step_ns.denominator != 1:
        raise InputError(f"is {full(said.step_s)}; give whole nanoseconds, nine decimals at most", field="--load-step")
    times = np.array(_log_times(lines_of(path, largest=LARGEST_LOG_BYTES), said), np.int64)
    if len(times) < 2:
        raise InputError(f"has {len(times)} requests; give at least two")
    times -= times.min()
    doubt_gap(str(path), np.sort(times))
    _doubt_unit(path, times, said)
    return _binned(times, int(step_ns), said)


def _doubt_unit(path: Path, times: np.ndarray[tuple[int], np.dtype[np.int64]], said: Said) -> None:
    """Warn of times that are so far apart that they may be in the next finer unit.

    Raises:
        InputError: they may be, and the option refuses doubtful rows.
    """
    span_s = float(times.max()) / NS_PER_S
    gap_s = span_s / len(times)
    whole = said.unit == "timestamps-s" and len(times) >= MANY and not np.any(times % NS_PER_S)
    if said.unit not in FINER or gap_s < LONG_GAP_S or len(times) < ENOUGH or not (whole or span_s >= LONG_S):
        return
    hours, gap = full(span_s / 3600, " hours", digits=4), full(gap_s, " s", digits=3)
    words, unit = FINER[said.unit]
    remedy = f"in {words} it would be every {full(gap_s / 1000, ' s', digits=3)} ({option_text('--load-unit', unit)})"
    how = ", all at whole seconds" if whole else ""
    tell_doubts(str(path), [f"a request comes every {gap} over {hours}{how}; {remedy}"])


def _log_times(lines: Iterator[Line], said: Said) -> array[int]:
    """The times of all requests, in nanoseconds."""
    assert said.unit is not None
    found = array("q")
    begun = [own for _, own in zip(range(2), lines, strict=False)]
    if not begun:
        return found
    first = begun[0][1]
    place, named = _place([cells for _, cells in begun], said)
    name = first[place][:40] if named else "time"
    dates = Dates(said.unit)
    for line, cells in chain(begun[1:] if named else begun, lines):
        if len(cells) != len(first):
            raise InputError(f"has {len(cells)} cells; the first line has {len(first)}", field=f"line {line}")
        found.append(dates.nanoseconds(cells[place], f"line {line}: {name}"))
    return found


def _place(begun: Sequence[Sequence[str]], said: Said) -> tuple[int, bool]:
    """The column of the times, and whether the first line names columns, given the first lines.

    Raises:
        InputError: several columns may have the times.
    """
    first = begun[0]
    if said.column is not None:
        return place_of(said.column, first), True
    if len(first) == 1:
        return 0, not _is_time(first[0], said)
    if said.unit == "timestamps-iso":
        for k, cells in enumerate(begun):
            dated = [place for place, cell in enumerate(cells) if is_iso(cell)]
            if len(dated) == 1 and len(cells) == len(first):
                return dated[0], k > 0
    raise asked_for("times", first)


def _is_time(cell: str, said: Said) -> bool:
    try:
        Dates(said.unit or "").nanoseconds(cell, "")
    except InputError:
        return False
    return True


def _binned(times: np.ndarray[tuple[int], np.dtype[np.int64]], step_ns: int, said: Said) -> list[Counted]:
    """Requests of each step, per second."""
    span = int(times.max())
    whole, rest = divmod(span, step_ns)
    seconds = full(Fraction(span, NS_PER_S), digits=6)
    if whole == 0:
        message = (
            f"is longer than the log, whose requests come within {seconds} s; give a shorter one, or check the unit"
        )
        raise InputError(message, field="--load-step")
    if whole >= MOST_STEPS:
        message = f"makes {whole:,} steps of a log of {seconds} s; at most {MOST_STEPS:,} are supported, check the unit"
        raise InputError(message, field="--load-step")
    steps = whole + (2 * rest >= step_ns)
    counts = np.bincount(np.minimum(times // step_ns, steps - 1), minlength=steps)
    lengths = [Fraction(step_ns, NS_PER_S)] * (steps - 1)
    lengths.append(Fraction(span - step_ns * (steps - 1), NS_PER_S))
    return [(length, int(count) / length) for length, count in zip(lengths, counts, strict=True)]


TIME = "time_s"
RATE = "rate_rps"
KINDS = (RATE, "factor")
"""The meaning of a column: requests per second, or a multiple of the session's rates."""

Row = dict[str, Fraction]
Rates = Callable[[Row], tuple[Fraction, ...]]


def read_load(path: str | Path, session: Session, said: Said | None = None) -> tuple[Step, ...]:
    """The steps in a CSV.

    Args:
        path: the file.
        session: the application of the rates.
        said: the meaning of its numbers; None means that the columns name it.

    Returns:
        A step per row, as long as the time to the next row; the last one as long as the one before it. For a log of
        requests the counted steps (`counted`).

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
        steps = _steps(header, rows, session) if how.unit is None else _series(header, rows, session, how)
        if TIME in header and all(step.length_s % UNNATURAL_S == 0 for step in steps):
            length = full(steps[0].length_s, " s")
            tell_doubts(str(path), [f"{TIME}: steps last {length}; if {TIME} is in milliseconds, divide it by 1000"])
        return steps
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
    """Steps of columns with units in their names."""
    rates = _rates(header, session)
    read = [_row(header, cells, line) for line, cells in rows]
    times = [(line, row[TIME]) for (line, _), row in zip(rows, read, strict=True)]
    return tuple(Step(length, rates(row)) for length, row in zip(_lengths(times, TIME), read, strict=True))


def _lengths(times: Sequence[tuple[int, Fraction]], name: str) -> list[Fraction]:
    """Seconds of each step, given its begin and its line."""
    lengths: list[Fraction] = []
    for (_, before), (line, after) in pairwise(times):
        if after <= before:
            message = f"is {full(after, digits=12)} after {full(before, digits=12)}; times have to rise from row to row"
            raise InputError(message, field=f"line {line}: {name}")
        lengths.append(after - before)
    return [*lengths, lengths[-1]]


def _series(header: list[str], rows: list[Line], session: Session, said: Said) -> tuple[Step, ...]:
    """Steps of rates in a given unit: a column of times, and one of rates or one for each module."""
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
    """The columns of the rates: one for all modules, or one with the name of each, in their order."""
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
    """Begins of steps in seconds, with their lines."""
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
    """A function that makes the modules' rates of a row."""
    if TIME not in header:
        said = f"{option_text('--load-unit')} says what others have"
        message = f"there is no column {TIME}; the header is {', '.join(header)[:80]}; {said}"
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
            unit = option_text("--load-unit")
            message = f"is no column of a load; next to {TIME} write {known}; or say its unit by {unit}"
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
    """Scale all modules by a factor, or so that the sources' rates sum up to a rate."""
    own = tuple(module.rate_rps for module in session.modules)
    sources = sum((rate for rate, parents in zip(own, session.parents(), strict=True) if not parents), Fraction(0))
    per_unit = Fraction(1) if kind == "factor" else 1 / sources
    return lambda row: tuple(rate * row[kind] * per_unit for rate in own)


def _for_each(columns: dict[str, str], session: Session) -> Rates:
    """Take each module's rate from its own column."""

    def rates(row: Row) -> tuple[Fraction, ...]:
        found = ((module.rate_rps, columns[module.name]) for module in session.modules)
        return tuple(row[name] * (own if name.startswith("factor") else 1) for own, name in found)

    return rates
