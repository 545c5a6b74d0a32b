"""Other operating systems, emulated in a process on Linux that hides functions they lack from euclio.

Folders, consoles and the libraries below euclio are still those of Linux.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import astuple, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from places import HELPERS, ROOT

MODULES = ("fcntl", "resource", "termios", "pwd", "grp", "tty", "pty", "syslog")
OF_OS = (
    *("fork", "forkpty", "register_at_fork", "killpg", "getpgid", "setpgid", "getpgrp", "setsid", "getsid"),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "fchmod", "fchown", "chown", "mkfifo", "mknod"),
    *("pread", "pwrite", "O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "O_SYNC", "getloadavg", "nice"),
    *("WNOHANG", "wait", "wait3", "wait4", "waitid", "statvfs", "posix_spawn", "posix_spawnp", "set_blocking"),
    *("sched_getaffinity", "sched_setaffinity", "pidfd_open", "memfd_create", "sendfile", "fchdir", "confstr"),
)
OF_SIGNAL = (
    *("SIGALRM", "SIGKILL", "SIGCHLD", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGSTOP", "SIGCONT"),
    *("setitimer", "getitimer", "ITIMER_REAL", "alarm", "pause", "pthread_sigmask", "pthread_kill", "sigwait"),
)
OF_SELECT = ("poll", "epoll", "POLLIN", "POLLOUT")
OF_SOCKET = ("MSG_NOSIGNAL", "MSG_DONTWAIT", "AF_UNIX")

OURS = tuple(str(ROOT / name) for name in ("euclio", "studies", "heuristics", "formulations", "bruteforce"))
STANDARD = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))


def hide(system: str) -> None:
    """Take away what a system lacks, from euclio as it is imported and from what it imports."""
    assert not any(name.partition(".")[0] == "euclio" for name in sys.modules)
    _import_the_standard_library()
    sys.addaudithook(_refuse)
    for name in ("sched_getaffinity", "sched_setaffinity", "pidfd_open", "memfd_create"):
        _take(os, name)
    _take(socket, "MSG_NOSIGNAL")
    if system == "windows":
        for module, names in ((os, OF_OS), (signal, OF_SIGNAL), (select, OF_SELECT), (socket, OF_SOCKET)):
            for name in names:
                _take(module, name)
        for name in MODULES:
            sys.modules[name] = None  # type: ignore[assignment]
        os.O_BINARY = 0  # type: ignore[attr-defined]
    multiprocessing.set_start_method("spawn")
    linux, sys.platform = sys.platform, {"windows": "win32", "macos": "darwin"}[system]
    import euclio.core.system

    assert not euclio.core.system.HARD_LIMITS
    sys.platform = linux  # the libraries are those of Linux


def _import_the_standard_library() -> None:
    """Import what was chosen for Linux, and leave it the modules that it stands on as they are."""
    import asyncio
    import ctypes
    import multiprocessing.connection
    import tempfile

    import psutil

    assert all((asyncio, ctypes, multiprocessing.connection, tempfile, psutil))
    for whole in (os, signal, select, socket):
        copy = ModuleType(whole.__name__)
        vars(copy).update(vars(whole))
        for user in list(sys.modules.values()):
            if user is not sys.modules[__name__] and vars(user).get(whole.__name__) is whole:
                setattr(user, whole.__name__, copy)


def _take(module: Any, name: str) -> None:
    if hasattr(module, name):
        delattr(module, name)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Hide /proc and prctl from our own code, and fork from all code."""
    if event == "open" and str(arguments[0]).startswith("/proc") and _asked_by_us():
        raise FileNotFoundError(arguments[0])
    if event == "ctypes.dlopen" and arguments[0] is None and _asked_by_us():
        raise OSError("no C library is known here")
    if event in ("os.fork", "os.forkpty") or (_fcntl_is_hidden() and event.startswith(("fcntl.", "resource."))):
        raise AssertionError(f"{event} on a system that has none")


def _fcntl_is_hidden() -> bool:
    """Whether Windows is played, which has no such module."""
    return "fcntl" in sys.modules and sys.modules["fcntl"] is None


def _asked_by_us() -> bool:
    """Whether the first caller that is no part of the standard library is ours."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(OURS):
            return True
        in_packages = "site-packages" in file
        if in_packages or not file.startswith((*STANDARD, "<frozen")):
            return False
        frame = frame.f_back
    return False


@dataclass(frozen=True, slots=True)
class Said:
    """The outcome of a command: its exit code and its output."""

    code: int
    out: str
    err: str


def on(system: str, commands: Sequence[Sequence[object]], folder: Path) -> list[Said]:
    """The outcomes of command lines of `euclio`, one after the other in one process of a system.

    Args:
        system: "windows", "macos" or "linux".
        commands: their words after `euclio`; a first word of several lines is code in Python.
        folder: where they are run.
    """
    lines = json.dumps([[str(word) for word in words] for words in commands])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HELPERS)))}
    done = subprocess.run(
        [sys.executable, "-P", __file__, system, lines],
        cwd=folder,
        # Machine code of another system would have to be made.
        env={**environment, "EUCLIO_KERNELS": "interpreted"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return [Said(*said) for said in json.loads(done.stdout.splitlines()[-1])]


def said(words: list[str]) -> Said:
    """The outcome of one command line in this process."""
    from euclio.cli import main as euclio

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        if "\n" not in words[0]:
            code = euclio(words)
        else:
            code = 0
            try:
                exec(compile(words[0], "<code>", "exec"), {"__name__": "__main__"})
            except Exception:
                code = 1
                traceback.print_exc()
    return Said(code, out.getvalue(), err.getvalue())


def main() -> None:
    """Play the system that the first argument names, for the command lines in the second, in JSON."""
    system, lines = sys.argv[1:]
    if system != "linux":
        hide(system)
    print(json.dumps([astuple(said(words)) for words in json.loads(lines)]))


if __name__ == "__main__":
    main()
