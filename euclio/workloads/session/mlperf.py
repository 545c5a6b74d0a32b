"""Sessions of one module, made of results of MLPerf Inference: `results.jsonl`, a result of one accelerator per line.

A line is an object with `round`, `submitter`, `system`, `accelerator`, `benchmark`, `offline_per_s`, `path`, `valid`,
and those of `single_stream_ms` (p50, p90, p99), `multi_stream_8_ms` (p50, p99) and `server` that were submitted. Times
are in milliseconds, as MLPerf's summaries print them but for the unit.

The profile follows from them by one rule (ours):

- batch 1 takes the median of SingleStream, which sends one input at a time;
- batch 8 takes the median of MultiStream, which sends eight, where it was submitted;
- the largest batch B, if it is larger, takes B over Offline's throughput: nothing says which batch Offline was measured
  at, so that B is said to reach its rate, and B is a parameter that has to be given;
- between these, and never less than for a smaller batch, durations are linear in the batch: a fixed part and a part per
  input is the simplest that a GPU's batches look like. They are rounded up to whole nanoseconds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact
from euclio.core.words import listed
from euclio.files.boundary import FileModel, Flag, Name, shown, validated
from euclio.files.boundary import Number as FileNumber
from euclio.files.json_reading import parse_json, read_text
from euclio.problems.session.instance import Configuration, Hardware, Module, Session

FILE = "results.jsonl"
EIGHT = 8
"""Inputs that MultiStream sends at a time."""
MS_PER_S = 1000
NS_PER_S = 10**9


def _positive(value: int | Decimal) -> int | Decimal:
    """A number greater than 0, as it is written."""
    if value <= 0:
        raise InputError(f"is {shown(value)}; it must be a number greater than 0")
    return value


Amount = Annotated[FileNumber, AfterValidator(_positive)]


class SingleStream(FileModel):
    """Percentiles of the latency of one input at a time, in milliseconds."""

    p50: Amount
    p90: Amount
    p99: Amount


class MultiStream(FileModel):
    """Percentiles of the latency of eight inputs at a time, in milliseconds."""

    p50: Amount
    p99: Amount


class Server(FileModel):
    """What was measured under a Poisson load: requests per second, latencies in milliseconds."""

    completed_per_s: Amount
    scheduled_per_s: Amount
    p50_ms: Amount
    p90_ms: Amount
    p99_ms: Amount
    bound_p99_ms: Amount


class Result(FileModel):
    """A line of the file: what was measured of one benchmark on one accelerator."""

    round: Name
    submitter: Name
    system: Name
    accelerator: Name
    benchmark: Name
    offline_per_s: Amount | None = None
    single_stream_ms: SingleStream | None = None
    multi_stream_8_ms: MultiStream | None = None
    server: Server | None = None
    path: Name
    valid: Flag

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names a result: round, submitter, system and benchmark."""
        return self.round, self.submitter, self.system, self.benchmark


def read_results(folder: str | Path) -> tuple[Result, ...]:
    """The results in a folder, in the order of its file; or in the file itself, if that is named.

    Raises:
        InputError: naming file, line, field and remedy.
    """
    path = Path(folder)
    path = path / FILE if path.is_dir() else path
    found: dict[tuple[str, str, str, str], tuple[Result, int]] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        result = _read_line(line, number, str(path))
        if result.key in found:
            message = f"repeats line {found[result.key][1]} ({', '.join(result.key)}); keep one of them"
            raise InputError(message, file=str(path), field=f"line {number}")
        found[result.key] = result, number
    if not found:
        raise InputError("has no results; give at least one line", file=str(path))
    return tuple(result for result, _ in found.values())


def _read_line(line: str, number: int, file: str) -> Result:
    try:
        return validated(Result, parse_json(line), None)
    except InputError as error:
        place = f"line {number}" if error.field is None else f"line {number}, {error.field}"
        raise InputError(error.message, file=file, field=place) from None


