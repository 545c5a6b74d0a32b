"""One place where runs are made: a supervised worker process per solver library, of which one works at a time.

The hard limits stand here, since a solver that hangs cannot keep its own: a run that exceeds one is a row, its process
is killed, and a fresh one goes on with the rest of the batch. Nothing here waits for a process: what one has sent of a
message is taken in, and the limits are looked at.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from enum import Enum
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import psutil

from euclio.core.errors import InputError
from euclio.core.folders import temporary
from euclio.core.quick_records import changed
from euclio.experiments.execution import blank_record, crashed, garbled, killed_by_memory, killed_by_time
from euclio.experiments.janitor import janitor
from euclio.experiments.log import Log
from euclio.experiments.memory import children_memory_mb, memory_mb
from euclio.experiments.messages import Assignment, Bloated, Certifying, Finished, Ready, Started
from euclio.experiments.record import Record
from euclio.experiments.task import Batch, Task
from euclio.supervision import START_LIMIT_S, preparation_limit_s
from euclio.supervision.channel import Channel, GarbledError, channel
from euclio.supervision.keeper import end_in_words, kill_all, worker_of

ENDING_S = 0.3
"""How long a process that hung up is given to end by itself, so that it can be said how it ended.

Other runs wait for as long.
"""

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Libraries that would take all cores next to the threads that a solver is given."""

_STARTER = ThreadPoolExecutor(1, "euclio-workers")
"""Starts all workers: Linux ends a worker with the thread that started it; this one lives as long as the process."""


class WorkerProcess:
    """One worker process in a process group of its own.

    Args:
        log: file descriptor that takes what solvers print; None: nothing is kept.
    """

    def __init__(self, log: int | None = None) -> None:
        self.channel, theirs = channel()
        self._scratch = tempfile.TemporaryDirectory(dir=temporary(), ignore_cleanup_errors=True)
        with theirs:
            self._popen = _STARTER.submit(_start, theirs, self._scratch.name, log).result()
        janitor().watch(self.pid, self._scratch.name)
        self._process = psutil.Process(self._popen.pid)
        self._worker: psutil.Process | None = None
        self._peak_mb = 0.0

    @property
    def pid(self) -> int:
        """Process number, also of its group."""
        return self._popen.pid

    @property
    def peak_memory_mb(self) -> float:
        """Most resident memory seen so far."""
        return self._peak_mb

    def memory_mb(self, *, with_children: bool) -> float:
        """Resident memory now, in MiB."""
        worker = self._at_work()
        now = memory_mb(worker) + (children_memory_mb(worker) if with_children else 0.0)
        self._peak_mb = max(self._peak_mb, now)
        return now

    def _at_work(self) -> psutil.Process:
        """The process whose memory counts: the one below the keeper."""
        self._worker = self._worker or worker_of(self._process)
        return self._worker or self._process

    def has_ended(self) -> bool:
        """Whether the process is gone; what it still said can be read."""
        try:
            return self._process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:  # another part of this program collected it
            return True

    def say_how_it_ended(self) -> str:
        """How a process ended that hung up, after the subject; it is ended if it has not.

        Nobody has collected it yet, so that its number still stands for its group.
        """
        patience = time.monotonic() + ENDING_S
        while not self.has_ended():
            if time.monotonic() > patience:
                self.end()
                return "stopped answering"
            time.sleep(0.001)
        self.end()
        code = self._popen.returncode
        return end_in_words(code)

    def end(self) -> None:
        """Kill the process and all that it started, and clear up."""
        kill_all(self._process)
        self._popen.wait()
        self.channel.close()
        self._scratch.cleanup()
        janitor().forget(self.pid)


def _start(theirs: socket.socket, scratch: str, log: int | None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-u", "-m", "euclio.experiments.worker", str(theirs.fileno()), str(os.getpid())]
    output: Any = subprocess.DEVNULL if log is None else log
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(theirs.fileno(),),
        start_new_session=True,
        env=_environment(scratch),
    )


