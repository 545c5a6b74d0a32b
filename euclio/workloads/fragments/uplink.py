"""Uplink bandwidth over time: a seeded trace in the manner of 5G, and replay of measured ones.

Graft replays traces of a 5G data set (Graft §5.1) of which it prints no number. The seeded trace is ours: the logarithm
of the bandwidth returns to the client's own median, which differs by place. Its numbers are round ones, not fitted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from euclio.core.errors import InputError, reason_of
from euclio.core.system import read_bytes
from euclio.core.words import full
from euclio.files.row_warnings import tell_doubts

MEDIAN_MBPS = 60.0
BETWEEN_CLIENTS = 0.4
"""Standard deviation of the logarithm of a client's median."""
WITHIN_CLIENT = 0.5
"""Standard deviation of the logarithm of a client's bandwidth around its median."""
CORRELATION = 0.9
"""Correlation of that logarithm from one second to the next."""
LEAST_MBPS, MOST_MBPS = 1.0, 400.0
SECONDS = 300
"""Length of a seeded trace."""
KBPS = 1000
LONGEST_GAP_S = 10.0
"""Longest time between two bandwidths of a trace, in seconds."""
VALUES_PER_S = 10
"""Bandwidths per second in a run without times."""

Trace = tuple[Fraction, ...]
"""Bandwidth in 10^6 bits per second, one value a second, in whole kilobits per second."""


def seeded_trace(rng: random.Random, seconds: int = SECONDS, median_mbps: float = MEDIAN_MBPS) -> Trace:
    """A trace in the manner of 5G.

    Args:
        rng: what it is drawn with.
        seconds: its length.
        median_mbps: median of the clients' medians.
    """
    median = math.log(median_mbps) + rng.gauss(0, BETWEEN_CLIENTS)
    off, values = rng.gauss(0, WITHIN_CLIENT), []
    for _ in range(seconds):
        values.append(min(MOST_MBPS, max(LEAST_MBPS, math.exp(median + off))))
        off = CORRELATION * off + rng.gauss(0, WITHIN_CLIENT * math.sqrt(1 - CORRELATION**2))
    return _trace(values)


def mean_mbps(trace: Trace) -> Fraction:
    """The mean bandwidth, in whole kilobits per second: what Static plans for (Graft §5.1)."""
    kilobits = sum(value.numerator * (KBPS // value.denominator) for value in trace)
    return Fraction(round(Fraction(kilobits, len(trace))), KBPS)


def read_traces(path: Path) -> list[Trace]:
    """Measured traces of a file, or of all files of a folder in the order of their names.

    Files have either a line per second (time and bandwidth in 10^6 bits per second, divided by white space), or runs of
    lines of numbers divided by commas: a run's times in seconds and its bandwidths (a second such pair of lines, of
    another link, is left out), or its bandwidths alone, ten a second, as runs with times have them. The first bandwidth
    of each second counts. Seconds without one are left out; a gap of more than ten is told of, or refused where doubted
    measurements are (`euclio.files.row_warnings`).

    Args:
        path: a file or a folder.

    Raises:
        InputError: there is none, a file without bandwidths, or with times that do not rise.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist; give a file of bandwidths or a folder of such", field="trace")
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    traces = [trace for file in files for trace in _read(file) if trace]
    if not traces:
        raise InputError(f"{path} holds no bandwidths", field="trace")
    return traces


def _read(file: Path) -> list[Trace]:
    try:
        lines = [line.strip() for line in read_bytes(file).decode().splitlines()]
    except OSError as error:
        reason = reason_of(error).lower()
        raise InputError(f"{file} cannot be read: {reason}; name a file of bandwidths", field="trace") from None
    except ValueError:
        raise InputError(f"{file} is not UTF-8 text; name a file of bandwidths", field="trace") from None
    try:
        doubted: list[str] = []
        if any("," in line for line in lines):
            traces = [_trace(values) for values in _runs(lines, doubted)]
        else:
            rows = [[float(x) for x in line.split()] for line in lines if line]
            doubted += _gaps([row[0] for row in rows], apart=True)
            traces = [_trace(row[1] for row in rows)] if rows else []
    except InputError as error:
        raise InputError(f"{file} {error.message}", field="trace") from None
    except (ValueError, IndexError, OverflowError):
        raise InputError(f"{file} is no trace of bandwidths", field="trace") from None
    tell_doubts(str(file), doubted)
    return traces


def _gaps(times: Sequence[float], *, apart: bool) -> list[str]:
    """What is doubted of the times of a trace, in seconds and in the order of the file: a line per long gap.

    Args:
        times: the times.
        apart: whether each has to lie above the one before; else it may repeat it.

    Raises:
        InputError: they do not rise.
    """
    found = []
    for before, now in pairwise(times):
        if not (now > before or (now == before and not apart)):
            raise InputError(f"has the time {full(now)} s after {full(before)} s; give times that rise")
        if now - before > LONGEST_GAP_S:
            gap = f"from {full(before)} to {full(now)} s"
            found.append(f"has no bandwidth {gap}; what is before and after it is joined")
    return found


def _runs(lines: Iterable[str], doubted: list[str]) -> list[Sequence[float]]:
    """Bandwidth by second of each run of a file of lists; what is doubted of their times is added to a list."""
    runs: list[list[list[float]]] = []
    for line in lines:
        if line.startswith("Run"):
            runs.append([])
        elif "," in line:
            if not runs:
                runs.append([])
            runs[-1].append([float(x) for x in line.split(",") if x.strip()])
    timed = [_timed(run) for run in runs if run]
    for times, _ in timed:
        doubted += _gaps(times, apart=False)
    return [_by_second(times, values) for times, values in timed]


def _timed(run: Sequence[Sequence[float]]) -> tuple[Sequence[float], Sequence[float]]:
    """Times and bandwidths of a run's first lines."""
    if len(run) > 1:
        return run[0], run[1]
    return [k / VALUES_PER_S for k in range(len(run[0]))], run[0]


def _by_second(times: Sequence[float], values: Sequence[float]) -> list[float]:
    """The first bandwidth of each second that has one."""
    first: dict[int, float] = {}
    for time, value in zip(times, values, strict=True):
        first.setdefault(int(time), value)
    return list(first.values())


def _trace(values: Iterable[float]) -> Trace:
    found = list(values)
    if any(not math.isfinite(value) or value < 0 for value in found):
        raise ValueError
    return tuple(Fraction(round(value * KBPS), KBPS) for value in found)
