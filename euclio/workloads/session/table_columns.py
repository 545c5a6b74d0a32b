"""Which column of a table says what, and in which unit: what a user says, or a tool's table (docs/howto/import.md).

A `Reading` is what a user says of a table. `bind` finds its columns in a header and returns a `Bound`, which turns rows
into cells under euclio's own names. Units are read from headers such as ``Latency (ms)``, and asked for where a header
has none: nothing here guesses a unit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import filter as matching
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError, reason_of
from euclio.core.numbers import Number, exact_number
from euclio.core.parameters import option_text, verb_text
from euclio.core.words import joined, listed, nearest
from euclio.problems.session.costs import HOURS
from euclio.problems.session.instance import LEVEL
from euclio.workloads.session.csv_rows import Place, Row, at_line

TEXTS = ("module", "hardware")
"""The columns that hold no numbers."""
WHOLES = ("batch", "concurrency", "instances", "in_flight")
COUNTS = ("requests", "completed", "failed")
TOKENS = ("tokens", "token_rate")
"""Tokens of an answer and per second, which only say whether a rate counts requests."""
OF_HARDWARE = ("price_per_h", "count", "at_least")
"""Columns on a row's hardware, as tables of variants with their costs have them."""
MEASURE = re.compile(rf"(latency|ttft|tpot|itl)(_(mean|{LEVEL.pattern}))?_s")
"""Latencies that a table may state next to a rate: of a request, to the first token, per token, between tokens."""
QUANTILE = re.compile(rf"{LEVEL.pattern}_s")
KNOWN = (*TEXTS, *WHOLES, "duration_s", "throughput_rps", "memory_mb", *COUNTS, "failed_share", *TOKENS, *OF_HARDWARE)
ENDINGS = ("", "_s", "_rps", "_mb", "_per_h")

TIMES: Mapping[str, Number] = {
    "s": 1,
    "sec": 1,
    "seconds": 1,
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
}
NAMED = {"s": "second", "sec": "second", "second": "second", "min": "minute", "h": "hour"}
PER = {name: 1 / (3600 * HOURS[unit]) for name, unit in NAMED.items()}
"""Requests per second of a rate that is one per such a time."""
MEMORY: Mapping[str, Number] = {
    "mb": 1,
    "mib": Fraction(1048576, 10**6),
    "gb": 1000,
    "gib": Fraction(1073741824, 10**6),
}
RATE = "throughput_rps"
RATE_HEADER = re.compile(r"\b[rq]p[smh]\b|(req\w*|quer\w*|inf\w*|samples?) ?(/|per) ?(s|m|h)|throughput")
UNIT = re.compile(r"(.*?)[ _.]?units?")
NAMES = {
    "module": re.compile(r"(model|module|network|dnn)( ?(name|id))?"),
    "hardware": re.compile(
        r"(selected )?(gpu|accelerator|device|hardware|machine|instance type)( ?(type|name|model))?"
    ),
}
"""Headers of names, by the column that they may be."""
BATCHES = "batches"
"""A unit of a rate: every one counts as many requests as the row's batch has; ``batches/min`` are per minute."""
UNCOUNTED = {
    "tok": "tokens",
    "stream": "streams",
    "image": "images",
    "img": "images",
    "frame": "frames",
    "fps": "frames",
    "char": "characters",
    r"\b[kmgt]i?b(ps\b| ?/| ?per\b)|\bbytes? ?(/|per)|\bbits? ?(/|per)": "bytes or bits",
    r"\b[km] ?(req|rps|qps|quer|inf|/ ?s)|thousand|million": "thousands or millions",
    r"(/|per) ?(\d+ ?(s|m|h)\b|ms\b|us\b|ns\b|d\b|day|week|month|year)": "per another time than second, minute or hour",
}
"""Patterns of headers by which a rate does not say that it counts requests, or by which time."""
INVERSE = re.compile(r"(/|per) ?(req|quer|inf|batch)|(?<!\d )\b[mun]s ?[\])]?$")
"""Headers of a time for each request, or of a time alone, which no number turns into a rate."""
PER_BATCH = re.compile(r"\bbatch(es)? ?(/|per)")
REQUESTS = re.compile(r"(req\w*|quer\w*|inf\w*|samples?) ?(/|per)|[rq]p[smh]\b")
PER_MINUTE, PER_HOUR = (re.compile(rf"(/|per) ?{one}|[rq]p{one[0]}\b") for one in (r"m(in|\b)", r"h(r|our|\b)"))
OTHER_PRICE = re.compile(
    r"(/|per) ?(\d*[km]? ?(req|tok|call|image|inf)|min|sec|s\b|mo\b)|month|\bda(y|i)|week|year|annual|"
    r"\bcents?(\b|per)|¢|\bct\b|\bspot\b|preempt|reserv|commit|saving"
)
"""Headers of prices that are not money per hour, or not those of a machine on demand."""
PER_REQUEST = re.compile(r"(/|\bper) ?(req|sample|image|img|item|inf|quer|prompt|frame|token)")
"""Headers of a time for each request, which is no duration of a batch."""
PART = re.compile(r"[(\[]\s*([^)\]]+?)\s*[)\]]\s*$")
SUFFIX = re.compile(r"[_ ](ms|us|ns|s|sec|seconds|mb|mib|gb|gib)$")
LEAST_ALIKE = 3
"""Columns of a tool's table from which on a header is nearly one."""
SIGNS = re.compile(r"[^a-z0-9.%/]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A user's description of a table; all empty means that the columns have euclio's names and units.

    Attributes:
        columns: header by euclio's name of a column, such as ``{"batch": "Batch Size"}``.
        units: unit by euclio's name, such as ``{"latency_s": "ms"}``; a number for a rate is the requests per second
            that one of its units is.
        where: text that a column must have, by header, or several with ``|`` between them; other rows are left out.
        limits: most seconds of a column, by euclio's name, such as ``{"ttft_p99_s": 1}``; other rows are left out.
        tool: name of a tool's table, or the path of an own one; None finds the table of a known tool by its
            columns.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, Number] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, Fraction] = field(default_factory=dict)
    tool: str | Path | None = None