def chosen(results: Iterable[Result], file: str, **given: str | None) -> Result:
    """The one result with these fields.

    Args:
        results: all there are.
        file: where they are from, for errors.
        given: values of `system`, `benchmark`, `round` and `submitter`; None means any.

    Raises:
        InputError: none has them, or several do; it says what there is to choose from.
    """
    left = list(results)
    for field, value in given.items():
        known = list(dict.fromkeys(getattr(result, field) for result in left))
        if value is None and len(known) > 1:
            raise InputError(f"is missing; {file} has {listed(known, 12)}", field=field)
        left = [result for result in left if value in (None, getattr(result, field))]
        if not left:
            raise InputError(f"is {value!r}; {file} has {listed(known, 12)}", field=field)
    return left[0]


def durations_s(result: Result, largest_batch: int, offline_batch: int | None = None) -> tuple[Fraction, ...]:
    """How long a batch takes, in seconds, for 1 to `largest_batch` inputs, by the rule above.

    Args:
        result: what was measured.
        largest_batch: batches that are wanted.
        offline_batch: the batch that reaches Offline's throughput; None means the largest.

    Raises:
        InputError: there is no SingleStream, or the run was not valid.
    """
    points = _points(result, max(largest_batch, offline_batch or largest_batch))
    found: list[Fraction] = []
    for (b, d), (c, e) in itertools.pairwise(points):
        found += [d + (e - d) * k / (c - b) for k in range(c - b)]
    exactly = [*found, points[-1][1]][:largest_batch]
    return tuple(Fraction(math.ceil(d * NS_PER_S), NS_PER_S) for d in exactly)


def _points(result: Result, offline_batch: int) -> list[tuple[int, Fraction]]:
    """Batches with their measured durations, ascending, at least up to Offline's."""
    if not result.valid:
        raise InputError("is false; MLPerf does not accept such a run, choose another", field="valid")
    if result.single_stream_ms is None:
        raise InputError(
            "is missing, which batch 1 is read from; choose a result that has it", field="single_stream_ms"
        )
    points = [(1, exact(result.single_stream_ms.p50) / MS_PER_S)]
    if result.multi_stream_8_ms is not None:
        points.append((EIGHT, exact(result.multi_stream_8_ms.p50) / MS_PER_S))
    if offline_batch > points[-1][0]:
        if result.offline_per_s is None:
            raise InputError(
                "is missing, which larger batches are read from; choose a result that has it", field="offline_per_s"
            )
        points.append((offline_batch, offline_batch / exact(result.offline_per_s)))
    most = [max(d for _, d in points[: k + 1]) for k in range(len(points))]
    return [(b, d) for (b, _), d in zip(points, most, strict=True)]


def session_from_result(
    result: Result,
    *,
    price_per_h: Number,
    largest_batch: int,
    rate_rps: Number | None = None,
    slo_s: Number | None = None,
    batches: Iterable[int] | None = None,
    name: str | None = None,
) -> Session:
    """The session of one module that a result is about.

    Args:
        result: what was measured.
        price_per_h: money per hour of the accelerator.
        largest_batch: largest batch of the profile.
        rate_rps: requests per second; None means the Poisson load of Server.
        slo_s: latency objective in seconds; None: Server's bound of the 99th percentile.
        batches: batches of the profile; None means powers of two, 8 and the largest.
        name: name of the instance; None means benchmark and system.

    Raises:
        InputError: something is missing in the result; names the field.
    """
    durations = durations_s(result, largest_batch)
    server = result.server
    if server is None and (rate_rps is None or slo_s is None):
        field = "rate_rps" if rate_rps is None else "slo_s"
        raise InputError("is missing, and the result has no Server to take it from; give it", field=field)
    if server is not None:
        rate_rps = server.scheduled_per_s if rate_rps is None else rate_rps
        slo_s = exact(server.bound_p99_ms) / MS_PER_S if slo_s is None else slo_s
    assert rate_rps is not None
    assert slo_s is not None
    powers = [2**k for k in range((largest_batch - 1).bit_length())]
    wanted = [*powers, largest_batch] if batches is None else batches
    profile = [Configuration(result.accelerator, b, 1, durations[b - 1]) for b in wanted]
    module = Module(result.benchmark, rate_rps, profile)
    hardware = Hardware(result.accelerator, price_per_h)
    return Session(name or f"{result.benchmark} {result.system}", slo_s, [hardware], [module])
