"""Sessions made of one's own measured profiles: a CSV file with a row per configuration, prices and rates next to it.

The file's first line names its columns, in any order: ``module``, ``hardware``, ``batch``, ``duration_s`` (seconds that
one batch takes while ``concurrency`` batches run on the machine) and, if it is not always 1, ``concurrency``. A column
``memory_mb`` says the megabytes that a configuration takes with all its batches; an empty cell says nothing. Columns
such as ``p50_s``, ``p95_s`` and ``p99_s`` say quantiles of the duration in seconds; where there is ``p50_s``,
``duration_s`` may be left out. Several rows of one configuration are repetitions, of which the median counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

from euclio.core.errors import InputError
from euclio.core.numbers import Number, decimal_text
from euclio.core.progress import say
from euclio.core.words import counted, full, joined, listed, nearest
from euclio.files.boundary import FileModel, Name, Text, at, validated
from euclio.files.csv_files import csv_text, unguarded
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.doubts import doubt_lines
from euclio.problems.session.instance import LEVEL, level_share
from euclio.workloads.session.csv_rows import at_line, positive_cell, rows_of, whole_cell

COLUMNS = ("module", "hardware", "batch", "concurrency", "duration_s")

Profiles = dict[str, tuple[Configuration, ...]]
"""Configurations by module."""

NAMES = ("module", "hardware")
"""The columns that hold no numbers."""
QUANTILE = re.compile(rf"{LEVEL.pattern}_s")
WITHOUT_SECONDS = re.compile(rf"({LEVEL.pattern})(_[a-z]+)?")
"""Columns of quantiles of the duration, and those that should be some."""
LEVELS = ("p90", "p95", "p99")
"""Quantiles that repetitions tell, where they are enough."""
APART = 2
"""How many times as long as the shortest repetition of a measurement the longest may take."""

NS_PER_S = 10**9


class _ProfileRow(FileModel):
    """A line of the file; its numbers are still text. Quantiles are read apart, and stand here for errors to list."""

    module: Name
    hardware: Name
    batch: Text
    concurrency: Text = "1"
    duration_s: Text
    memory_mb: Text = ""
    p50_s: Text = ""
    p95_s: Text = ""
    p99_s: Text = ""


def session_from_csv(
    path: str | Path,
    *,
    prices_per_h: Mapping[str, Number],
    rates_rps: Number | Mapping[str, Number],
    slo_s: Number,
    edges: Sequence[tuple[str, str]] | None = None,
    name: str | None = None,
    memory_mb: Mapping[str, Number] | None = None,
    currency: str | None = None,
    further: bool = False,
) -> Session:
    """The session of measured profiles.

    Args:
        path: the CSV file.
        prices_per_h: money per hour of each hardware of the file.
        further: leave out prices of other hardware, as a price list has them; False: they are refused.
        rates_rps: request rate in requests per second, of each module or one for all.
        slo_s: end-to-end latency objective in seconds.
        edges: pairs of module names, from parent to child; None means a chain in the order of the file.
        name: name of the instance; by default the file's.
        memory_mb: megabytes of memory of hardware of the file; None, or hardware that is not in it: not said.
        currency: what the prices are in, such as "EUR"; None if not said.

    Raises:
        InputError: naming file, line and remedy, or the module or hardware that has no rate, price or row.
    """
    file = str(path)
    profiles = _told(file, read_rows(path))
    rates = rates_rps if isinstance(rates_rps, Mapping) else dict.fromkeys(profiles, rates_rps)
    _refuse_unknown("rates_rps", rates, profiles, file)
    used = dict.fromkeys(c.hardware for profile in profiles.values() for c in profile)
    _refuse_missing("rates_rps", "module", profiles, rates, file)
    if further:
        prices_per_h = {name: price for name, price in prices_per_h.items() if name in used}
    _refuse_without_rows("prices_per_h", prices_per_h, used, file)
    _refuse_missing("prices_per_h", "hardware", used, prices_per_h, file)
    _refuse_without_rows("memory_mb", memory_mb or {}, used, file)
    hardware, modules = [], []
    for kind, price in prices_per_h.items():
        with at(f"prices_per_h[{kind!r}]", None):
            hardware.append(Hardware(kind, price, memory_mb=(memory_mb or {}).get(kind)))
    for module, profile in profiles.items():
        with at(f"rates_rps[{module!r}]", None):
            modules.append(Module(module, rates[module], profile))
    chain = tuple(pairwise(profiles)) if edges is None else tuple(edges)
    return Session(name or Path(path).stem, slo_s, hardware, modules, chain, currency)


def read_profiles(path: str | Path) -> Profiles:
    """The profile of every module in a CSV file, in the order of the file.

    Raises:
        InputError: naming file, line and remedy.
    """
    return {module: tuple(measured.configuration for measured in rows) for module, rows in read_rows(path).items()}


@dataclass(frozen=True, slots=True)
class Measured:
    """A configuration of a file.

    Attributes:
        configuration: what its rows say together.
        lines: the lines of the file that they are.
        doubt: what is doubted of them, where they are repetitions; empty if nothing.
    """

    configuration: Configuration
    lines: tuple[int, ...]
    doubt: str = ""

    @property
    def label(self) -> str:
        """Where it stands."""
        return f"line {self.lines[0]}" if len(self.lines) == 1 else f"lines {listed(self.lines)}"


def read_rows(path: str | Path) -> dict[str, tuple[Measured, ...]]:
    """The configurations of every module in a CSV file, in the order of the file, with their lines.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    found: dict[str, dict[tuple[str, int, int], list[tuple[int, Configuration]]]] = {}
    check = partial(_check_columns, file=file)
    for line, cells in rows_of(file, "profiles", check, numbers=_is_number):
        module, c = _configuration(cells, line, file)
        known = found.setdefault(module, {}).setdefault((c.hardware, c.batch, c.concurrency), [])
        known.append((line, c))
        if len(known) > 1 and (c.quantiles_s or known[0][1].quantiles_s):
            what = f"{module} on {c.hardware} with batch {c.batch} and concurrency {c.concurrency}"
            message = f"repeats line {known[0][0]} ({what}), with quantiles; keep one of them, or leave out quantiles"
            raise at_line(line, message, file)
    if not found:
        raise InputError("has no rows below its header; give at least one configuration", file=file)
    return {module: tuple(_together(rows) for rows in keys.values()) for module, keys in found.items()}


