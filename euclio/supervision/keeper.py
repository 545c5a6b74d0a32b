"""Ends of supervised processes: dying with the supervisor, and taking everything along that they have started.

A supervised process is two: a keeper, which the supervisor started, and below it the worker. A process that the worker
leaves behind, in any session, becomes a child of the keeper. The keeper outlives the worker and ends such processes.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from typing import NoReturn

import psutil

from euclio.core import system
from euclio.core.system import HARD_LIMITS

ENDING_S = 2.0
"""How long processes are killed that start others faster than they can be found."""
LOOK_EVERY_S = 0.002
MOST_DESCRIPTORS = 1 << 16


def settle(parent: int, scratch: str = "") -> None:
    """Begin a supervised process: die with the parent, leave Ctrl-C to it, write no core files.

    On Linux this returns in a new process; the one that called stays behind as its keeper, which ends as the new one
    does, after everything that it started. Elsewhere there is no keeper.

    Args:
        parent: process number of the supervisor.
        scratch: folder that the keeper removes where the supervisor is gone; empty if there is none.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    system.write_no_core_files()
    if sys.platform != "linux":
        if os.getppid() != parent:
            os._exit(1)
        return
    system.adopt_orphans()
    # The parent may be killed while this one starts, and the folder is to go then too.
    before = signal.signal(signal.SIGTERM, lambda number, frame: _end_with(-number, parent, scratch))
    system.end_with_parent(kill=False)  # the keeper still has to end the others
    if os.getppid() != parent:
        _end_with(1, parent, scratch)
    keeper = os.getpid()
    worker = system.fork()
    if worker:
        _keep(worker, parent, scratch)
    signal.signal(signal.SIGTERM, before)
    system.lead_group()
    system.end_with_parent(kill=True)
    system.adopt_orphans()  # so that what it leaves behind is found below it as long as it lives
    if os.getppid() != keeper:
        os._exit(1)


def worker_of(keeper: psutil.Process) -> psutil.Process | None:
    """The process that works below a keeper; None if either is missing."""
    try:
        children = keeper.children()
    except psutil.Error:
        return None
    return min(children, key=lambda child: child.pid, default=None)


class Started:
    """A process that was started here and leads its own group: whether and how it ended, and its end.

    Args:
        process: the process, which no other code collects.
    """

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self._code: int | None = None

    def has_ended(self) -> bool:
        """Whether it is gone; until `end`, its number still stands for its group."""
        try:
            return self._code is not None or self.process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:  # another part of this program collected it
            return True

    def how_it_ended(self, patience_s: float) -> str:
        """How it ended, after the subject; empty if it has not within so many seconds. It is ended then."""
        until = time.monotonic() + patience_s
        while not self.has_ended() and time.monotonic() < until:
            time.sleep(LOOK_EVERY_S)
        by_itself = self.has_ended()
        self.end()
        assert self._code is not None
        return _in_words(self._code) if by_itself else ""

    def end(self) -> None:
        """Kill it and all that it started, also what has left its group; where it has ended, what it left."""
        if self._code is not None:
            return
        _kill_below(self.process)
        system.kill_group(self.process.pid)
        # A process that was started a moment ago may not lead its group yet.
        with suppress(psutil.Error):
            self.process.kill()
        self._code = self.process.wait() or 0


def _in_words(code: int) -> str:
    """How a process ended, after the subject; `code` is negative where it died of that signal."""
    names = {number.value: number.name for number in signal.Signals}
    return f"exited with code {code}" if code >= 0 else f"died of signal {names.get(-code, -code)}"


def _keep(worker: int, parent: int, scratch: str) -> NoReturn:
    """Wait for the end of a worker, end what it left, and end in the same way."""
    # A channel or a pipe that stays open here would hide that the worker is gone, or has closed it.
    os.closerange(3, MOST_DESCRIPTORS)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    ended, status = 0, 0
    while ended != worker:
        ended, status = os.waitpid(-1, 0)
    _end_with(os.waitstatus_to_exitcode(status), parent, scratch)


def _end_with(code: int, parent: int, scratch: str) -> NoReturn:
    """End all processes below this one, then this one, with the exit code or of the signal of another one."""
    _kill_below(psutil.Process())
    if scratch and os.getppid() != parent:
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):  # the supervisor's own, in which that was, once it is empty
            os.rmdir(os.path.dirname(scratch))  # noqa: PTH106, PTH120
    if code >= 0:
        os._exit(code)
    with suppress(OSError):  # of SIGKILL there is nothing to restore
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    os._exit(128 - code)


def _kill_below(process: psutil.Process) -> None:
    """Kill what a process has started until there is nothing left."""
    until = time.monotonic() + ENDING_S
    seen_none = 0
    # A process whose parent ends while it is looked for may be missed once.
    while seen_none < 2 and time.monotonic() < until:
        alive = [child for child in _descendants(process) if _is_alive(child)]
        seen_none = 0 if alive else seen_none + 1
        for child in alive:
            with suppress(psutil.Error):
                child.kill()
        _collect(process)
        time.sleep(LOOK_EVERY_S if alive else 0.0)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _collect(process: psutil.Process) -> None:
    """Collect the ended children of this process, if it is the one; another one collects its own."""
    if process.pid != os.getpid():
        return
    with suppress(ChildProcessError):
        while system.child_has_ended():
            pass


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


# A program below a keeper: `python -m euclio.supervision.keeper PARENT WORDS...` runs the words and ends with them.

CANNOT_RUN = 127


def below_keeper(words: list[str]) -> list[str]:
    """The words of a program, run below a keeper whose parent is this process; as they are where there are none."""
    if not HARD_LIMITS:
        return words
    return [sys.executable, "-P", "-m", "euclio.supervision.keeper", str(os.getpid()), *words]


def main() -> None:
    """Become the keeper of a program that is given by its words."""
    parent, *words = sys.argv[1:]
    settle(int(parent))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f"cannot be run: {(error.strerror or str(error)).lower()}", file=sys.stderr, flush=True)
        os._exit(CANNOT_RUN)


if __name__ == "__main__":
    main()
