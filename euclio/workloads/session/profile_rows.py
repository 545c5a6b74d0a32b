"""Rows of a table of measurements as configurations: durations of batches, or operating points (docs/howto/import.md).

An operating point states a rate in place of a duration: a machine that works on e batches of b at a time and answers t
requests per second takes b·e/t seconds for a batch, exactly. The latency of a request next to it is no duration of a
batch, since a request also waits; it only says whether the rate can be what it is taken for (`operating_points`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.words import full, listed, percent
from euclio.files.boundary import FileModel, Name, Text, validated
from euclio.files.csv_files import unguarded
from euclio.problems.session.files.instances import FAILED
from euclio.problems.session.instance import LEVEL, Configuration
from euclio.workloads.session.csv_rows import (
    LONGEST_NUMBER,
    Place,
    Row,
    at_line,
    place_label,
    positive_cell,
    whole_cell,
)
from euclio.workloads.session.operating_points import OperatingPoint, doubts_of_row
from euclio.workloads.session.table_columns import (
    BATCHES,
    COUNTS,
    MEASURE,
    OF_HARDWARE,
    PLAIN,
    QUANTILE,
    TEXTS,
    TOKENS,
    Bound,
    Reading,
    bind,
    is_known,
    names_of,
    nearly_tool,
    plain_header,
    rate_unit,
    unit_fits,
    units_beside,
    unread_rate,
)

COLUMNS = ("module", "hardware", "batch", "concurrency", "duration_s")
COUNTED = re.compile(r"(?<!of )\b[0-9]+")
"""Numbers of requests in a text such as ``connect 0, timeout 5`` or ``0 of 200``."""
NO_FAILURE = re.compile(
    r"(none|no|ok|false|null|nan|n/a|-|~|\{\}|\[\]|pass(ed)?|success|no (failures?|errors?))?", re.IGNORECASE
)
"""Texts of a column of failures that say none."""
BAD_OUTCOME = re.compile(
    r"\b(status|state|result|outcome|succe\w*|passed|ok|valid|satisfied|notes?|comments?|remarks?)\b[^=]*="
    r"(fail|error|oom\b|out of mem|timed?[ -]?out|abort|crash|kill|cancel|reject|invalid|false$|no$)|"
    r"\bstatus( code)?=[45]\d\d$",
    re.IGNORECASE,
)
"""Columns, and behind = their texts, that say that a row's requests were not answered."""
OUTCOME_SHARE = re.compile(r"succe\w*[_\s]*(rate|share|ratio|%|percent)|availab", re.IGNORECASE)
SUCCESS = re.compile(r"\bsucce\w*$|\b2xx$", re.IGNORECASE)
"""Columns of answers that may be a share, which a part of 1 or a percent sign tells."""
WITHOUT_SECONDS = re.compile(rf"({LEVEL.pattern})(_[a-z]+)?")
"""Columns of quantiles of the duration, and those that should be some."""
MOST_FAILED = Fraction(1, 1000)
"""Share of failed requests up to which a row counts; answers that fail are not what a batch takes."""
MOST_LISTED = 12
"""Columns that a refusal lists."""
IN_FLIGHT = ("instances", "concurrency", "in_flight")
"""Columns of the batches that a machine works on at a time, the first that is there; clients may only wait."""
LATENCIES = ("latency_mean_s", "latency_s", "latency_p50_s")


class _ProfileRow(FileModel):
    """A line of the file; its numbers are still text. Quantiles are read apart, and stand here for errors to list."""

    module: Name
    hardware: Name
    batch: Text
    concurrency: Text = "1"
    duration_s: Text
    throughput_rps: Text = ""
    instances: Text = ""
    in_flight: Text = ""
    memory_mb: Text = ""
    p50_s: Text = ""
    p95_s: Text = ""
    p99_s: Text = ""
    requests: Text = ""
    completed: Text = ""
    failed: Text = ""
    failed_share: Text = ""
    price_per_h: Text = ""
    count: Text = ""
    at_least: Text = ""


