"""The results of one solver on many instances, as a sequence that shows itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.families import family_of
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.objective import Goal
from euclio.core.result import AnyResult, Status
from euclio.core.showing import Framed, Head, View
from euclio.core.words import counted, decimals, figures

SCHEMA = "euclio/solved-instances/1"
MOST_SHOWN = 20
"""Rows that a terminal and a notebook show; the frame and the CSV file have all."""


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
        """What the plans are to be best at."""
        first = self.results[0]
        return family_of(first.of_instance).goal(first.space)

    @property
    def in_words(self) -> str:
        """How many results have each status."""
        found = Counter(result.status.value for result in self.results)
        named = ", ".join(f"{number:,} {status}" for status, number in found.most_common())
        return f"{counted(len(self), 'instance')}: {named}" if found else "no instances"


def solved_rows(found: SolvedInstances) -> list[dict[str, Any]]:
    """A row per result; its value and its bound have the names that they have in files."""
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
    """How many have each status, and the first rows."""
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
