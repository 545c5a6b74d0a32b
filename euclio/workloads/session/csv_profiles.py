"""Sessions made of one's own measured profiles: a CSV file with a row per configuration, prices and rates next to it.

The file's first line names its columns, in any order: ``module``, ``hardware``, ``batch``, ``duration_s`` (seconds that
one batch takes while ``concurrency`` batches run on the machine) and, if it is not always 1, ``concurrency``. A column
``memory_mb`` says the megabytes that a configuration takes with all its batches; an empty cell says nothing. Columns
such as ``p50_s``, ``p95_s`` and ``p99_s`` say quantiles of the duration in seconds; where there is ``p50_s``,
``duration_s`` may be left out, and so it may where ``throughput_rps`` states a rate. Several rows of one configuration
are repetitions, of which the median counts, or operating points, of which that of the highest rate counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median

from euclio.core.errors import InputError
from euclio.core.numbers import Number, decimal_text, exact, exact_decimal_text
from euclio.core.parameters import option_text
from euclio.core.progress import say
from euclio.core.words import counted, full, joined, listed, nearest
from euclio.files.boundary import at
from euclio.files.csv_files import csv_text, unguarded
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.doubts import doubt_lines, slo_hint
from euclio.problems.session.instance import level_share
from euclio.workloads.session.csv_rows import Place, Row, at_line, place_label
from euclio.workloads.session.operating_points import doubts_of_rates, doubts_of_totals
from euclio.workloads.session.profile_rows import COLUMNS, RowReader, is_amount, refuse_unreadable
from euclio.workloads.session.table_columns import PLAIN, Reading
from euclio.workloads.session.table_shapes import table_rows

Profiles = dict[str, tuple[Configuration, ...]]
"""Configurations by module."""

LEVELS = ("p90", "p95", "p99")
"""Quantiles that repetitions tell, where they are enough."""
APART = 2
"""How many times as long as the shortest repetition of a measurement the longest may take."""

NS_PER_S = 10**9


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
    reading: Reading = PLAIN,
    factors: Mapping[tuple[str, str], Number] | None = None,
) -> Session:
    """The session of measured profiles.

    Args:
        path: the CSV file.
        prices_per_h: money per hour of each hardware of the file, which may also have it in a column.
        further: leave out prices of other hardware, as a price list has them; False refuses them.
        rates_rps: request rate in requests per second, of each module or one for all.
        slo_s: end-to-end latency objective in seconds.
        edges: pairs of module names, from parent to child; None means a chain in the order of the file.
        name: name of the instance; by default the file's.
        memory_mb: megabytes of memory of hardware of the file; None, or hardware that is not in it: not said.
        currency: what the prices are in, such as "EUR"; None if not said.
        reading: which column says what, for a file without euclio's own names and units.
        factors: requests of the child for each one of the parent, by edge; the rates of children follow from those of
            the modules that requests enter by. None means that every module has its rate in `rates_rps`.

    Raises:
        InputError: naming file, line and remedy, or the module or hardware that has no rate, price or row.
    """
    file = str(path)
    module = _only(rates_rps) if isinstance(rates_rps, Mapping) else name or Path(path).stem
    table = read_rows(path, reading, module, _only(prices_per_h))
    profiles, gone = _told(file, table)
    of_hardware = table.reader.of_hardware
    stated = {name: known["price_per_h"] for name, known in of_hardware.items() if "price_per_h" in known}
    prices_per_h = {name: price for name, price in (stated | dict(prices_per_h)).items() if name not in gone}
    chain = tuple(pairwise(profiles)) if edges is None else tuple(edges)
    rates = rates_rps if isinstance(rates_rps, Mapping) else dict.fromkeys(profiles, rates_rps)
    if factors is not None:
        rates = rates_along(chain, rates_rps, factors, tuple(profiles))
    used = dict.fromkeys(c.hardware for profile in profiles.values() for c in profile)
    _match("rates_rps", "module", rates, profiles, file)
    if further:
        prices_per_h = {name: price for name, price in prices_per_h.items() if name in used}
    _match("prices_per_h", "hardware", prices_per_h, used, file)
    _match("memory_mb", "hardware", memory_mb or {}, used, file, each=False)
    hardware, modules = [], []
    for kind, price in prices_per_h.items():
        with at(f"prices_per_h[{kind!r}]", None):
            said = of_hardware.get(kind, {})
            count, least = (int(said[name]) if name in said else None for name in ("count", "at_least"))
            hardware.append(Hardware(kind, price, count, (memory_mb or {}).get(kind), at_least=least or None))
    for module, profile in profiles.items():
        with at(f"rates_rps[{module!r}]", None):
            modules.append(Module(module, rates[module], profile))
    session = Session(name or Path(path).stem, slo_s, hardware, modules, chain, currency)
    tell_doubts(file, [hint] if table.reader.sized and (hint := slo_hint(session)) else [])
    return session


def rates_along(
    edges: Sequence[tuple[str, str]],
    rates_rps: Number | Mapping[str, Number],
    factors: Mapping[tuple[str, str], Number],
    modules: Sequence[str],
) -> dict[str, Number]:
    """The rate of every module: as given, or the sum over its parents of their rates times the factor of the edge.

    Args:
        edges: pairs of parent and child, without a cycle.
        rates_rps: requests per second of the modules that requests enter by, each or one for all of them.
        factors: requests of the child for each one of the parent; 1 for an edge that is not in it.
        modules: all modules.

    Raises:
        InputError: a factor of an edge that is not there, or a rate of a module that has parents.
    """
    for parent, child in factors:
        if (parent, child) not in edges:
            known = ", ".join(f"{a}:{b}" for a, b in edges) or "none"
            raise InputError(f"names the edge {parent}:{child}, which is not there; edges: {known}", field="factors")
    parents = {module: [edge for edge in edges if edge[1] == module] for module in modules}
    given = rates_rps if isinstance(rates_rps, Mapping) else {m: rates_rps for m in modules if not parents[m]}
    for module in given:
        if parents.get(module):
            message = f"gives a rate of {module}, which follows from that of its parents; leave it out"
            raise InputError(message, field="rates_rps")
    found: dict[str, Number] = dict(given)
    for _ in modules:
        for module, own in parents.items():
            if module not in found and own and all(parent in found for parent, _ in own):
                found[module] = sum((exact(found[a]) * exact(factors.get((a, b), 1)) for a, b in own), Fraction(0))
    return found


def _only(given: Mapping[str, Number]) -> str | None:
    """The one name that is given; None if there are several."""
    return next(iter(given)) if len(given) == 1 else None


def read_profiles(path: str | Path) -> Profiles:
    """The profile of every module in a CSV file, in the order of the file.

    Raises:
        InputError: naming file, line and remedy.
    """
    rows = read_rows(path).rows
    return {module: tuple(measured.configuration for measured in own) for module, own in rows.items()}


@dataclass(frozen=True, slots=True)
class Measured:
    """A configuration of a file.

    Attributes:
        configuration: what its rows say together.
        lines: the lines of the file that they are.
        doubt: what is doubted of them, where they are repetitions; empty if nothing.
    """

    configuration: Configuration
    lines: tuple[Place, ...]
    doubt: str = ""

    @property
    def label(self) -> str:
        """Where it stands."""
        return place_label(self.lines[0]) if len(self.lines) == 1 else f"lines {listed(self.lines)}"


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A file of measurements.

    Attributes:
        rows: its configurations by module.
        reader: what its rows were read by, with what is doubted and left out.
        gone: hardware of which every row was left out.
    """

    rows: dict[str, tuple[Measured, ...]]
    reader: RowReader
    gone: frozenset[str]