PLAIN = Reading()


@dataclass(frozen=True, slots=True)
class Tool:
    """The table that a tool writes.

    Attributes:
        name: the tool.
        about: what it writes, in a few words.
        columns: headers by euclio's name of a column; the first that is there counts.
        needed: euclio's names of the columns that tell it from other tools' tables.
        units: unit by euclio's name, where headers have none; in a file also by a pattern of names, such as ``*_s``.
        patterns: regular expression by euclio's name, whose first group is the value in the cell.
        skip: text by header; rows with it are no measurements, such as sums of others.
        verb: kind of `euclio import` that reads the table instead; empty: it is read here.
    """

    name: str
    about: str
    columns: Mapping[str, tuple[str, ...]]
    needed: tuple[str, ...]
    units: Mapping[str, Number]
    patterns: Mapping[str, re.Pattern[str]]
    skip: Mapping[str, str]
    verb: str


@dataclass(frozen=True, slots=True)
class Bound:
    """The columns of a header.

    Attributes:
        source: header by euclio's name.
        scales: by euclio's name, what a number of the column is multiplied by; `BATCHES` with its time: by the row's
            batch too.
        patterns: as of the tool.
        further: headers that no name stands for.
        tool: the tool whose table it is; None for others.
    """

    source: Mapping[str, str]
    scales: Mapping[str, Fraction | str]
    patterns: Mapping[str, re.Pattern[str]]
    further: tuple[str, ...]
    tool: Tool | None

    def cells(self, row: Row) -> Row:
        """The cells of a row under euclio's names."""
        found = {name: row[header] for name, header in self.source.items()}
        for name, pattern in self.patterns.items():
            match = pattern.search(found[name]) if name in found else None
            if match is not None:
                found[name] = match[1]
        return found