@dataclass(slots=True)
class RowReader:
    """Reads the rows of a table, whose header it is shown first.

    Attributes:
        file: path of the file.
        reading: what a user says of its columns.
        module: module of all rows where no column says it. None asks for a column.
        hardware: their hardware, likewise.
        doubts: lines on rows that are doubted.
        left_out: lines on rows that a limit leaves out.
        of_hardware: what the rows say of their hardware, by its name and the column.
        points: the operating points, whose rates are held against their latencies.
        sized: whether a row states a duration or a batch; where none does, nothing is known of the time of a batch.
        replicas_of: module whose replicas a row counts, by hardware.
        bound: the columns, once the header is known.
        wanted: texts that a column may have in rows that are read, by header.
        beside: columns of units that are not read, with the columns that they are about.
        rate: a rate next to a duration that is not read, with its scale; None if there is none.
        first: the first text of columns that may name a module or hardware, and are not read.
    """

    file: str
    reading: Reading = PLAIN
    module: str | None = None
    hardware: str | None = None
    doubts: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    of_hardware: dict[str, dict[str, Fraction]] = field(default_factory=dict)
    points: list[OperatingPoint] = field(default_factory=list)
    sized: bool = False
    replicas_of: dict[str, str] = field(default_factory=dict)
    bound: Bound = field(default_factory=lambda: Bound({}, {}, {}, (), None))
    wanted: dict[str, list[str]] = field(default_factory=dict)
    beside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rate: tuple[str, Fraction | str] | None = None
    first: dict[str, str] = field(default_factory=dict)

    def check(self, header: list[str], line: Place) -> None:
        """Find the columns; refuse those that are no profile's, or lack one of them.

        Raises:
            InputError: naming file, line and remedy.
        """
        bound = bind(self.reading, header, line, self.file)
        if bound is None:
            self._refuse_unknown_columns(header, line)
            bound = Bound({name: name for name in header}, dict.fromkeys(header, Fraction(1)), {}, (), None)
        self.bound = bound
        self.beside, self.rate = units_beside(bound, self.reading.units), unread_rate(bound)
        columns = {plain_header(name): name for name in header}
        for name, texts in self.reading.where.items():
            if plain_header(name) not in columns:
                raise InputError(f"names {name!r}, which is no column of {self.file}", field="--where")
            self.wanted[columns[plain_header(name)]] = texts.split("|")
        for name in self.reading.limits:
            if name not in bound.source:
                message = f"limits {name}, which no column of {self.file} is read as"
                raise InputError(f"{message}; {option_text('--columns')} says which is", field="--limit")
        known = [name for name in bound.source if not _apart(name)]
        try:
            _validated(self._filled(dict.fromkeys(known, "x"), dict.fromkeys(bound.source, "x")), line, self.file)
        except InputError as error:
            said = error.message.replace(
                "remove it (known", f"remove it, or say by {option_text('--columns')} what it is (known"
            )
            raise InputError(said, file=self.file, field=error.field) from None

    def is_number(self, header: str) -> bool:
        """Whether a column holds numbers."""
        texts = {self.bound.source.get(name, name) for name in TEXTS}
        return header not in texts and header not in self.bound.further and header not in self.bound.patterns

    def chosen(self, row: Row, line: Place) -> bool:
        """Whether a row has the texts that a user wants of it, and none by which its tool leaves it out."""
        if not all(row[header] in texts for header, texts in self.wanted.items()):
            return False
        skip = (
            {} if self.bound.tool is None else {plain_header(name): text for name, text in self.bound.tool.skip.items()}
        )
        out = [name for name, text in row.items() if skip.get(plain_header(name)) == text]
        self.left_out += [f"{place_label(line)}: {name} is {row[name]}" for name in out]
        return not out

    def configuration(self, cells: Row, row: Row, line: Place) -> tuple[str, Configuration] | None:
        """Module and configuration of a row; None where the row is left out.

        Args:
            cells: its cells under euclio's names.
            row: its cells by header.
            line: its place.

        Raises:
            InputError: naming file, line, column and remedy.
        """
        if self._failed(cells, row, line) or self._beyond(cells, line):
            return None
        self._refuse_other_things(row, line)
        if cells.get("throughput_rps") == "" and not (cells.get("duration_s") or cells.get("p50_s")):
            message = "is empty, and no column says a duration; give the rate, or take the row out"
            raise at_line(line, message, self.file, self._column("throughput_rps"))
        own = self._filled({name: text for name, text in cells.items() if not _apart(name)}, cells)
        texts = _validated(own | {name: unguarded(own[name]) for name in TEXTS}, line, self.file)
        try:
            made = self._made(texts, cells, line)
        except InputError as error:
            if error.file is not None:
                raise
            column = (error.field or "").removeprefix("quantiles_s.")
            level = f"{column}_s" if error.field != column else column
            raise at_line(line, error.message, self.file, level) from None
        stated = {
            name: number * Fraction(self.bound.scales[name])
            for name, text in cells.items()
            if (name in TOKENS or MEASURE.fullmatch(name)) and (number := _amount(text)) is not None
        }
        self.doubts += doubts_of_row(line, stated, made.throughput_rps, self.bound.source)
        if self.rate is not None and (number := _amount(row[self.rate[0]])):
            rate = self._scaled(number, self.rate[1], made.batch)
            b, e = made.batch, made.concurrency
            self.points.append(OperatingPoint(line, b, e, rate, None, None, made.duration_s, full=False))
        return texts.module, made

    def _refuse_other_things(self, row: Row, line: Place) -> None:
        """Refuse a row in another unit, or of another module or hardware, by a column that is not read."""
        for header, about in self.beside.items():
            for name in about:
                if row[header] and not unit_fits(name, row[header], self.bound.scales[name]):
                    message = f"is {row[header][:40]!a}, but {name} is read in another unit"
                    remedy = f"say its unit by {option_text('--unit')} {name}=UNIT"
                    raise at_line(line, f"{message}; {remedy}", self.file, header)
        for header in self.bound.further:
            text = row[header]
            name = next((one for one in TEXTS if names_of(one, header)), "")
            if not name or name in self.bound.source or header in self.wanted or not text or is_amount(text):
                continue
            first = self.first.setdefault(header, text)
            if first != text:
                message = f"is {text[:40]!a}, and {first[:40]!a} above, but no column is read as {name}"
            elif name == "hardware" and self.hardware and not _alike(text, self.hardware):
                message = f"is {text[:40]!a}, but all rows count as {self.hardware}"
            else:
                continue
            mapped = f"{option_text('--columns')} {name}={header}"
            chosen = f"{option_text('--where')} {header}={text[:40]}"
            raise at_line(line, f"{message}; give {mapped}, or {chosen}", self.file, header)

    def _made(self, texts: _ProfileRow, cells: Row, line: Place) -> Configuration:
        """The configuration of a row."""
        batch = whole_cell(texts.batch, "batch", line, self.file)
        self._keep_hardware(texts.hardware, texts.module, cells, line)
        at_once = next((name for name in IN_FLIGHT if cells.get(name)), "concurrency")
        concurrency = whole_cell(cells.get(at_once) or "1", at_once, line, self.file)
        rate = self._rate(cells, batch, line)
        duration = None
        if texts.duration_s:
            column = "duration_s" if "duration_s" in cells else "p50_s"
            duration = self._number(texts.duration_s, column, line)
        memory = self._number(texts.memory_mb, "memory_mb", line) if texts.memory_mb else None
        quantiles_s = {
            name.removesuffix("_s"): self._number(text, name, line)
            for name, text in cells.items()
            if QUANTILE.fullmatch(name) and text
        }
        self.sized |= duration is not None or any(cells.get(one) for one in ("batch", *IN_FLIGHT))
        if rate is not None:
            self._note(cells, batch, concurrency, rate, duration, line)
        stated = None if duration is not None else rate
        return Configuration(texts.hardware, batch, concurrency, duration, memory, quantiles_s, stated)

    def _keep_hardware(self, hardware: str, module: str, cells: Row, line: Place) -> None:
        """Keep a row's price and number of machines, which are the same in every row of the hardware."""
        known = self.of_hardware.setdefault(hardware, {})
        for name in OF_HARDWARE:
            if cells.get(name):
                number = (
                    self._number(cells[name], name, line)
                    if name == "price_per_h"
                    else self._machines(cells, name, line)
                )
                # Replicas are counted for each module, but machines of one name are one stock for all of them.
                if "replica" in self._column(name).lower() and name != "price_per_h":
                    other = self.replicas_of.setdefault(hardware, module)
                    if other != module:
                        message = f"counts {hardware} for {module}, and above for {other}; name them apart, such as"
                        said = f"{message} {hardware}-{other} and {hardware}-{module}"
                        raise at_line(line, said, self.file, self._column(name))
                if known.setdefault(name, number) != number:
                    message = f"is {full(number)} for {hardware}, and {full(known[name])} above; keep one of them"
                    raise at_line(line, message, self.file, self._column(name))

    def _machines(self, cells: Row, name: str, line: Place) -> Fraction:
        """A number of machines, which may be 0, and may be written as 2.0."""
        text = cells[name]
        if not (text.isascii() and text.removesuffix(".0").isdigit() and len(text) <= LONGEST_NUMBER):
            message = f"is {text[:40]!a}; it must be a whole number of machines"
            raise at_line(line, message, self.file, self._column(name))
        return Fraction(text)

    def _rate(self, cells: Row, batch: int, line: Place) -> Fraction | None:
        """Requests per second of a row; None if it states none."""
        if not cells.get("throughput_rps"):
            return None
        scale = self.bound.scales["throughput_rps"]
        number = Fraction(positive_cell(cells["throughput_rps"], self._column("throughput_rps"), line, self.file))
        return self._scaled(number, scale, batch)

    @staticmethod
    def _scaled(number: Fraction, scale: Fraction | str, batch: int) -> Fraction:
        """Requests per second of a rate with its scale."""
        if isinstance(scale, str):
            return number * batch * rate_unit(scale.removeprefix(BATCHES) or "1", "--unit")
        return number * scale

    def _number(self, text: str, name: str, line: Place) -> Fraction:
        """The number of a cell in euclio's unit."""
        return Fraction(positive_cell(text, self._column(name), line, self.file)) * Fraction(self.bound.scales[name])

    def _column(self, name: str) -> str:
        """The column that a name stands for, as the file calls it."""
        return self.bound.source.get(name, name)

    def _filled(self, own: Row, cells: Row) -> Row:
        """The cells with what need not be said: the median as duration, batch 1 of a rate, the module of all rows."""
        found = dict(own)
        if not own.get("duration_s") and cells.get("p50_s"):
            found["duration_s"] = cells["p50_s"]
        if cells.get("throughput_rps"):
            found = {"batch": "1", "duration_s": ""} | found
        for name, value in (("module", self.module), ("hardware", self.hardware)):
            if name not in found and value is not None:
                found[name] = value
        return found

    def _failed(self, cells: Row, row: Row, line: Place) -> bool:
        """Whether too many requests of a row failed, which is said."""
        share, words = _failures(cells, self)
        if not share:
            # Next to a share, as in k6's metrics, counts of what was not so are no failures.
            read = {_group(self.bound.source.get(name, "")) for name in ("failed", "failed_share")} - {""}
            for header in (one for one in self.bound.further if _group(one) not in read):
                own = _says_failure(header, row[header])
                if own and own >= share:
                    share, words = own, f"{header} is {row[header][:40]}"
        if share:
            kept = share <= MOST_FAILED
            remedy = "it counts all the same" if kept else "answers that fail say nothing of a batch; it is left out"
            self.doubts.append(f"{place_label(line)}: {words}: {remedy}")
        return share > MOST_FAILED

    def _beyond(self, cells: Row, line: Place) -> bool:
        """Whether a row misses a limit, which is said."""
        for name, most in self.reading.limits.items():
            if not cells[name]:
                self.left_out.append(f"{place_label(line)}: has no {name}")
                return True
            seconds = self._number(cells[name], name, line)
            if seconds > most:
                self.left_out.append(f"{place_label(line)}: {name} is {full(seconds)}, above {full(most)}")
                return True
        return False

    def _note(
        self, cells: Row, batch: int, concurrency: int, rate: Fraction, duration: Fraction | None, line: Place
    ) -> None:
        """Keep an operating point with its latency."""
        name = next((one for one in LATENCIES if cells.get(one)), None)
        latency = None if name is None else self._number(cells[name], name, line)
        clients = whole_cell(cells["in_flight"], "in_flight", line, self.file) if cells.get("in_flight") else None
        if latency is not None or duration is not None:
            self.points.append(OperatingPoint(line, batch, concurrency, rate, latency, clients, duration, self.sized))

    def _refuse_unknown_columns(self, header: list[str], line: Place) -> None:
        """Refuse columns that have none of euclio's names; a user may say which is which."""
        remedy = f"{option_text('--columns')} says which is which, as in batch=Batch Size"
        needed = ",".join(COLUMNS)
        if len(header) == 1 and not is_known(header[0]):
            raise at_line(line, f"has one column; divide columns by commas: {needed}", self.file)
        if not any(map(is_known, header)):
            if near := nearly_tool(header):
                raise at_line(line, f"{near}; give that of such a table, or {remedy}", self.file)
            begin = f"begin the file with {needed}, or p50_s for the last; or {remedy}"
            message = f"names no column that is known; {begin}; it has {listed(header, MOST_LISTED)}"
            raise at_line(line, message, self.file)
        for column in header:
            level = WITHOUT_SECONDS.fullmatch(column)
            if level is not None and not is_known(column):
                lacks = "is not known in this unit" if level[0] != level[1] else "is a quantile without its unit"
                raise at_line(line, f"{lacks}; write `{level[1]}_s`, in seconds", self.file, column)
            if FAILED.search(column) and not is_known(column):
                message = (
                    "may count requests that failed, whose rows are no measurements; call it failed, or failed_share"
                )
                raise at_line(line, message, self.file, column)


