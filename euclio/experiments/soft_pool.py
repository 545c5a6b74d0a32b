"""Runs in this process, on systems without hard limits (`euclio.core.system`).

One run is made after the other. Nothing is killed: limits of time are those that solvers keep themselves, memory has
none, and a crash ends the batch; the same command then goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path

from euclio.core.progress import say
from euclio.core.quick_records import changed
from euclio.core.system import soft
from euclio.experiments.execution import execute
from euclio.experiments.log import Log
from euclio.experiments.record import Record
from euclio.experiments.task import Batch, Task

SOFT_LIMITS = "runs are made one after the other in this process, and limits are those that solvers keep themselves"


class SoftPool(AbstractContextManager["SoftPool"]):
    """A pool (`euclio.experiments.pool.Pool`) that makes runs in this process; says so once.

    Args:
        logs: folder, which exists, for what solvers print on standard output; None: it is not kept.
    """

    def __init__(self, logs: Path | None = None) -> None:
        self._log = Log(None if logs is None else logs / "slot-0.log")
        _say_that_limits_are_soft()

    def __exit__(self, *_: object) -> None:
        self._log.close()

    def run(self, batches: Iterable[Batch]) -> Iterator[Record]:
        """Make the runs of all batches; see `euclio.experiments.pool.Pool.run`."""
        for batch in batches:
            for task in batch.tasks:
                with self._printing():
                    record = made_here(task, batch.instance_text)
                self._log.trim()
                yield record

    @contextmanager
    def _printing(self) -> Iterator[None]:
        """Have what is printed inside in the log."""
        if self._log.path is None:
            yield
            return
        with self._log.path.open("a", encoding="utf-8", newline="\n") as stream, redirect_stdout(stream):
            yield


def made_here(task: Task, instance_text: str) -> Record:
    """The record of a run that is made in this process.

    A solver without a time limit gets the hard limit of its run as one.

    Raises:
        KeyboardInterrupt: Ctrl-C, or SIGTERM where a command says so; the run is not made.
    """
    limits, given = task.limits, task
    if limits.time_s is None:
        given = replace(task, limits=replace(limits, time_s=limits.hard_time_s))
    ending = (KeyboardInterrupt,)
    record = execute(given, instance_text, warm=True, started=_unheard, certifying=_unheard, ending=ending)
    return changed(record, key=task.key)


def _unheard(*_: object) -> None:
    """Nobody has to know when a limit begins to count that nobody keeps."""


@cache
def _say_that_limits_are_soft() -> None:
    say(soft(SOFT_LIMITS))
