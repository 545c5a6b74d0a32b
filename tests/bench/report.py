"""A section of the benchmark: lines with a target, the slowest runs, everything as plain data."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.words import duration
from tests.bench.measuring import Timed

SLOWEST = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One measured figure.

    Attributes:
        what: what was measured.
        measured: the figure as text.
        target: the most that it should be (or its exact value), as text; empty means no target.
        met: whether it is; None means no target.
        correct: whether the line is about answers; a miss of these is an error, not a slow machine.
    """

    what: str
    measured: str
    target: str = ""
    met: bool | None = None
    correct: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the benchmark.

    Attributes:
        title: heading.
        lines: the figures.
        notes: what a reader has to know.
        slowest: runs that the table names.
        runs: all runs.
        columns: headings of the section's own table; empty means no such table.
        rows: its cells.
    """

    title: str
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    slowest: tuple[Timed, ...] = ()
    runs: tuple[Timed, ...] = field(default=(), repr=False)
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def describe(self) -> dict[str, object]:
        """The section as plain data."""
        lines = [{"what": x.what, "measured": x.measured, "target": x.target or None, "met": x.met} for x in self.lines]
        runs = [run.describe() for run in self.runs]
        table = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        return {"title": self.title, "table": table, "lines": lines, "notes": list(self.notes), "runs": runs}


def at_most(what: str, seconds: float, target_s: float) -> Line:
    """A time that has a target."""
    return Line(what, duration(seconds), f"≤ {duration(target_s)}", seconds <= target_s)


def all_of(what: str, right: int, total: int) -> Line:
    """A count that should be complete."""
    return Line(what, f"{right} of {total}", f"{total} of {total}", right == total, correct=True)


def complete(what: str, done: int, total: int) -> Line:
    """A count that should be complete; a miss is a missed target, not an error."""
    return Line(what, f"{done} of {total}", f"{total} of {total}", done == total)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def spread(name: str, seconds: Sequence[float]) -> list[Line]:
    """Median, 99th percentile and worst, without targets."""
    return [
        Line(f"{name}, median", duration(statistics.median(seconds))),
        Line(f"{name}, 99th percentile", duration(percentile(seconds, 0.99))),
        Line(f"{name}, worst", duration(max(seconds))),
    ]


def slowest(runs: Sequence[Timed], count: int = SLOWEST) -> tuple[Timed, ...]:
    """The slowest runs, slowest first."""
    return tuple(sorted(runs, key=lambda run: -run.seconds)[:count])


LINES = (
    Label("what"),
    Column("measured"),
    Column("target"),
    Label("", lambda line: "" if line.met is None else "ok" if line.met else "MISS"),
)
SLOWEST_RUNS = (
    Label("slowest", "instance"),
    Label("run", "label"),
    Column("time", "seconds", duration),
    Label("solver's counters", lambda run: ", ".join(f"{key} {value:.6g}" for key, value in run.result.stats.items())),
)


def section_table(section: Section) -> RenderableType:
    """The section for people."""
    parts: list[RenderableType] = [Text(section.title, style="bold")]
    if section.rows:
        first, *others = section.columns
        parts.append(table_of(map(list, section.rows), (Label(first), *map(Column, others))))
    if section.lines:
        parts.append(table_of(section.lines, LINES))
    if section.slowest:
        parts.append(table_of(section.slowest, SLOWEST_RUNS))
    parts += [Text(note) for note in section.notes]
    return Group(*parts, Text(""))
