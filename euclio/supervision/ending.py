"""Ends of supervised processes: dying with the supervisor, and taking everything along that they have started."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

import psutil

PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's prctl."""

CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux's prctl."""


def settle(parent: int) -> None:
    """Begin a supervised process: die with the parent, leave Ctrl-C to it, write no core files.

    Processes that this one's children leave behind become its own, so that `kill_all` finds them.

    Args:
        parent: process number of the supervisor.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        library.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        library.prctl(CHILD_SUBREAPER, 1)
    if os.getppid() != parent:
        os._exit(1)


def kill_all(process: psutil.Process) -> None:
    """Kill a process that leads its own group, and all that it started, also what has left the group."""
    below = _descendants(process)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    # A process that was started a moment ago may not lead its group yet.
    for child in (process, *below):
        with suppress(psutil.Error):
            child.kill()


def ending(code: int) -> str:
    """How a process ended, after the subject; `code` is negative where it died of that signal."""
    return f"exited with code {code}" if code >= 0 else f"died of signal {signal_name(-code)}"


def signal_name(number: int) -> str:
    """The name of a signal, such as "SIGSEGV"; its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []
