"""Sessions made of one's own measured profiles: a CSV file with a row per configuration, prices and rates next to it.

The file's first line names its columns, in any order: ``module``, ``hardware``, ``batch``, ``duration_s`` (seconds that
one batch takes while ``concurrency`` batches run on the machine) and, if it is not always 1, ``concurrency``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from euclio.core.bytes_reading import read_bytes
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.values import POSITIVE
from euclio.files.boundary import FileModel, Name, Text, at, validated
from euclio.session import Configuration, Hardware, Module, Session

LONGEST_NUMBER = 40
"""Characters of the longest number read."""

Profiles = dict[str, tuple[Configuration, ...]]


class _Row(FileModel):
    """A line of the file; its numbers are still text."""

    module: Name
    hardware: Name
    batch: Text
    concurrency: Text = "1"
    duration_s: Text


def session_from_csv(
    path: str | Path,
    *,
    prices_per_h: Mapping[str, Number],
    rates_rps: Number | Mapping[str, Number],
    slo_s: Number,
    edges: Sequence[tuple[str, str]] | None = None,
    name: str | None = None,
) -> Session:
    """The session of measured profiles.

    Args:
        path: the CSV file.
        prices_per_h: money per hour of each hardware of the file; further hardware is left out.
        rates_rps: request rate in requests per second, of each module or one for all.
        slo_s: end-to-end latency objective in seconds.
        edges: pairs of module names, from parent to child; None: a chain in the order of the file.
        name: name of the instance; by default the file's.

    Raises:
        InputError: naming file, line and remedy, or the module or hardware that has no rate or price.
    """
    file = str(path)
    profiles = read_profiles(path)
    rates = rates_rps if isinstance(rates_rps, Mapping) else dict.fromkeys(profiles, rates_rps)
    _refuse_unknown("rates_rps", rates, profiles, file)
    used = dict.fromkeys(c.hardware for profile in profiles.values() for c in profile)
    _refuse_missing("rates_rps", "module", profiles, rates, file)
    _refuse_missing("prices_per_h", "hardware", used, prices_per_h, file)
    hardware, modules = [], []
    for kind, price in prices_per_h.items():
        if kind in used:
            with at(f"prices_per_h[{kind!r}]", None):
                hardware.append(Hardware(kind, price))
    for module, profile in profiles.items():
        with at(f"rates_rps[{module!r}]", None):
            modules.append(Module(module, rates[module], profile))
    chain = tuple(pairwise(profiles)) if edges is None else tuple(edges)
    return Session(name or Path(path).stem, slo_s, hardware, modules, chain)


def read_profiles(path: str | Path) -> Profiles:
    """The profile of every module in a CSV file, in the order of the file.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    found: dict[str, dict[tuple[str, int, int], tuple[Configuration, int]]] = {}
    for line, cells in _rows(file):
        module, c = _configuration(cells, line, file)
        known = found.setdefault(module, {})
        key = (c.hardware, c.batch, c.concurrency)
        if key in known:
            what = f"{module} on {c.hardware} with batch {c.batch} and concurrency {c.concurrency}"
            raise _at(line, f"repeats line {known[key][1]} ({what}); keep one of them", file)
        known[key] = c, line
    if not found:
        raise InputError("has no rows below its header; give at least one configuration", file=file)
    return {module: tuple(c for c, _ in rows.values()) for module, rows in found.items()}


def _rows(file: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells by column, blank lines left out."""
    reader = csv.reader(_text(file).splitlines(), skipinitialspace=True, strict=True)
    columns: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            row = [cell.strip() for cell in cells]
            if not columns:
                columns = _checked_columns(row, reader.line_num, file)
                continue
            if len(row) != len(columns):
                message = f"has {len(row)} cells for {len(columns)} columns; give one for each of {', '.join(columns)}"
                raise _at(reader.line_num, message, file)
            yield reader.line_num, dict(zip(columns, row, strict=True))
    except csv.Error as error:
        raise _at(reader.line_num, f"is not CSV ({error}); correct the quotes there", file) from None


def _checked_columns(row: list[str], line: int, file: str) -> list[str]:
    needed = "module,hardware,batch,concurrency,duration_s"
    if len(row) == 1:
        raise _at(line, f"has one column; divide columns by commas: {needed}", file)
    for column in row:
        if row.count(column) > 1:
            raise _at(line, f"names column {column[:40]!a} twice; keep one of them", file)
    if not set(row) & set(_Row.model_fields):
        raise _at(line, f"names no column that is known; begin the file with {needed}", file)
    _validated(dict.fromkeys(row, "x"), line, file)
    return row


def _configuration(cells: dict[str, str], line: int, file: str) -> tuple[str, Configuration]:
    row = _validated(cells, line, file)
    batch, concurrency = _whole(row.batch, "batch", line, file), _whole(row.concurrency, "concurrency", line, file)
    duration = _number(row.duration_s, "duration_s", line, file)
    try:
        return row.module, Configuration(row.hardware, batch, concurrency, duration)
    except InputError as error:
        raise _at(line, error.message, file, error.field) from None


def _validated(cells: dict[str, str], line: int, file: str) -> _Row:
    try:
        return validated(_Row, cells, file)
    except InputError as error:
        raise _at(line, error.message, file, error.field) from None


def _whole(text: str, column: str, line: int, file: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
        raise _at(line, f"is {text[:40]!a}; it must be a whole number, at least 1", file, column)
    return int(text)


def _number(text: str, column: str, line: int, file: str) -> str:
    """The text of a number of ordinary size, so that its exact value is made quickly."""
    if POSITIVE.number(text) is None or len(text) > LONGEST_NUMBER:
        raise _at(line, f"is {text[:40]!a}; it must be a decimal number greater than 0, such as 0.025", file, column)
    return text


def _refuse_unknown(field: str, given: Mapping[str, Number], known: Mapping[str, object], file: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(f"module {name!r} has no row in {file}; it has {', '.join(known)}", field=field)


def _refuse_missing(
    field: str, what: str, needed: Mapping[str, object], given: Mapping[str, Number], file: str
) -> None:
    for name in needed:
        if name not in given:
            raise InputError(f"lacks {what} {name!r}, which {file} has; add it", field=field)


def _text(file: str) -> str:
    try:
        return read_bytes(Path(file)).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "is not UTF-8 text"
        raise InputError(f"cannot be read: {reason}; name a CSV file of profiles", file=file) from None


def _at(line: int, message: str, file: str, column: str | None = None) -> InputError:
    return InputError(message, file=file, field=f"line {line}" if column is None else f"line {line}, {column}")
