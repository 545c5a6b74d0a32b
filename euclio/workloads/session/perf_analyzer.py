"""CSV files of Triton's perf_analyzer (its option `-f`): a row per load of one model with requests of one batch size.

The columns that are read: `Concurrency` (requests that the client kept outstanding), `Inferences/Second` (inputs
answered per second), and `Server Compute Input`, `Server Compute Infer`, `Server Compute Output` (the server's mean
times of a request in microseconds). Batch, model, hardware and instances are in no column. What a duration is read
from: `euclio.workloads.session.served`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.values import NOT_NEGATIVE
from euclio.workloads.session.csv_rows import LONGEST_NUMBER, Row, at_line, rows_of, whole_cell
from euclio.workloads.session.served import Derived, Point, Server, derive

CLIENTS = "Concurrency"
REQUEST_RATE = "Request Rate"
RATE = "Inferences/Second"
COMPUTE = ("Server Compute Input", "Server Compute Infer", "Server Compute Output")
CACHE_HIT = "Server Cache Hit"
US_PER_S = 10**6


def derive_all(files: Sequence[tuple[str, Server]], hardware: str) -> list[Derived]:
    """The configurations of one model, one per batch and number of instances, in the order of the files.

    Args:
        files: paths, each with the server that it was measured at; several files of one server are put together.
        hardware: name of the machine type.

    Raises:
        InputError: naming file, line and remedy.
    """
    points: dict[Server, list[Point]] = {}
    named: dict[Server, list[str]] = {}
    for file, server in files:
        points.setdefault(server, []).extend(read_points(file))
        named.setdefault(server, []).append(file)
    found = []
    for server, measured in points.items():
        try:
            found.append(derive(server, measured, hardware))
        except InputError as error:
            raise error.in_file(", ".join(named[server])) from None
    return found


def read_points(file: str) -> list[Point]:
    """The measurements in a file.

    Raises:
        InputError: naming file, line and remedy.
    """
    rows = rows_of(file, "perf_analyzer", lambda row, line: _check_columns(row, line, file), trailing_comma=True)
    found = [_point(cells, line, file) for line, cells in rows]
    if not found:
        raise InputError("has no rows below its header; give at least one measurement", file=file)
    return found


def _check_columns(row: list[str], line: int, file: str) -> None:
    if REQUEST_RATE in row:
        raise at_line(
            line,
            f"gives {REQUEST_RATE}: how many requests were outstanding is not known; measure with --concurrency-range",
            file,
        )
    missing = [column for column in (CLIENTS, RATE) if column not in row]
    if missing:
        raise at_line(line, f"lacks column {missing[0]!r}; give a file written by `perf_analyzer -f`", file)
    untimed = [column for column in COMPUTE if column not in row]
    if untimed:
        message = (
            f"lacks {', '.join(untimed)}, without which nobody can tell whether the server put requests together; "
            "measure a Triton server (--service-kind triton)"
        )
        raise at_line(line, message, file)


def _point(cells: Row, line: int, file: str) -> Point:
    rate = _number(cells[RATE], RATE, line, file)
    if not rate:
        raise at_line(line, "is 0: nothing was answered; take the line out, or measure for longer", file, RATE)
    if CACHE_HIT in cells and _number(cells[CACHE_HIT], CACHE_HIT, line, file):
        raise at_line(line, "is not 0: answers came from the cache; measure without it", file, CACHE_HIT)
    compute_us = sum((_number(cells[column], column, line, file) for column in COMPUTE), Fraction())
    if not compute_us:
        message = "adds up to 0 with the other compute times: an ensemble, or no model at work; measure its models"
        raise at_line(line, message, file, COMPUTE[1])
    return Point(whole_cell(cells[CLIENTS], CLIENTS, line, file), rate, compute_us / US_PER_S)


def _number(text: str, column: str, line: int, file: str) -> Fraction:
    """A number of at least 0; what is too small for a binary float is 0."""
    number = NOT_NEGATIVE.number(text) if len(text) <= LONGEST_NUMBER else None
    if number is None:
        raise at_line(line, f"is {text[:40]!a}; it must be a number of at least 0", file, column)
    return Fraction(text) if number else Fraction()
