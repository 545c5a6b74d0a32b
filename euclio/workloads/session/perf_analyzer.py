"""Files of Triton's perf_analyzer: a row, or an experiment, per load of one model with requests of one batch size.

euclio reads these columns of its CSV (option `-f`): `Concurrency` (requests that the client kept outstanding) and
`Inferences/Second` (inputs answered per second). It also reads `Server Compute Input`, `Server Compute Infer` and
`Server Compute Output` (the server's mean times of a request in microseconds). The JSON of `--profile-export-file` has
the times of single requests instead, and none in the server. Batch, model, hardware and instances are in neither.
`euclio.workloads.session.served` explains how a duration is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.values import NOT_NEGATIVE
from euclio.files.json_reading import read_json
from euclio.workloads.session.csv_rows import LONGEST_NUMBER, Row, at_line, rows_of, whole_cell
from euclio.workloads.session.served import Derived, Point, Server, derive

CLIENTS = "Concurrency"
REQUEST_RATE = "Request Rate"
RATE = "Inferences/Second"
COMPUTE = ("Server Compute Input", "Server Compute Infer", "Server Compute Output")
CACHE_HIT = "Server Cache Hit"
US_PER_S, NS_PER_S = 10**6, 10**9
UNKNOWN_CLIENTS = "how many requests were outstanding is not known; measure with --concurrency-range"


def derive_all(files: Sequence[tuple[str, Server]], hardware: str) -> list[Derived]:
    """The configurations of one model, one per batch and number of instances, in the order of the files.

    Args:
        files: paths, each with the server that it was measured at; several files of one server are put together.
        hardware: name of the machine type.

    Raises:
        InputError: naming file, line and remedy.
    """
    points = [(server, file, read_points(file, server.batch)) for file, server in files]
    found = []
    for server in dict.fromkeys(server for server, *_ in points):
        own = [(file, measured) for known, file, measured in points if known == server]
        try:
            found.append(derive(server, [point for _, measured in own for point in measured], hardware))
        except InputError as error:
            raise error.in_file(", ".join(file for file, _ in own)) from None
    return found


def read_points(file: str, batch: int) -> list[Point]:
    """The measurements in a file, of requests of so many inputs.

    Raises:
        InputError: naming file, line and remedy.
    """
    if Path(file).suffix.lower() == ".json":
        return list(_exported(file, batch))
    rows = rows_of(file, "perf_analyzer", lambda row, line: _check_columns(row, line, file), trailing_comma=True)
    found = [_point(cells, line, file) for line, cells in rows]
    if not found:
        raise InputError("has no rows below its header; give at least one measurement", file=file)
    return found


def _exported(file: str, batch: int) -> Iterator[Point]:
    """The measurements in an export of requests: those that ended between the first and the last end of a window."""
    value = read_json(file)
    try:
        for k, run in enumerate(value["experiments"]):
            place, how = f"experiments[{k}]", run["experiment"]
            if how["mode"] != "concurrency":
                message = f"is {how['mode']!r}: {UNKNOWN_CLIENTS}"
                raise InputError(message, file=file, field=f"{place}.experiment.mode")
            if any(not one["response_timestamps"] for one in run["requests"]):
                raise InputError("has requests without an answer; measure without failures", file=file, field=place)
            begin, end = run["window_boundaries"][0], run["window_boundaries"][-1]
            ended = sum(begin < one["response_timestamps"][-1] <= end for one in run["requests"])
            if not ended or end <= begin:
                raise InputError("has no request that ended in its windows; measure for longer", file=file, field=place)
            yield Point(int(how["value"]), Fraction(ended * batch * NS_PER_S, end - begin), None)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        message = f"is no export of perf_analyzer's requests that is known ({error}); give the CSV of its option -f"
        raise InputError(message, file=file) from None


def _check_columns(row: list[str], line: int, file: str) -> None:
    if REQUEST_RATE in row:
        raise at_line(line, f"gives {REQUEST_RATE}: {UNKNOWN_CLIENTS}", file)
    missing = [column for column in (CLIENTS, RATE) if column not in row]
    if missing:
        raise at_line(line, f"lacks column {missing[0]!r}; give a file written by `perf_analyzer -f`", file)
    untimed = [column for column in COMPUTE if column not in row]
    if untimed:
        message = (
            f"lacks {', '.join(untimed)}, without which euclio cannot tell whether the server put requests together; "
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