_Found = dict[str, dict[tuple[str, int, int], list[tuple[Place, Configuration, Row]]]]
"""By module and configuration, the rows that say it."""


def read_rows(
    path: str | Path, reading: Reading = PLAIN, module: str | None = None, hardware: str | None = None
) -> ReadTable:
    """The configurations of every module in a file, in the order of the file, with their lines.

    Args:
        path: the file.
        reading: which column says what.
        module: module of all rows where no column says it; None requires a column.
        hardware: hardware of all rows, likewise.

    Raises:
        InputError: naming file, line and remedy.
    """
    file = str(path)
    reader = RowReader(file, reading, module, hardware)
    found: _Found = {}
    met: dict[tuple[str, str], None] = {}
    for line, row in table_rows(file, "profiles", reader.check, numbers=reader.is_number):
        if not reader.chosen(row, line):
            continue
        cells = reader.bound.cells(row)
        met[unguarded(cells.get("module", module or "")), unguarded(cells.get("hardware", hardware or ""))] = None
        read = reader.configuration(cells, row, line)
        if read is None:
            continue
        name, c = read
        known = found.setdefault(name, {}).setdefault((c.hardware, c.batch, c.concurrency), [])
        known.append((line, c, row))
        if len(known) > 1:
            _refuse_others(name, known, reader)
    if not found:
        raise InputError(_empty(reader), file=file)
    lost = [name for name, _ in met if name not in found]
    if lost:
        out = [*reader.doubts, *reader.left_out]
        raise InputError(f"has no row left of module {lost[0]!r}: {listed(out, 2)}", file=file)
    rows = {name: tuple(_together(own, reader) for own in keys.values()) for name, keys in found.items()}
    kept = {one.configuration.hardware for own in rows.values() for one in own}
    return ReadTable(rows, reader, frozenset(kind for _, kind in met) - kept)