def bind(reading: Reading, header: Sequence[str], line: Place, file: str) -> Bound | None:
    """The columns of a header as a user or a tool names them; None if it has euclio's own names.

    Raises:
        InputError: a column that is named is not there, or one has no unit; names the option that says it.
    """
    tool = _chosen(reading, header, file)
    if tool is None and not reading.columns and not reading.units:
        return None
    if tool is not None and tool.verb:
        message = (
            f"is {tool.about}; read it by {verb_text(f'import {tool.verb}')}, or say by {option_text('--columns')}"
        )
        raise InputError(f"{message} which column is which", file=file)
    source = {name: name for name in header if is_known(name)}
    if tool is not None:
        source |= {name: found for name, asked in tool.columns.items() if (found := _first(asked, header)) is not None}
    for name, asked in reading.columns.items():
        found = _first((asked,), header)
        if found is None:
            raise at_line(line, f"has no column {asked!a}; {_near(asked, header)}", file, option_text("--columns"))
        source[full_name(name, "--columns")] = found
    units = dict(tool.units if tool is not None else {}) | {full_name(n, "--unit"): u for n, u in reading.units.items()}
    for name in units:
        if name not in source and (tool is None or name not in tool.columns):
            raise InputError(f"gives a unit of {name}, which no column is read as", field="--unit")
    scales = {name: _scale(name, header_of, units.get(name)) for name, header_of in source.items()}
    duration = source.get("duration_s", "duration_s")
    if "batch" in source and PER_REQUEST.search(_plain_words(duration)):
        message = f"reads duration from column {duration!a}, which is a time for each request; give that of a batch"
        raise InputError(message, file=file, field="--columns")
    used = set(source.values())
    further = tuple(name for name in header if name not in used)
    return Bound(source, scales, tool.patterns if tool is not None else {}, further, tool)


def is_known(name: str) -> bool:
    """Whether euclio knows a column of this name."""
    return name in KNOWN or MEASURE.fullmatch(name) is not None or QUANTILE.fullmatch(name) is not None


def full_name(name: str, option: str) -> str:
    """Euclio's name of a column, which a user may write without its unit: ``duration`` is ``duration_s``."""
    for ending in ENDINGS:
        if is_known(name + ending):
            return name + ending
    message = f"names {name!r}, which is no column of a profile; {nearest(name, KNOWN)}"
    raise InputError(f"{message}, or a latency such as latency_p95_s, ttft_p99_s, tpot_mean_s", field=option)


def plain_header(text: str) -> str:
    """A header without white space and signs that say nothing, so that ``Throughput(qps)`` is ``throughput (qps)``."""
    return SIGNS.sub("", text.lower())


def _first(asked: Sequence[str], header: Sequence[str]) -> str | None:
    """The first of some headers that is there."""
    plain = {plain_header(name): name for name in reversed(header)}
    return next((plain[own] for one in asked if (own := plain_header(one)) in plain), None)


def _near(asked: str, header: Sequence[str]) -> str:
    near = nearest(asked.lower(), list(header))
    return near if near.endswith("?") else f"it has {listed(header, 12)}"


def _scale(name: str, header: str, said: Number | None) -> Fraction | str:
    """The factor for the numbers of a column."""
    if name == "price_per_h":
        return _price_scale(header, said)
    if name in (*TEXTS, *WHOLES, *COUNTS, *TOKENS, *OF_HARDWARE):
        return Fraction(1)
    if name == "throughput_rps":
        return _rate_scale(header, said)
    if name == "failed_share":
        if said not in (None, "%", "1") or (said is None and "rate" in header and "%" not in header):
            message = f"is needed: failed_share is read from column {header!a}; give failed_share=%, or 1 for a part"
            raise InputError(message, field="--unit")
        return Fraction(1, 100) if said == "%" or (said is None and "%" in header) else Fraction(1)
    known: Mapping[str, Number] = MEMORY if name.endswith("_mb") else TIMES
    unit = said if said is not None else _unit_in(header) if header != name else name.rpartition("_")[2]
    if unit is None:
        message = (
            f"is needed: {name} is read from column {header!a}, which names no unit; give {name}={joined(known, 'or')}"
        )
        raise InputError(message, field="--unit")
    if str(unit).lower() not in known:
        raise InputError(f"is {str(unit)!r} for {name}; give {joined(known, 'or')}", field="--unit")
    return Fraction(known[str(unit).lower()])


