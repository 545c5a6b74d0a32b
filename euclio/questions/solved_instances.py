"""The results of one solver on many instances, as a sequence that shows itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.families import family_of
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.objective import Goal
from euclio.core.progress import progress_bar
from euclio.core.result import AnyResult, Status
from euclio.core.showing import Framed, Head, View
from euclio.core.system import cores
from euclio.core.words import counted, decimals, figures

SCHEMA = "euclio/solved-instances/1"
MOST_SHOWN = 20
"""The most rows that a terminal and a notebook show; the frame and the CSV file have all."""


@dataclass(frozen=True, slots=True, repr=False)
class SolvedInstances(Framed):
    """The results, in the order of their instances.

    Attributes:
        results: a checked result of each instance, all of one family.
    """

    _view = late_value("euclio.questions.solved_instances", "VIEW")

    results: tuple[AnyResult, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[AnyResult]:
        return iter(self.results)

    def __getitem__(self, place: int) -> AnyResult:
        return self.results[place]

    @property
    def goal(self) -> Goal:
        """The objective of the plans."""
        first = self.results[0]
        return family_of(first.of_instance).goal(first.space)

    @property
    def in_words(self) -> str:
        """How many results have each status."""
        found = Counter(result.status.value for result in self.results)
        named = ", ".join(f"{number:,} {status}" for status, number in found.most_common())
        return f"{counted(len(self), 'instance')}: {named}" if found else "no instances"


def solved_rows(found: SolvedInstances) -> list[dict[str, Any]]:
    """A row per result; its value and its bound have the same names as in files."""
    goal = found.goal if len(found) else None
    return [
        {
            "instance": result.instance,
            "solver": result.solver,
            "status": result.status.value,
            **({} if goal is None else {goal.value_field: result.value, goal.bound_field: result.bound}),
            "wall_s": result.wall_s,
            "reason": result.reason,
        }
        for result in found
    ]


def describe_solved(found: SolvedInstances) -> dict[str, Any]:
    """The results as plain data."""
    return {"schema": SCHEMA, "results": solved_rows(found)}


def solved_table(found: SolvedInstances) -> RenderableType:
    """The number of results by status, and the first rows."""
    columns = [
        Label("instance"),
        Label("status", lambda result: result.status.value),
        *([] if not len(found) else [Column(found.goal.column, "value", figures)]),
        Column("bound", form=figures),
        Column("time (ms)", lambda result: decimals(1000 * result.wall_s, 1)),
    ]
    left = len(found) - MOST_SHOWN
    more = [Text(""), Text(f"and {counted(left, 'more instance')}, which --csv writes")] if left > 0 else []
    return Group(Text(found.in_words), Text(""), table_of(found.results[:MOST_SHOWN], columns), *more)


def _head(found: SolvedInstances) -> Head:
    solvers = {result.solver for result in found}
    proven = sum(result.status in (Status.OPTIMAL, Status.INFEASIBLE) for result in found)
    return Head(", ".join(sorted(solvers)), "", (found.in_words, f"{proven:,} proven"))


VIEW = View(_head, solved_table, rows=solved_rows)


T = TypeVar("T")
R = TypeVar("R")

SHORT_S = 0.003
"""Seconds below which one thing is done in this thread: threads that wait in turn for Python's lock take longer."""
BLOCK, BLOCK_S = 8, 0.2
"""The number of things, or the seconds, after which one thread checks how long they take."""


def on_all_cores(work: Callable[[T], R], things: Sequence[T], what: str, jobs: int | None = None) -> list[R]:
    """The results of the work on each thing, in their order, with a progress bar.

    Args:
        work: the work.
        things: the inputs of the work.
        what: description of the work for the bar.
        jobs: threads. None means one per core.

    Raises:
        Exception: the work raised it; work that has not begun by then never begins.
    """
    count = min(jobs or cores(), len(things))
    with progress_bar(what, len(things)) as step:
        done: list[R] = []
        while len(done) < len(things):
            began, before = time.perf_counter(), len(done)
            while len(done) < min(len(things), before + BLOCK) and time.perf_counter() < began + BLOCK_S:
                done.append(_counted(work(things[len(done)]), step))
            if count > 1 and time.perf_counter() - began > SHORT_S * (len(done) - before):
                break
        if len(done) == len(things):
            return done
        pool = ThreadPoolExecutor(count)
        try:
            return [*done, *(_counted(made, step) for made in pool.map(work, things[len(done) :]))]
        finally:
            pool.shutdown(cancel_futures=True)


def _counted(made: R, step: Callable[[], None]) -> R:
    step()
    return made