def _together(rows: Sequence[tuple[int, Configuration]]) -> Measured:
    """What rows of one configuration say: of repetitions the median, and quantiles where there are enough of them."""
    lines = tuple(line for line, _ in rows)
    if len(rows) == 1:
        return Measured(rows[0][1], lines)
    durations = sorted(c.duration_s for _, c in rows)
    median_s = median(durations)
    memory_mb = max((c.memory_mb for _, c in rows if c.memory_mb is not None), default=None)
    first = rows[0][1]
    together = Configuration(
        first.hardware, first.batch, first.concurrency, median_s, memory_mb, quantiles_of(durations)
    )
    return Measured(together, lines, _far_apart(rows, median_s))


def _far_apart(rows: Sequence[tuple[int, Configuration]], median_s: Fraction) -> str:
    """What is doubted of repetitions: durations that differ too much for one thing measured several times."""
    shortest, longest = (end(rows, key=lambda row: row[1].duration_s) for end in (min, max))
    if longest[1].duration_s <= APART * shortest[1].duration_s:
        return ""
    said = [f"line {line} {full(c.duration_s, ' s', digits=3)}" for line, c in (shortest, longest)]
    return f"repetitions differ by more than {APART} times ({joined(said)}); their median is {full(median_s, ' s')}"


def quantiles_of(durations: Sequence[Fraction]) -> dict[str, Fraction]:
    """The quantiles that so many durations tell: the least one that is not below that share of them.

    A quantile takes 1/(1 - share) durations: with fewer it would be the longest one, whatever the share.

    Args:
        durations: seconds in ascending order.
    """
    count = len(durations)
    shares = {level: level_share(level, "") for level in LEVELS}
    return {level: durations[math.ceil(q * count) - 1] for level, q in shares.items() if count * (1 - q) >= 1}


def _told(file: str, rows: Mapping[str, Sequence[Measured]]) -> Profiles:
    """The profiles of a file, with a word on repetitions and on rows that are doubted.

    Raises:
        InputError: rows are doubted, and `strictly` holds.
    """
    found = {module: tuple(one.configuration for one in measured) for module, measured in rows.items()}
    lines: list[str] = []
    for module, measured in rows.items():
        labels = [one.label for one in measured]
        for one in measured:
            if one.doubt:
                c = one.configuration
                of = f"{module} on {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
                lines.append(f"{one.label}: {of}: {one.doubt}")
        lines += doubt_lines(module, found[module], labels.__getitem__)
    repeated = sum(len(one.lines) > 1 for measured in rows.values() for one in measured)
    if repeated:
        say(f"{file}: {counted(repeated, 'configuration')} measured several times; the median counts")
    tell_doubts(file, lines)
    return found


def profiles_text(profiles: Profiles) -> str:
    """The CSV text of profiles, as `read_profiles` reads it; durations are written exactly.

    Raises:
        InputError: the name of a module or of hardware is none that can be read again.
    """
    rows: list[tuple[str, ...]] = []
    every = [c for profile in profiles.values() for c in profile]
    memory = ("memory_mb",) if any(c.memory_mb is not None for c in every) else ()
    known = {level for c in every for level in c.quantiles_s}
    levels = sorted(known, key=lambda level: level_share(level, "quantiles_s"))
    for module, profile in profiles.items():
        for c in profile:
            cells: tuple[str, ...] = (module, c.hardware, str(c.batch), str(c.concurrency), decimal_text(c.duration_s))
            cells += ("" if c.memory_mb is None else decimal_text(c.memory_mb),) * len(memory)
            validated(_ProfileRow, dict(zip((*COLUMNS, *memory), cells, strict=True)), None)
            _refuse_edges(module, "module")
            _refuse_edges(c.hardware, "hardware")
            rows.append((*cells, *(decimal_text(c.quantiles_s[x]) if x in c.quantiles_s else "" for x in levels)))
    return csv_text((*COLUMNS, *memory, *(f"{level}_s" for level in levels)), rows)


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
    if not set(row) & set(_ProfileRow.model_fields):
        raise at_line(line, f"names no column that is known; begin the file with {needed}, or p50_s for the last", file)
    own = [column for column in row if not QUANTILE.fullmatch(column)]
    for column in own:
        level = WITHOUT_SECONDS.fullmatch(column)
        if level is not None:
            lacks = "is not known in this unit" if level[0] != level[1] else "is a quantile without its unit"
            raise at_line(line, f"{lacks}; write `{level[1]}_s`, in seconds", file, column)
    _validated(_with_median(dict.fromkeys(own, "x"), "p50_s" in row), line, file)


def _with_median(cells: dict[str, str], known: bool | str) -> dict[str, str]:
    """The cells; where there is no duration but a median, that is the duration."""
    return cells if "duration_s" in cells or not known else {**cells, "duration_s": str(known)}


def _is_number(column: str) -> bool:
    """Whether a column holds numbers."""
    return column not in NAMES


def _configuration(cells: dict[str, str], line: int, file: str) -> tuple[str, Configuration]:
    said = {column: text for column, text in cells.items() if QUANTILE.fullmatch(column)}
    own = {column: text for column, text in cells.items() if column not in said}
    own = _with_median(own, said.get("p50_s", ""))
    row = _validated(own | {name: unguarded(cells[name]) for name in NAMES}, line, file)
    batch = whole_cell(row.batch, "batch", line, file)
    concurrency = whole_cell(row.concurrency, "concurrency", line, file)
    duration = positive_cell(row.duration_s, "duration_s" if "duration_s" in cells else "p50_s", line, file)
    memory = positive_cell(row.memory_mb, "memory_mb", line, file) if row.memory_mb else None
    quantiles_s = {c[: -len("_s")]: positive_cell(text, c, line, file) for c, text in said.items() if text}
    try:
        return row.module, Configuration(row.hardware, batch, concurrency, duration, memory, quantiles_s)
    except InputError as error:
        field = (error.field or "").removeprefix("quantiles_s.")
        column = error.field if field == error.field else f"{field}_s"
        raise at_line(line, error.message, file, column) from None


def _validated(cells: dict[str, str], line: int, file: str) -> _ProfileRow:
    try:
        return validated(_ProfileRow, cells, file)
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


def _refuse_without_rows(field: str, given: Mapping[str, Number], used: Mapping[str, object], file: str) -> None:
    """Refuse numbers for hardware that a file does not have, with the name that is likely meant."""
    for name in given:
        if name not in used:
            near = nearest(name, [kind for kind in used if kind not in given] or used)
            hint = near if near.endswith("?") else f"it has {', '.join(used)}"
            raise InputError(f"hardware {name!r} has no row in {file}; {hint}", field=field)


def _refuse_missing(
    field: str, what: str, needed: Mapping[str, object], given: Mapping[str, Number], file: str
) -> None:
    for name in needed:
        if name not in given:
            raise InputError(f"lacks {what} {name!r}, which {file} has; add it", field=field)