def _empty(reader: RowReader) -> str:
    """Why a file has no configurations."""
    out = [*reader.doubts, *reader.left_out]
    if out:
        return f"has no row left: {out[0]}" + (f"; and {len(out) - 1} more" if len(out) > 1 else "")
    if reader.reading.where:
        return f"has no row with {joined(f'{name}={text}' for name, text in reader.reading.where.items())}"
    return "has no rows below its header; give at least one configuration"


def _refuse_others(module: str, known: Sequence[tuple[Place, Configuration, Row]], reader: RowReader) -> None:
    """Refuse a repetition that cannot be one: with quantiles, or of another thing by a column that is not read."""
    (first, c, cells), (line, own, others) = known[0], known[-1]
    what = f"{module} on {c.hardware} with batch {c.batch} and concurrency {c.concurrency}"
    if own.quantiles_s or c.quantiles_s:
        message = f"repeats {place_label(first)} ({what}), with quantiles; keep one of them, or leave out quantiles"
        raise at_line(line, message, reader.file)
    for header in reader.bound.further:
        if cells[header] != others[header] and not all(
            one[header] == "" or is_amount(one[header]) for one in (cells, others)
        ):
            message = (
                f"repeats {place_label(first)} ({what}), but {header} is {others[header][:40]!a} and not "
                f"{cells[header][:40]!a}; choose one with {option_text('--where')} {header}={cells[header][:40]}"
            )
            raise at_line(line, message, reader.file)


def _together(rows: Sequence[tuple[Place, Configuration, Row]], reader: RowReader) -> Measured:
    """The measurement in rows of one configuration: the median of repetitions, and quantiles of enough of them."""
    lines = tuple(line for line, *_ in rows)
    if len(rows) == 1:
        return Measured(rows[0][1], lines)
    if "throughput_rps" in reader.bound.source:
        # Loads of one configuration: at a lower rate its machine was not full.
        line, c, _ = max(rows, key=lambda row: row[1].throughput_rps)
        return Measured(c, (line,))
    durations = sorted(c.duration_s for _, c, _ in rows)
    median_s = median(durations)
    memory_mb = max((c.memory_mb for _, c, _ in rows if c.memory_mb is not None), default=None)
    first = rows[0][1]
    together = Configuration(
        first.hardware, first.batch, first.concurrency, median_s, memory_mb, quantiles_of(durations)
    )
    return Measured(together, lines, _far_apart(rows, median_s))


def _far_apart(rows: Sequence[tuple[Place, Configuration, Row]], median_s: Fraction) -> str:
    """A doubt about repetitions, if durations differ too much for one thing measured several times."""
    shortest, longest = (end(rows, key=lambda row: row[1].duration_s) for end in (min, max))
    if longest[1].duration_s <= APART * shortest[1].duration_s:
        return ""
    said = [f"{place_label(line)} {full(c.duration_s, ' s', digits=3)}" for line, c, _ in (shortest, longest)]
    return f"repetitions differ by more than {APART} times ({joined(said)}); their median is {full(median_s, ' s')}"


