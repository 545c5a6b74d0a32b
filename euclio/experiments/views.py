"""Displays of an experiment's status and outcome."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, FittedTable, Label, table_of
from euclio.core.showing import Head, View
from euclio.core.words import amount, counted, time_left
from euclio.experiments.progress import STATUSES
from euclio.experiments.runner import Outcome
from euclio.experiments.status import ExperimentStatus


def status_table(found: ExperimentStatus) -> FittedTable:
    """Finished runs by solver and status, and missing runs."""
    used = [status for status in STATUSES if status in found.by_status]
    rows = [
        {"solver": label, **dict.fromkeys((*used, "missing"), 0), **counts, "missing": found.missing.get(label, 0)}
        for label, counts in found.by_solver.items()
    ]
    return table_of(rows, (Label("solver"), *map(Column, used), Column("missing")))


def status_lines(found: ExperimentStatus) -> list[str]:
    """The finished runs, further runs in the folder, and whether a runner is at work."""
    if found.total is None:
        lines = [f"{found.name}: its instances are being looked at"]
    else:
        share = 100 * found.done // found.total
        lines = [f"{found.name}: {found.done} of {found.total} runs are finished ({share} %)"]
    if found.no_longer:
        lines.append(f"{found.no_longer} more runs are in {found.folder} that the experiment no longer has")
    if found.runner is None:
        lines.append(
            "no runner is at work" + ("" if found.done == found.total else "; `euclio run` makes what is missing")
        )
        return lines
    line = f"a runner is at work (process {found.runner['process']} on {found.runner['host']})"
    if found.rate_per_s is not None and found.left_s is not None:
        line += f": {amount(found.rate_per_s, digits=3)} runs per second, about {time_left(found.left_s)} left"
    return [*lines, line]


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