def _environment(scratch: str) -> dict[str, str]:
    """The own environment and module path; sets in the same order in every process, so that runs repeat."""
    path = os.pathsep.join(part or str(os.getcwd()) for part in sys.path)  # noqa: PTH109
    defaults = {"PYTHONHASHSEED": "0", **dict.fromkeys(ONE_THREAD, "1")}
    return {**defaults, **os.environ, "PYTHONPATH": path, "TMPDIR": scratch}


LOOK_EVERY_S = 0.05
"""How often memory and the process itself are looked at."""

CHILDREN_EVERY_S = 0.5
"""How often the memory of a worker's own processes is added up, which takes longer."""

MOST_BROKEN_PREPARATIONS = 2
MOST_FAILED_STARTS = 2


class _Phase(Enum):
    STARTING = "starting"
    PREPARING = "preparing"
    RUNNING = "running"


class Slot(AbstractContextManager["Slot"]):
    """A blocking or polled supervisor of one run at a time.

    A warm-up that ends its process is tried once more if it crashed, and not again if it was killed; then the runs of
    that solver begin cold, and what happens is theirs.

    Args:
        log: file that takes what solvers print; None: nothing is kept.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log = Log(log)
        self._processes: dict[str, WorkerProcess] = {}
        self._broken: Counter[str] = Counter()
        self._failed_starts = 0
        self._tasks: deque[Task] = deque()
        self._text = ""
        self._phase = _Phase.STARTING
        self._blank: Record | None = None
        self._deadline = self._next_look = self._next_children = 0.0

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def busy(self) -> bool:
        """Whether runs of the batch are left."""
        return bool(self._tasks)

    @property
    def channel(self) -> Channel:
        """The messages of the process at work, to wait for."""
        return self._worker.channel

    def has_loaded(self, library: str) -> bool:
        """Whether a process for this solver library is there."""
        return library in self._processes

    def run(self, batch: Batch) -> Iterator[Record]:
        """Make the runs of a batch; each record comes as soon as its run is finished.

        Raises:
            InputError: worker processes do not start.
        """
        self.begin(batch)
        while self.busy:
            wait([self.channel.fileno()], LOOK_EVERY_S)
            yield from self.step()

    def begin(self, batch: Batch) -> None:
        """Take a batch; `step` gets on with it."""
        assert not self.busy, "the batch before is not finished"
        self._tasks.extend(batch.tasks)
        self._text = batch.instance_text
        if self._tasks:
            self._assign()

    def step(self) -> list[Record]:
        """Records of runs that are finished by now; enforces the limits, waits for nothing."""
        records: list[Record] = []
        while self.busy and self._hear(records):
            pass
        now = time.monotonic()
        if self.busy and now >= min(self._next_look, self._deadline):
            self._look(now, records)
        return records

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.end()
        self._processes.clear()
        self._tasks.clear()
        self._log.close()

    @property
    def _library(self) -> str:
        return self._tasks[0].setting.library

    @property
    def _preparation_s(self) -> float:
        """What the preparation of the next run may take."""
        task = self._tasks[0]
        given_s = task.limits.preparation_s
        return preparation_limit_s(task.setting.solver) if given_s is None else given_s

    @property
    def _worker(self) -> WorkerProcess:
        return self._processes[self._library]

    def _assign(self) -> None:
        """Give what is left of the batch to the process of its library; a new one gets it once it is ready."""
        process = self._processes.get(self._library)
        if process is None or process.has_ended():
            self._replace()
            return
        cold = frozenset(name for name, times in self._broken.items() if times >= MOST_BROKEN_PREPARATIONS)
        self._enter(_Phase.PREPARING, self._preparation_s)
        try:
            process.channel.post(Assignment(Batch(self._text, tuple(self._tasks)), cold))
        except OSError:
            self._replace()

    def _replace(self) -> None:
        """Start a new process for the library at hand."""
        if self.has_loaded(self._library):
            self._processes.pop(self._library).end()
        self._processes[self._library] = WorkerProcess(self._log.descriptor)
        self._enter(_Phase.STARTING, START_LIMIT_S)

    def _enter(self, phase: _Phase, limit_s: float, blank: Record | None = None) -> None:
        now = time.monotonic()
        self._phase, self._blank, self._deadline = phase, blank, now + limit_s
        self._next_children = now + CHILDREN_EVERY_S

    def _hear(self, records: list[Record]) -> bool:
        """Take in one message; False: there is none."""
        try:
            self.channel.flush()
            message = self.channel.arrived()
        except (EOFError, OSError):
            self._crashed(records)
            return True
        except GarbledError:
            self._lose(garbled(self._current()), records, broken=1)
            return True
        match message:
            case None:
                return False
            case (Ready(),):
                self._failed_starts = 0
                self._assign()
            case (Started(blank),):
                self._enter(_Phase.RUNNING, self._tasks[0].limits.hard_time_s, blank)
            case (Certifying(answered, limit_s),):
                self._enter(_Phase.RUNNING, limit_s, answered)
            case (Finished(record),):
                self._finish(record, records)
                if self.busy:
                    self._enter(_Phase.PREPARING, self._preparation_s)
            case (Bloated(),):
                self._replace()
        return True

    def _look(self, now: float, records: list[Record]) -> None:
        """Enforce the limits."""
        self._next_look = now + LOOK_EVERY_S
        self._log.trim()
        if self._worker.has_ended():
            if not self._hear(records):  # what it still said comes first
                self._crashed(records)
        elif now >= self._deadline:
            self._kill(killed_by_time(self._current()), records)
        elif self._memory_mb(now) > self._tasks[0].limits.memory_mb:
            self._kill(killed_by_memory(self._current()), records)

    def _memory_mb(self, now: float) -> float:
        with_children = now >= self._next_children
        if with_children:
            self._next_children = now + CHILDREN_EVERY_S
        return self._worker.memory_mb(with_children=with_children)

    def _current(self) -> Record:
        """The record of the run at hand, without an answer."""
        blank = blank_record(self._tasks[0]) if self._blank is None else self._blank
        return changed(blank, worker=self._worker.pid, peak_memory_mb=self._worker.peak_memory_mb)

    def _crashed(self, records: list[Record]) -> None:
        """The process ended by itself."""
        record = self._current()
        self._lose(crashed(record, self._worker.say_how_it_ended()), records, broken=1)

    def _kill(self, record: Record, records: list[Record]) -> None:
        """End the process for a limit."""
        self._lose(record, records, broken=MOST_BROKEN_PREPARATIONS)

    def _lose(self, record: Record, records: list[Record], broken: int) -> None:
        """The process is lost: to the run at hand, or to its preparation; a fresh one goes on."""
        self._processes.pop(self._library).end()
        if self._phase is _Phase.STARTING:
            self._count_failed_start(record)
            return
        solver = self._tasks[0].setting.solver
        if self._phase is _Phase.RUNNING or self._broken[solver] >= MOST_BROKEN_PREPARATIONS:
            self._finish(record, records)
        else:
            self._broken[solver] += broken
        if self.busy:
            self._replace()

    def _count_failed_start(self, record: Record) -> None:
        """Start once more; a process in which nobody's solver was loaded yet should have started."""
        self._failed_starts += 1
        if self._failed_starts >= MOST_FAILED_STARTS:
            self._tasks.clear()
            where = "" if self._log.path is None else f"; {self._log.path} may say why"
            raise InputError(f"worker processes do not start ({record.reason}){where}")
        self._replace()

    def _finish(self, record: Record, records: list[Record]) -> None:
        self._tasks.popleft()
        records.append(record)
