"""Progress of an experiment, read from its result folder; also while a runner is at work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.errors import InputError
from euclio.core.fitted_table import Column, FittedTable, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.parameters import option_text, verb_text
from euclio.core.progress import told
from euclio.core.showing import Framed, Head, View
from euclio.core.words import amount, counted, time_left
from euclio.experiments.folder import ResultFolder, runner_at
from euclio.experiments.progress import STATUSES
from euclio.experiments.runner import Outcome, default_folder


@dataclass(frozen=True, slots=True, repr=False)
class ExperimentStatus(Framed):
    """Progress of an experiment.

    Attributes:
        name: name of the experiment.
        folder: its result folder.
        total: runs of the experiment; None while its instances are checked for the first time.
        by_solver: finished runs of the experiment by label and status; every label is there.
        missing: runs that are not finished, by label.
        no_longer: finished runs that the experiment no longer has.
        runner: process and host of the runner at work; None if there is none.
        rate_per_s: recent runs per second, as the runner at work reports; None if not known.
        left_s: seconds left, as it reports.
    """

    _view = late_value("euclio.experiments.status", "STATUS")

    name: str
    folder: Path
    total: int | None
    by_solver: Mapping[str, Mapping[str, int]]
    missing: Mapping[str, int]
    no_longer: int
    runner: Mapping[str, Any] | None
    rate_per_s: float | None
    left_s: float | None

    @property
    def by_status(self) -> dict[str, int]:
        """Finished runs of the experiment by status."""
        return dict(sum((Counter(counts) for counts in self.by_solver.values()), Counter()))

    @property
    def done(self) -> int:
        """Finished runs of the experiment."""
        return sum(self.by_status.values())

    def describe(self) -> dict[str, Any]:
        """The status as plain data."""
        return {
            "experiment": self.name,
            "folder": str(self.folder),
            "total": self.total,
            "done": self.done,
            "missing": sum(self.missing.values()),
            "no_longer": self.no_longer,
            "by_status": self.by_status,
            "solvers": {
                label: {**counts, "missing": self.missing.get(label, 0)} for label, counts in self.by_solver.items()
            },
            "runner": None if self.runner is None else dict(self.runner),
            "rate_per_s": self.rate_per_s,
            "left_s": self.left_s,
        }


@told("looking at the experiment")
def status(path: str | Path) -> ExperimentStatus:
    """Progress of an experiment.

    Args:
        path: its result folder, or its file where the folder is next to it.

    Raises:
        InputError: there are no results.
    """
    folder = ResultFolder(Path(path) if Path(path).is_dir() else default_folder(path))
    if not folder.exists():
        message = f"no results here; start the experiment with {verb_text('run')}, or name its {option_text('--out')}"
        raise InputError(message, file=str(path))
    labels = folder.labels()
    runner = runner_at(folder.lock_file)
    facts = runner or {}
    finished = dict(_finished(folder))
    counts: dict[str, Counter[str]] = {label: Counter() for label in dict.fromkeys(labels.values())}
    for key, label in labels.items():
        if key in finished:
            counts[label][finished[key]] += 1
    return ExperimentStatus(
        name=folder.name(),
        folder=folder.path,
        total=len(labels) or None,
        by_solver={label: dict(found) for label, found in counts.items()},
        missing=dict(Counter(label for key, label in labels.items() if key not in finished)),
        no_longer=sum(key not in labels for key in finished) if labels else 0,
        runner=None if runner is None else {name: runner.get(name) for name in ("process", "host")},
        rate_per_s=facts.get("rate_per_s"),
        left_s=facts.get("left_s"),
    )


def _finished(folder: ResultFolder) -> Iterator[tuple[str, str]]:
    """Key and status of every record."""
    from euclio.experiments.columns import read_table

    for row in folder.journalled():
        yield row["key"], row["status"]
    for path in folder.compacted():
        table = read_table(path, ["key", "status"])
        yield from zip(table["key"].to_pylist(), table["status"].to_pylist(), strict=True)


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
