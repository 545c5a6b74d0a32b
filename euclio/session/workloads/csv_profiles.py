"""Sessions made of one's own measured profiles: a CSV file with a row per configuration, prices and rates next to it.

The file's first line names its columns, in any order: ``module``, ``hardware``, ``batch``, ``duration_s`` (seconds that
one batch takes while ``concurrency`` batches run on the machine) and, if it is not always 1, ``concurrency``. A column
``memory_mb`` says the megabytes that a configuration takes with all its batches; an empty cell says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.numbers import Number, decimal_text
from euclio.files.boundary import FileModel, Name, Text, at, validated
from euclio.files.csv_writing import csv_text, unguarded
from euclio.session import Configuration, Hardware, Module, Session
from euclio.session.workloads.csv_rows import at_line, positive_cell, rows_of, whole_cell

COLUMNS = ("module", "hardware", "batch", "concurrency", "duration_s")

Profiles = dict[str, tuple[Configuration, ...]]
"""Configurations by module."""

NS_PER_S = 10**9


class _Row(FileModel):
    """A line of the file; its numbers are still text."""

    module: Name
    hardware: Name
    batch: Text
    concurrency: Text = "1"
    duration_s: Text
    memory_mb: Text = ""


def session_from_csv(
    path: str | Path,
    *,
    prices_per_h: Mapping[str, Number],
    rates_rps: Number | Mapping[str, Number],
    slo_s: Number,
    edges: Sequence[tuple[str, str]] | None = None,
    name: str | None = None,
    memory_mb: Mapping[str, Number] | None = None,
) -> Session:
    """The session of measured profiles.

    Args:
        path: the CSV file.
        prices_per_h: money per hour of each hardware of the file; further hardware is left out.
        rates_rps: request rate in requests per second, of each module or one for all.
        slo_s: end-to-end latency objective in seconds.
        edges: pairs of module names, from parent to child; None: a chain in the order of the file.
        name: name of the instance; by default the file's.
        memory_mb: megabytes of memory of hardware of the file; None, or hardware that is not in it: not said.

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
    for kind in memory_mb or {}:
        if kind not in used:
            raise InputError(f"hardware {kind!r} has no row in {file}; it has {', '.join(used)}", field="memory_mb")
    hardware, modules = [], []
    for kind, price in prices_per_h.items():
        if kind in used:
            with at(f"prices_per_h[{kind!r}]", None):
                hardware.append(Hardware(kind, price, memory_mb=(memory_mb or {}).get(kind)))
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
    for line, cells in rows_of(file, "profiles", lambda columns, line: _check_columns(columns, line, file)):
        module, c = _configuration(cells, line, file)
        known = found.setdefault(module, {})
        key = (c.hardware, c.batch, c.concurrency)
        if key in known:
            what = f"{module} on {c.hardware} with batch {c.batch} and concurrency {c.concurrency}"
            raise at_line(line, f"repeats line {known[key][1]} ({what}); keep one of them", file)
        known[key] = c, line
    if not found:
        raise InputError("has no rows below its header; give at least one configuration", file=file)
    return {module: tuple(c for c, _ in rows.values()) for module, rows in found.items()}


def profiles_text(profiles: Profiles) -> str:
    """The CSV text of profiles, as `read_profiles` reads it; durations are written exactly.

    Raises:
        InputError: the name of a module or of hardware is none that can be read again.
    """
    rows: list[tuple[str, ...]] = []
    says_memory = any(c.memory_mb is not None for profile in profiles.values() for c in profile)
    columns = (*COLUMNS, "memory_mb") if says_memory else COLUMNS
    for module, profile in profiles.items():
        for c in profile:
            memory = "" if c.memory_mb is None else decimal_text(c.memory_mb)
            row = (module, c.hardware, str(c.batch), str(c.concurrency), decimal_text(c.duration_s), memory)
            cells = row[: len(columns)]
            validated(_Row, dict(zip(columns, cells, strict=True)), None)
            _refuse_edges(module, "module")
            _refuse_edges(c.hardware, "hardware")
            rows.append(cells)
    return csv_text(columns, rows)


def with_more(path: str | Path, module: str, more: Sequence[Configuration]) -> Profiles:
    """The profiles of a file with further configurations of a module, which may be one that it has already.

    Raises:
        InputError: the file cannot be read, or has one of the configurations.
    """
    profiles = read_profiles(path)
    known = {(c.hardware, c.batch, c.concurrency) for c in profiles.get(module, ())}
    for c in more:
        if (c.hardware, c.batch, c.concurrency) in known:
            what = f"{module} on {c.hardware} with batch {c.batch} and concurrency {c.concurrency}"
            raise InputError(f"has {what} already; take it out there, or write to another file", file=str(path))
    return {**profiles, module: (*profiles.get(module, ()), *more)}


def whole_nanoseconds(duration_s: Fraction) -> Fraction:
    """A duration in seconds, rounded up to whole nanoseconds, so that no plan counts on more than was measured."""
    return Fraction(math.ceil(duration_s * NS_PER_S), NS_PER_S)


def _check_columns(row: list[str], line: int, file: str) -> None:
    """Refuse columns that are no profile's, or lack one of them."""
    needed = ",".join(COLUMNS)
    if len(row) == 1:
        raise at_line(line, f"has one column; divide columns by commas: {needed}", file)
    if not set(row) & set(_Row.model_fields):
        raise at_line(line, f"names no column that is known; begin the file with {needed}", file)
    _validated(dict.fromkeys(row, "x"), line, file)


def _configuration(cells: dict[str, str], line: int, file: str) -> tuple[str, Configuration]:
    row = _validated(cells | {name: unguarded(cells[name]) for name in ("module", "hardware")}, line, file)
    batch = whole_cell(row.batch, "batch", line, file)
    concurrency = whole_cell(row.concurrency, "concurrency", line, file)
    duration = positive_cell(row.duration_s, "duration_s", line, file)
    memory = positive_cell(row.memory_mb, "memory_mb", line, file) if row.memory_mb else None
    try:
        return row.module, Configuration(row.hardware, batch, concurrency, duration, memory)
    except InputError as error:
        raise at_line(line, error.message, file, error.field) from None


def _validated(cells: dict[str, str], line: int, file: str) -> _Row:
    try:
        return validated(_Row, cells, file)
    except InputError as error:
        raise at_line(line, error.message, file, error.field) from None


def _refuse_edges(name: str, field: str) -> None:
    """Refuse a name that is read without its first or last sign, since white space around cells is no part of them."""
    if name != name.strip():
        raise InputError(f"is {name[:40]!a}; take the white space around it out", field=field)


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