def _group(header: str) -> str:
    """The object that a nested field is in; empty if it is in none."""
    return header.rpartition(".")[0]


def _alike(text: str, other: str) -> bool:
    """Whether one name is a part of the other, as L4 is of NVIDIA-L4."""
    one, two = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (text, other))
    return one in two or two in one


def _apart(name: str) -> bool:
    """Whether a column is read apart from `_ProfileRow`."""
    return name in TOKENS or QUANTILE.fullmatch(name) is not None or MEASURE.fullmatch(name) is not None


def _failures(cells: Row, reader: RowReader) -> tuple[Fraction, str]:
    """The share of a row's requests that failed, and what the row says of them."""
    counts = {name: _amount(cells.get(name, "")) for name in COUNTS}
    requests, completed, failed = counts["requests"], counts["completed"], counts["failed"]
    if not failed and requests and completed is not None and completed < requests:
        failed = requests - completed
    share = _amount(cells.get("failed_share", ""))
    if share:
        share *= Fraction(reader.bound.scales["failed_share"])
        return share, f"{percent(float(share))} of the requests failed"
    for name in ("failed", "failed_share"):
        if _amount(text := cells.get(name, "")) is None and _says_failure(name, text):
            return Fraction(1), f"{reader.bound.source.get(name, name)} is {text[:40]}"
    if not failed:
        return Fraction(0), ""
    if not requests:
        return Fraction(1), f"{full(failed)} requests failed"
    return failed / requests, f"{full(failed)} of {full(requests)} requests failed"


