"""A load over time from a log of requests: a line for each with its time, counted by steps (docs/formats/day.md)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np

from euclio.core.errors import InputError
from euclio.core.words import full
from euclio.problems.day.instance import MOST_STEPS
from euclio.problems.day.load_tables import Line, asked_for, lines_of, place_of
from euclio.problems.day.load_units import NS_PER_S, Dates, Said, is_iso

LARGEST_BYTES = 512 * 1024**2
"""Bytes of the largest log."""

Counted = tuple[Fraction, Fraction]
"""Seconds of a step, and its requests per second."""


def counted(path: Path, said: Said) -> list[Counted]:
    """The steps of a log with their rates.

    The first step begins with the first request, and each is as long as is said; the last one ends with the last
    request. Where less than half a step would be left for it, it is one with the step before.

    Args:
        path: the file; its requests are in any order.
        said: unit of the times, length of the steps and, where several may be meant, the column.

    Raises:
        InputError: naming line and remedy.
    """
    assert said.unit is not None
    assert said.step_s is not None
    step_ns = said.step_s * NS_PER_S
    if step_ns.denominator != 1:
        raise InputError(f"is {full(said.step_s)}; give whole nanoseconds, nine decimals at most", field="--load-step")
    times = np.array(_times(lines_of(path, largest=LARGEST_BYTES), said), np.int64)
    if len(times) < 2:
        raise InputError(f"has {len(times)} requests; give at least two")
    times -= times.min()
    return _binned(times, int(step_ns), said)


def _times(lines: Iterator[Line], said: Said) -> array[int]:
    """The times of all requests, in nanoseconds."""
    assert said.unit is not None
    found = array("q")
    begun = [own for _, own in zip(range(2), lines, strict=False)]
    if not begun:
        return found
    first = begun[0][1]
    place, named = _place([cells for _, cells in begun], said)
    name = first[place][:40] if named else "time"
    dates = Dates(said.unit)
    for line, cells in chain(begun[1:] if named else begun, lines):
        if len(cells) != len(first):
            raise InputError(f"has {len(cells)} cells; the first line has {len(first)}", field=f"line {line}")
        found.append(dates.nanoseconds(cells[place], f"line {line}: {name}"))
    return found


def _place(begun: Sequence[Sequence[str]], said: Said) -> tuple[int, bool]:
    """Where the times stand, and whether the first line names columns, given the first lines.

    Raises:
        InputError: several columns may have them.
    """
    first = begun[0]
    if said.column is not None:
        return place_of(said.column, first), True
    if len(first) == 1:
        return 0, not _is_time(first[0], said)
    if said.unit == "timestamps-iso":
        for k, cells in enumerate(begun):
            dated = [place for place, cell in enumerate(cells) if is_iso(cell)]
            if len(dated) == 1 and len(cells) == len(first):
                return dated[0], k > 0
    raise asked_for("times", first)


def _is_time(cell: str, said: Said) -> bool:
    try:
        Dates(said.unit or "").nanoseconds(cell, "")
    except InputError:
        return False
    return True


def _binned(times: np.ndarray[tuple[int], np.dtype[np.int64]], step_ns: int, said: Said) -> list[Counted]:
    """Requests of each step, per second."""
    span = int(times.max())
    whole, rest = divmod(span, step_ns)
    seconds = full(Fraction(span, NS_PER_S), digits=6)
    if whole == 0:
        message = (
            f"is longer than the log, whose requests come within {seconds} s; give a shorter one, or check the unit"
        )
        raise InputError(message, field="--load-step")
    if whole >= MOST_STEPS:
        message = f"makes {whole:,} steps of a log of {seconds} s; at most {MOST_STEPS:,} are supported, check the unit"
        raise InputError(message, field="--load-step")
    steps = whole + (2 * rest >= step_ns)
    counts = np.bincount(np.minimum(times // step_ns, steps - 1), minlength=steps)
    lengths = [Fraction(step_ns, NS_PER_S)] * (steps - 1)
    lengths.append(Fraction(span - step_ns * (steps - 1), NS_PER_S))
    return [(length, int(count) / length) for length, count in zip(lengths, counts, strict=True)]
