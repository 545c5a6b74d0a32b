"""Tables of measurements in any plain shape: CSV, Markdown, JSON, YAML, printed reports (ours; docs/howto/import.md).

Every shape gives the same: rows of texts by column. Nested fields of JSON and YAML are columns with dots, such as
``request_latency.p99``. Numbers keep their decimal text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.words import listed
from euclio.files.json_reading import DEEPEST_NESTING, json_lines, parse_json, too_deep
from euclio.problems.session.files.instances import FAILED
from euclio.workloads.session.csv_rows import Place, Row, at_line, refuse_twice, rows_of, text_of

Check = Callable[[list[str], Place], None]
"""Takes the columns and the place of the header; refuses wrong ones."""

JSON_SUFFIXES, LINES_SUFFIXES, YAML_SUFFIXES = (".json",), (".jsonl", ".ndjson"), (".yaml", ".yml")
RULER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*")
"""The line between the header of a Markdown table and its rows."""
NAMED = re.compile(r"\s*([^:|,;\t]{2,60}?)(?:\s*:|(?<=\]))\s+(\S.*?)\s*")
"""A line of a printed report, such as ``Request throughput (req/s):  3.77`` or ``[503] 99 responses``."""
LEAST_NAMED = 3
"""Lines of names and values that make a report."""
RUN = re.compile(r"&&&& (RUNNING|PASSED|FAILED) ")
"""The lines that begin and end a run of trtexec in its log."""
LOGGED = re.compile(r".*\[[\d/:-]+\] \[[A-Z]\] (.*)")
"""A line of that log, behind the time and the severity."""
DIMENSIONS = re.compile(r"(?:Created input|Input) binding for \S+ with dimensions ([\dx]+).*", re.IGNORECASE)
METRIC, THOUSANDS = "Metric", re.compile(r"\d{1,3}(,\d{3})+\.\d+")
"""The first header of a table with a metric in each row, and its numbers with signs between thousands."""
JSON_BEGINS = re.compile(r"\s*(\{|\[\s*[\[{\"])")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def table_rows(
    file: str, what: str, check: Check, *, numbers: Callable[[str], bool] | None = None
) -> Iterator[tuple[Place, Row]]:
    """The place and the cells by column of each row of a table.

    Args:
        file: path of the file.
        what: the file's content, for an error that says "name a CSV file of".
        check: as for `rows_of`.
        numbers: as for `rows_of`.

    Raises:
        InputError: naming file, row and remedy.
    """
    suffix, lower = Path(file).suffix.lower(), numbers is not None
    if suffix in (*JSON_SUFFIXES, *LINES_SUFFIXES, *YAML_SUFFIXES):
        yield from _checked(list(_records(file, suffix, what)), check, file, lower)
        return
    text = text_of(file, what)
    lines = text.splitlines()
    rulers = [k for k, line in enumerate(lines) if k and RULER.fullmatch(line) and "|" in lines[k - 1]]
    if rulers:
        yield from _markdown(lines, rulers, check, file, lower)
        return
    blocks = list(_metrics(lines) or _runs(lines) or _blocks(lines))
    if blocks:
        yield from _checked(blocks, check, file, lower)
        return
    if JSON_BEGINS.match(text):
        message = (
            "holds JSON, not a table of commas; name it with the ending .json, or .jsonl for an object in each line"
        )
        raise InputError(message, file=file)
    yield from rows_of(file, what, check, numbers=numbers)


def _checked(rows: Sequence[tuple[Place, Row]], check: Check, file: str, lower: bool) -> Iterator[tuple[Place, Row]]:
    """Rows of objects, which need not have the same fields; a missing one is an empty cell."""
    if not rows:
        raise InputError("has no rows; give at least one object of plain fields", file=file)
    columns = list(dict.fromkeys(name for _, row in rows for name in row))
    shown = [name.lower() if lower else name for name in columns]
    refuse_twice(shown, rows[0][0], file)
    check(shown, rows[0][0])
    for place, row in rows:
        yield place, {own: row.get(name, "") for own, name in zip(shown, columns, strict=True)}


def _markdown(lines: list[str], rulers: list[int], check: Check, file: str, lower: bool) -> Iterator[tuple[Place, Row]]:
    """The rows of the tables of a Markdown text that have the columns of the first one."""
    columns: list[str] = []
    last = 0
    for ruler in rulers:
        header = [cell.lower() if lower else cell for cell in _cells(lines[ruler - 1])]
        if not columns:
            refuse_twice([name for name in header if name], ruler, file)
            check(header, ruler)
            columns = header
        elif header != columns:
            message = f"begins a table with other columns than line {rulers[0]}; give each table in a file of its own"
            raise at_line(ruler, message, file)
        elif between := [line.strip() for line in lines[last : ruler - 1] if line.strip()]:
            # A heading may say what the rows below it are of, such as another machine, and no column does.
            message = f"begins another table, below {between[-1][:40]!a}; give each table in a file of its own"
            raise at_line(ruler, message, file)
        for k in range(ruler + 1, len(lines)):
            if "|" not in lines[k]:
                break
            last = k + 1
            cells = _cells(lines[k])
            if len(cells) != len(columns):
                raise at_line(k + 1, f"has {len(cells)} cells for {len(columns)} columns; give one for each", file)
            yield k + 1, dict(zip(columns, cells, strict=True))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[Place, Row]]:
    """The reports in a text, a row each: names and values by line, until a name comes again."""
    row: Row = {}
    start = 1
    for number, line in enumerate(lines, 1):
        found = NAMED.fullmatch(line)
        name = found[1] if found else ""
        if name in row:
            yield start, row
            row, start = {}, number
        if found:
            row[name] = found[2]
    if len(row) >= LEAST_NAMED:
        yield start, row


def _metrics(lines: Sequence[str]) -> list[tuple[Place, Row]]:
    """The one row in a table with a metric in each line: the statistic of a metric stands behind its name and a dot.

    Blank lines divide tables of other statistics; a table of something else, such as of GPUs, ends the row.
    """
    row: Row = {}
    names: list[str] = []
    for cells in csv.reader(lines):
        if not names and cells[:1] != [METRIC]:
            if cells:
                break
        elif not names or not cells:
            names = cells
        else:
            row |= {
                f"{cells[0]}.{name}": text.replace(",", "") if THOUSANDS.fullmatch(text) else text
                for name, text in zip(names[1:], cells[1:], strict=False)
            }
    return [(1, row)] if row else []


def _runs(lines: Sequence[str]) -> list[tuple[Place, Row]]:
    """The runs in a log of trtexec, a row each.

    A verbose log explains the names of its summary below it, so the first line of a name counts.
    """
    found: list[tuple[Place, Row]] = []
    for number, line in enumerate(lines, 1):
        mark, logged = RUN.search(line), LOGGED.fullmatch(line)
        if mark is not None and mark[1] == "RUNNING":
            found.append((number, {}))
        if not found:
            continue
        row = found[-1][1]
        if mark is not None:
            row["Status"] = mark[1]
        elif logged is not None and (bound := DIMENSIONS.fullmatch(logged[1])):
            row["Input dimensions"] = f"{row.get('Input dimensions', '')} {bound[1]}".strip()
        elif logged is not None and (named := NAMED.fullmatch(logged[1])):
            row.setdefault(named[1], named[2])
    return found


def _cells(line: str) -> list[str]:
    """The cells of a line of a Markdown table, without marks of links, code and weight."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [LINK.sub(r"\1", cell).strip().strip("`*").strip() for cell in inner.split("|")]


def _records(file: str, suffix: str, what: str) -> Iterator[tuple[Place, Row]]:
    """The objects in a file of JSON, JSON lines or YAML."""
    text = text_of(file, what)
    if suffix in LINES_SUFFIXES:
        try:
            yield from ((number, dict(_flat(value, number, file))) for number, value in json_lines(text))
        except InputError as error:
            raise error.in_file(file) from None
        return
    documents = [parse_json(text, file=file)] if suffix in JSON_SUFFIXES else _yaml_documents(text, file)
    for document in documents:
        rows = _rows_in(document)
        if isinstance(document, dict) and rows != [document] and (outer := dict(_flat(document, "", file))):
            say(f"{file}: {listed(outer)}: outside the rows, not read")
        for k, value in enumerate(rows):
            place: Place = f"[{k}]" if len(rows) > 1 else "the object"
            yield place, dict(_flat(value, place, file))


def _yaml_documents(text: str, file: str) -> list[Any]:
    """The documents in a YAML text; every scalar stays text, so that no number is rounded.

    Raises:
        InputError: no YAML, nested too deeply, or an alias.
    """
    try:
        depth = 0
        # Before values are made, since few lines of aliases stand for billions of values and depth for recursion.
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                message = f"has an alias, *{event.anchor}; write out the value that it stands for"
                raise at_line(event.start_mark.line + 1 if event.start_mark else 1, message, file)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST_NESTING:
                raise too_deep(file)
        return [value for value in yaml.load_all(text, Loader=yaml.BaseLoader) if value is not None]
    except yaml.YAMLError as error:
        raise InputError(f"is not YAML ({' '.join(str(error).split())[:200]}); correct the text", file=file) from None


def _rows_in(value: Any) -> list[Any]:
    """The objects that are rows: those of a list; or of the one list of objects inside; or the object itself."""
    if isinstance(value, list):
        return value
    lists = list(_lists_in(value))
    return lists[0] if len(lists) == 1 else [value]


def _lists_in(value: Any) -> Iterator[list[Any]]:
    """The lists of objects in an object, except of failures."""
    for name, own in value.items() if isinstance(value, dict) else ():
        if FAILED.search(name):
            continue
        if isinstance(own, list) and own and all(isinstance(one, dict) for one in own):
            yield own
        else:
            yield from _lists_in(own)


def _flat(value: Any, place: Place, file: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of an object by path; lists are no cells and stay out, but for the number of failures in one."""
    if not isinstance(value, dict):
        raise at_line(place, "is no object; a row is an object with a field for each column", file)
    for name, own in value.items():
        path = f"{prefix}{name}"
        if isinstance(own, dict):
            yield from _flat(own, place, file, f"{path}.")
        elif own is None:
            yield path, ""
        elif isinstance(own, list):
            if FAILED.search(name):
                yield path, str(sum(bool(one) for one in own))
        else:
            yield path, str(own).lower() if isinstance(own, bool) else str(own)