def units_beside(bound: Bound, said: Mapping[str, Number]) -> dict[str, tuple[str, ...]]:
    """Columns of units that are not read, with euclio's names of the columns that they are about.

    Args:
        bound: the columns.
        said: units that a user gave, which count whatever the table says.
    """
    known = {full_name(name, "--unit") for name in said}
    own = {n: header for n, header in bound.source.items() if (n == RATE or n.endswith("_s")) and n not in known}
    main = tuple(name for name in (RATE, "duration_s") if name in bound.source)
    found = {}
    for header in bound.further:
        match = UNIT.fullmatch(header)
        if match is not None and match[1]:
            found[header] = tuple(name for name, source in own.items() if source.startswith(match[1]))
        elif match is not None and len(main) == 1 and main[0] in own:
            found[header] = main
    return found


def unit_fits(name: str, text: str, scale: Fraction | str) -> bool:
    """Whether a unit in a cell is that by which a column is read."""
    if name != RATE:
        return TIMES.get(text.lower(), scale) == scale
    try:
        return text.lower() not in TIMES and _rate_scale(text, None) == scale
    except InputError:
        return False


def unread_rate(bound: Bound) -> tuple[str, Fraction | str] | None:
    """A rate next to a duration that is not read, with its scale; None: there is none whose unit is known."""
    for header in bound.further if "duration_s" in bound.source and RATE not in bound.source else ():
        if RATE_HEADER.search(_plain_words(header)):
            try:
                return header, _rate_scale(header, None)
            except InputError:
                continue
    return None


def names_of(name: str, header: str) -> bool:
    """Whether a column that is not read may say a row's module or hardware."""
    return NAMES[name].fullmatch(_plain_words(header.rpartition(".")[2])) is not None


def _unit_in(header: str) -> str | None:
    """The unit that a header names at its end, such as ``Latency (ms)`` or ``mean_ttft_ms``."""
    found = PART.search(header) or SUFFIX.search(header.lower())
    return found[1].lower() if found else None


def _rate_scale(header: str, said: Number | None) -> Fraction | str:
    """Requests per second that one of a rate's units is."""
    if said is not None:
        rest = str(said).removeprefix(BATCHES)
        unit = rate_unit(rest or "1", "--unit")
        return str(said) if rest != str(said) else unit
    lower = _plain_words(header)
    if INVERSE.search(lower) and not REQUESTS.search(lower):
        message = f"reads throughput from column {header!a}, which is a time; read it as duration or latency_mean"
        raise InputError(message, field="--columns")
    for part, words in UNCOUNTED.items():
        if re.search(part, lower):
            message = (
                f"is needed: throughput is read from column {header!a}, which counts {words}; give the requests per "
                "second that one of them is, such as throughput=0.004"
            )
            raise InputError(message, field="--unit")
    time = "min" if PER_MINUTE.search(lower) else "h" if PER_HOUR.search(lower) else "s"
    if PER_BATCH.search(lower):
        return BATCHES if time == "s" else f"{BATCHES}/{time}"
    if "batch" in lower and not REQUESTS.search(lower):
        message = f"is needed: throughput is read from column {header!a}; give throughput=/s for requests, or {BATCHES}"
        raise InputError(message, field="--unit")
    return PER[time]


def _price_scale(header: str, said: Number | None) -> Fraction:
    """Money per hour that one of a price's units is: of ``month``, 1/730."""
    if said is None and not OTHER_PRICE.search(_plain_words(header)):
        return Fraction(1)
    if str(said) in HOURS:
        return 1 / HOURS[str(said)]
    try:
        return exact_number(str(said), "")
    except InputError:
        wanted = f"{joined(HOURS, 'or')}, or the money per hour that one is, such as 0.01 for cents per hour"
        message = f"is needed: price_per_h is read from column {header!a}; give price_per_h={wanted}"
        raise InputError(message, field="--unit") from None