def quantiles_of(durations: Sequence[Fraction]) -> dict[str, Fraction]:
    """The quantiles that so many durations tell: the least one that is not below that share of them.

    A quantile takes 1/(1 - share) durations: with fewer it would be the longest one at any share.

    Args:
        durations: seconds in ascending order.
    """
    count = len(durations)
    shares = {level: level_share(level, "") for level in LEVELS}
    return {level: durations[math.ceil(q * count) - 1] for level, q in shares.items() if count * (1 - q) >= 1}


def _told(file: str, table: ReadTable) -> tuple[Profiles, frozenset[str]]:
    """The profiles of a file, and hardware that is left out, with a word on repetitions and on doubted rows.

    Raises:
        InputError: rows are doubted, and `strictly` holds.
    """
    rows, reader = table.rows, table.reader
    found = {module: tuple(one.configuration for one in measured) for module, measured in rows.items()}
    lines = [*reader.doubts, *doubts_of_rates(reader.points), *doubts_of_totals(found)]
    for module, measured in rows.items():
        labels = [one.label for one in measured]
        for one in measured:
            if one.doubt:
                c = one.configuration
                of = f"{module} on {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
                lines.append(f"{one.label}: {of}: {one.doubt}")
        lines += doubt_lines(module, found[module], labels.__getitem__)
    bound = reader.bound
    if bound.tool is not None:
        say(f"{file}: read as {bound.tool.about}")
    if "throughput_rps" in bound.source and "batch" not in bound.source:
        say(f"{file}: no column says the batch; each row counts as batch 1, which takes no longer than its rate says")
    if bound.further:
        say(f"{file}: {listed(bound.further)}: not read")
    if reader.left_out:
        say(f"{file}: {counted(len(reader.left_out), 'row')} left out: {listed(reader.left_out, 3)}")
    repeated = sum(len(one.lines) > 1 for measured in rows.values() for one in measured)
    if repeated:
        say(f"{file}: {counted(repeated, 'configuration')} measured several times; the median counts")
    tell_doubts(file, lines)
    return found, table.gone


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
    rates = () if all(map(_by_duration, every)) else ("throughput_rps",)
    for module, profile in profiles.items():
        for c in profile:
            # A duration that is no decimal, as that of 140 requests per second, is written as its throughput.
            stated = decimal_text(c.duration_s) if _by_duration(c) else ""
            cells: tuple[str, ...] = (module, c.hardware, str(c.batch), str(c.concurrency), stated)
            cells += ("" if c.memory_mb is None else decimal_text(c.memory_mb),) * len(memory)
            refuse_unreadable(dict(zip((*COLUMNS, *memory), cells, strict=True)))
            _refuse_edges(module, "module")
            _refuse_edges(c.hardware, "hardware")
            quantiles = (decimal_text(c.quantiles_s[x]) if x in c.quantiles_s else "" for x in levels)
            rate = ("" if _by_duration(c) else decimal_text(c.throughput_rps),) * len(rates)
            rows.append((*cells, *quantiles, *rate))
    return csv_text((*COLUMNS, *memory, *(f"{level}_s" for level in levels), *rates), rows)


def _by_duration(c: Configuration) -> bool:
    """Whether a configuration is written by its duration: that is a decimal, or its throughput is none either."""
    return exact_decimal_text(c.duration_s) is not None or exact_decimal_text(c.throughput_rps) is None


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


def _refuse_edges(name: str, field: str) -> None:
    """Refuse a name that is read without its first or last sign, since white space around cells is no part of them."""
    if name != name.strip():
        raise InputError(f"is {name[:40]!a}; take the white space around it out", field=field)


def _match(
    field: str, what: str, given: Collection[str], used: Collection[str], file: str, *, each: bool = True
) -> None:
    """Refuse names that have no row in a file and, where each is needed, a missing one."""
    for name in given:
        if name not in used:
            near = nearest(name, [kind for kind in used if kind not in given] or used)
            hint = near if near.endswith("?") else f"it has {', '.join(used)}"
            raise InputError(f"{what} {name!r} has no row in {file}; {hint}", field=field)
    for name in used if each else ():
        if name not in given:
            raise InputError(f"lacks {what} {name!r}, which {file} has; add it", field=field)
