"""A worker process as its supervisor sees it: start, talk, look at its memory, end it with all that it started."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil

from euclio.core.folders import temporary
from euclio.experiments.janitor import janitor
from euclio.experiments.memory import children_memory_mb, memory_mb
from euclio.supervision.channel import channel
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
