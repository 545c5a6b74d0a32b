"""A slot, which makes runs: a supervised process per solver library, of which one works at a time.

If a run exceeds a hard limit (`euclio.supervision.limits`), its process is killed, the run gets a row, and a fresh
process goes on with the rest of the batch. Without hard limits, runs are made in this process.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TextIO

from euclio.core.errors import InputError
from euclio.core.quick_records import changed
from euclio.core.system import BINARY, HARD_LIMITS, read_at
from euclio.experiments import worker
from euclio.experiments.durable import written
from euclio.experiments.execution import blank_record, lost, raised
from euclio.experiments.record import Record
from euclio.experiments.task import Batch, Task
from euclio.supervision.limits import Cause, EndedError, preparation_limit_s
from euclio.supervision.process import Here, Process, interpreter
from euclio.supervision.serving import Begun, Said

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Libraries that would take all cores besides the threads given to a solver."""

MOST_BROKEN_PREPARATIONS = 2
MOST_FAILED_STARTS = 2
LONGEST_LOG_BYTES = 1 << 20


class StoppedError(Exception):
    """A slot was told to make no more runs."""


class Slot(AbstractContextManager["Slot"]):
    """Makes one run at a time.

    A warm-up whose process crashed is tried once more; one that was killed is not. The runs of that solver then begin
    cold, and record the time and errors of warming up.

    Args:
        log: file for the output of solvers; None disables it.

    Attributes:
        stopped: whether to give up the current run at the next check of its limits.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log = Log(log)
        self._processes: dict[str, Process | Here] = {}
        self._broken: Counter[str] = Counter()
        self._failed_starts = 0
        self.stopped = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def has_loaded(self, library: str) -> bool:
        """Whether there is a process for this solver library."""
        return library in self._processes

    def run(self, batch: Batch) -> Iterator[Record]:
        """Make the runs of a batch; each record comes as soon as its run is finished.

        Raises:
            InputError: worker processes do not start.
            StoppedError: the slot was told to stop.
        """
        for task in batch.tasks:
            while (record := self._made(task, batch.instance_text)) is None:
                pass
            self._log.trim()
            yield record

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()
        self._log.close()

    def _made(self, task: Task, instance_text: str) -> Record | None:
        """The record of a run; None if its process was lost before the run began, so that it is tried again."""
        solver, library, limits = task.setting.solver, task.setting.library, task.limits
        process, said = self._process(library), list[Record]()
        cold = self._broken[solver] >= MOST_BROKEN_PREPARATIONS

        def heard(report: Begun | Said) -> None:
            if isinstance(report, Said):
                said.append(report.value)

        try:
            record, bloated = process.call(
                *(worker.make_run, task, instance_text, not cold),
                limit_s=preparation_limit_s(solver) if limits.preparation_s is None else limits.preparation_s,
                memory_mb=limits.memory_mb,
                heard=heard,
                looked=self._look,
            )
        except StoppedError:
            self._processes.pop(library).close()
            raise
        except EndedError as end:
            del self._processes[library]
            if not process.ready:
                self._count_failed_start(end)
            elif not end.began and not cold:
                self._broken[solver] += MOST_BROKEN_PREPARATIONS if end.cause in (Cause.TIME, Cause.MEMORY) else 1
            else:
                blank = changed(
                    said[-1] if said else blank_record(task),
                    worker=process.pid,
                    peak_memory_mb=process.peak_memory_mb,
                )
                return lost(blank, end)
            return None
        except Exception as error:  # such as an answer that cannot be sent
            return raised(said[-1] if said else blank_record(task), error)
        self._failed_starts = 0
        if bloated:
            self._processes.pop(library).close()
        assert isinstance(record, Record)
        return record

    def _process(self, library: str) -> Process | Here:
        """The process of a library; a new one where there is none."""
        if self.has_loaded(library) and self._processes[library].ended:
            self._processes.pop(library).close()
        if not self.has_loaded(library):
            self._processes[library] = self._started() if HARD_LIMITS else Here(self._log.stream)
        return self._processes[library]

    def _started(self) -> Process:
        """A new process; all have the same order of sets, so that runs repeat."""
        environment = {"PYTHONHASHSEED": "0", **dict.fromkeys(ONE_THREAD, "1"), **os.environ}
        output = subprocess.DEVNULL if self._log.stream is None else self._log.stream.fileno()
        return interpreter(worker.__name__, environment, output, output)

    def _look(self) -> None:
        self._log.trim()
        if self.stopped:
            raise StoppedError

    def _count_failed_start(self, end: EndedError) -> None:
        """Let it start once more; a process that has loaded no solver yet should start."""
        self._failed_starts += 1
        if self._failed_starts >= MOST_FAILED_STARTS:
            where = "" if self._log.path is None else f"; {self._log.path} may say why"
            raise InputError(f"worker processes do not start (the worker process {end}){where}")


class Log:
    """A log of the solvers' output, to which processes write directly; it keeps its newest part.

    Args:
        path: the file to append to; None disables it.

    Attributes:
        path: the file.
        stream: its stream; None if the log is disabled.

    Raises:
        UnwritableError: the file cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.stream: TextIO | None = None
        if path is not None:
            with written(path):
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o644)
            self.stream = open(descriptor, "w", 1, encoding="utf-8", newline="\n")  # noqa: SIM115, PTH123

    def trim(self) -> None:
        """Keep the newest half of a log that is too long, so that it never fills a disk."""
        if self.stream is None:
            return
        descriptor = self.stream.fileno()
        size = os.fstat(descriptor).st_size
        if size <= LONGEST_LOG_BYTES:
            return
        kept = read_at(descriptor, LONGEST_LOG_BYTES // 2, size - LONGEST_LOG_BYTES // 2)
        os.ftruncate(descriptor, 0)
        with suppress(OSError):  # the disk may be full
            os.write(descriptor, kept)

    def close(self) -> None:
        """Close the file."""
        if self.stream is not None:
            self.trim()
            self.stream.close()
            self.stream = None
