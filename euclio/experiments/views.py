"""How an experiment's status and its outcome show themselves."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.showing import Head, View
from euclio.core.words import counted
from euclio.experiments.runner import Outcome
from euclio.experiments.status import ExperimentStatus
from euclio.experiments.status_table import status_lines, status_table


def _status_head(found: ExperimentStatus) -> Head:
    first, *rest = status_lines(found)
    by_status = ", ".join(f"{n:,} {status}" for status, n in found.by_status.items())
    complete = found.total is not None and found.done == found.total
    return Head(found.name, "complete" if complete else "", (first.removeprefix(f"{found.name}: "), by_status, *rest))


def _status_table(found: ExperimentStatus) -> RenderableType:
    first, *rest = status_lines(found)
    return Group(Text(first), status_table(found), *map(Text, rest))


def _status_rows(found: ExperimentStatus) -> list[dict[str, Any]]:
    """A row per solver."""
    return [{"solver": label, **counts} for label, counts in found.describe()["solvers"].items()]


def _outcome_head(found: Outcome) -> Head:
    runs = f"{counted(found.made, 'run')} made now, {found.kept:,} before"
    odd = [f"{found.no_longer:,} that the experiment no longer has"] if found.no_longer else []
    odd += [f"{found.refuted:,} refuted"] if found.refuted else []
    return Head(str(found.folder), "", (runs, *odd, "`.frame()` has the results"))


STATUS = View(_status_head, _status_table, rows=_status_rows)
OUTCOME = View(_outcome_head)