def _plain_words(header: str) -> str:
    """A header in lower case, with one space for every sign that only divides words."""
    return re.sub(r"[_\s.-]+", " ", header.lower())


def rate_unit(text: str, option: str) -> Fraction:
    """Requests per second that one of a unit is: ``/min`` is 1/60, a number is itself.

    Raises:
        InputError: it is neither; names the option.
    """
    unit = text.strip().removeprefix("1").removeprefix("/").removeprefix("per ").strip()
    if unit in PER and not text.strip().isdigit():
        return PER[unit]
    try:
        return exact_number(text.strip(), "")
    except InputError:
        known = ", ".join(f"/{name}" for name in ("s", "min", "h"))
        message = f"is {text!r} for a rate; give {known}, {BATCHES}, or the requests per second that one of them is"
        raise InputError(message, field=option) from None


# Tables of tools, a file each.


@cache
def tools() -> tuple[Tool, ...]:
    """The tables that tools are known to write, by the tools' names."""
    return tuple(_tool(path) for path in sorted(Path(__file__).with_name("tools").glob("*.toml")))


def _tool(path: Path) -> Tool:
    """A tool's table in a file.

    Raises:
        InputError: the file is none; names the field.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be read as TOML: {reason}; correct it there", file=str(path)) from None
    try:
        columns = {name: (own,) if isinstance(own, str) else tuple(own) for name, own in data["columns"].items()}
        needed = tuple(data["needed"])
        patterns = {name: re.compile(own) for name, own in data.get("patterns", {}).items()}
        said, skip = _texts(data.get("units", {})), _texts(data.get("skip", {}))
        units = {name: unit for asked, unit in said.items() for name in matching(columns, asked) or [asked]}
        return Tool(path.stem, data["about"], columns, needed, units, patterns, skip, data.get("verb", ""))
    except (KeyError, TypeError, AttributeError, re.error) as error:
        may_have = "may have [units], [patterns], [skip]"
        message = f"lacks or misstates {error}; a table has about, needed, [columns], and {may_have}"
        raise InputError(message, file=str(path)) from None


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _chosen(reading: Reading, header: Sequence[str], file: str) -> Tool | None:
    """The tool that is named, or whose columns a header has; a header with euclio's own names is no tool's."""
    if reading.tool is None:
        if reading.columns or {"module", "hardware"} <= set(header):
            return None
        return next((tool for tool in tools() if _lacking(tool, header) is None), None)
    known = {tool.name: tool for tool in tools()}
    tool = known.get(str(reading.tool))
    if tool is None:
        path = Path(reading.tool)
        if path.suffix != ".toml":
            message = f"is {str(path)!r}; give {joined(known, 'or')}, or an own table (.toml)"
            raise InputError(message, field="--tool")
        tool = _tool(path)
    lacking = _lacking(tool, header)
    if lacking is not None:
        raise InputError(f"lacks column {lacking!a} of {tool.name}; it has {listed(header, 12)}", file=file)
    return tool


def nearly_tool(header: Sequence[str]) -> str:
    """The tool whose table a header nearly is, and the column that it lacks; empty if it is like none."""
    has = {tool.name: sum(_first(asked, header) is not None for asked in tool.columns.values()) for tool in tools()}
    tool = max(tools(), key=lambda tool: has[tool.name])
    if has[tool.name] < LEAST_ALIKE:
        return ""
    return f"is nearly {tool.about}, but lacks column {_lacking(tool, header)!a}"


def _lacking(tool: Tool, header: Sequence[str]) -> str | None:
    """A column that a tool's table has and a header has not; None if it has all that are needed."""
    for name in tool.needed:
        if _first(tool.columns[name], header) is None:
            return tool.columns[name][0]
    return None
