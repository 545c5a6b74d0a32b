"""`run`, `status` and `report`: experiments, how far they are, and the page of their results."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

import euclio.report as report_room
from euclio.core.numbers import Number
from euclio.core.values import count, names
from euclio.runs.runner import Outcome
from euclio.runs.runner import run as run_experiment
from euclio.runs.status import ExperimentStatus
from euclio.runs.status import status as status_of
from euclio.verbs.calling import verb
from euclio.verbs.keywords import read_if

if TYPE_CHECKING:
    from euclio.runs.experiment import Experiment
    from euclio.runs.pool import Pool

__all__ = ["report", "report_room", "run", "status"]


@verb()
def run(
    experiment: str | Path | Experiment,
    out: str | Path | None = None,
    *,
    slots: Number | None = None,
    dask: str | None = None,
    retry: str | Collection[str] = (),
    code: str | Path | Collection[str | Path] = (),
    quiet: bool = False,
    pool: Pool | None = None,
    finished: Callable[[int], None] | None = None,
) -> Outcome:
    """Make all runs of an experiment that are not in its result folder yet, as `euclio run` does.

    Args:
        experiment: its file, or an `Experiment`.
        out: result folder; None: ``<name of the file>-results`` next to the file, or here.
        slots: most runs at a time, never more than cores; None: as the experiment says, else one per core.
        dask: address of a dask scheduler, or "local"; None: this machine without dask.
        retry: statuses, such as "error", whose runs are made again; their records are dropped at the start.
        code: Python files of solvers and policies that a file of an experiment names; what only that file names is not
            run. An `Experiment` is a call, so that what it names is run.
        quiet: show no progress.
        pool: pool that is open and stays open, for experiments one after the other; None: one of this experiment's own.
        finished: is called with the number of runs that are finished, those made before first, then each as it is made.

    Returns:
        What became of it.

    Raises:
        InputError: bad input, or another runner at work in that folder.
        UnwritableError: results cannot be written; those written before are kept.
        RunInterrupted: stopped from the keyboard; what is finished is kept.
    """
    return run_experiment(
        experiment,
        out,
        slots=read_if(count, slots, "--slots"),
        dask=dask,
        retry=names(retry) if isinstance(retry, str) else retry,
        code=[code] if isinstance(code, Path) else names(code) if isinstance(code, str) else code,
        quiet=quiet,
        pool=pool,
        finished=finished,
    )


@verb()
def status(path: str | Path) -> ExperimentStatus:
    """How far an experiment is, as `euclio status` says.

    Args:
        path: result folder, or the experiment next to it.

    Raises:
        InputError: there is no such folder.
    """
    return status_of(path)


@verb()
def report(*results: str | Path, out: str | Path | None = None, title: str | None = None) -> Path:
    """Write the page of an experiment, and next to it the same in Markdown, as `euclio report` does.

    Args:
        *results: result folders, experiment files (for the folder next to them), or files that `euclio.results.load`
            reads; several are merged.
        out: the page; None: ``report.html`` in the first folder, or next to the first file under its name.
        title: of the page; None: the names of the experiments.

    Returns:
        Path of the page.

    Raises:
        InputError: there are no results at a path, no run is finished, or the page cannot be written.
    """
    from euclio.report.experiment.page import write_report

    return write_report(*results, out=out, title=title)