def _says_failure(header: str, text: str) -> Fraction:
    """The share of failed requests by a column that no name stands for; 1 where it says some and not how many."""
    if FAILED.search(header):
        counted = COUNTED.findall(text)
        failed = any(map(int, counted)) if counted else NO_FAILURE.fullmatch(text) is None
        return Fraction(failed)
    succeeded = _amount(text) if OUTCOME_SHARE.search(header) or SUCCESS.search(header) else None
    if succeeded is not None and succeeded > 1 and not (OUTCOME_SHARE.search(header) or "%" in text):
        succeeded = None
    if succeeded is not None:
        return max(Fraction(0), 1 - succeeded / (100 if succeeded > 1 or "%" in header + text else 1))
    return Fraction(BAD_OUTCOME.search(f"{header.replace('_', ' ')}={text}") is not None)


def _amount(text: str) -> Fraction | None:
    """The number in a cell, which may have a decimal comma; None if it holds none."""
    try:
        return Fraction(text.rstrip("% ").replace(",", ".", 1)) if text else None
    except (ValueError, ZeroDivisionError):
        return None


def refuse_unreadable(cells: Row) -> None:
    """Refuse cells that could not be read again.

    Raises:
        InputError: names the field.
    """
    validated(_ProfileRow, cells, None)


def is_amount(text: str) -> bool:
    """Whether a cell holds a number."""
    return _amount(text) is not None


def _validated(cells: Row, line: Place, file: str) -> _ProfileRow:
    try:
        return validated(_ProfileRow, cells, file)
    except InputError as error:
        raise at_line(line, error.message, file, error.field) from None
