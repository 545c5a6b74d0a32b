"""What the operating system offers, looked at here alone: no other module names what not every system has.

Linux is what is tested. `euclio/supervision/README.md` says what works elsewhere, and what is soft there.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import platform
import select
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EFBIG, ETIMEDOUT
from pathlib import Path
from types import FrameType
from typing import Any

try:
    import fcntl
    import resource
except ImportError:  # Windows
    _UNIX_MODULES = False
else:
    _UNIX_MODULES = True

_NEEDED_FOR_HARD_LIMITS = {
    "os.fork": hasattr(os, "fork"),
    "a fork that numeric libraries survive": sys.platform != "darwin",
    "process groups": all(hasattr(os, name) for name in ("setsid", "setpgid", "killpg")),
    "fcntl and resource": _UNIX_MODULES,
    "select.poll": hasattr(select, "poll"),
    "sockets that raise no signal": hasattr(socket, "MSG_NOSIGNAL") and hasattr(socket, "MSG_DONTWAIT"),
}

LACKING = ", ".join(name for name, there in _NEEDED_FOR_HARD_LIMITS.items() if not there)
"""What hard limits need and this system has not, in words; empty: nothing."""

HARD_LIMITS = not LACKING
"""Whether a process that runs a solver can be started next to this one and killed with all that it started."""

ALARM: int | None = getattr(signal, "SIGALRM", None) if hasattr(signal, "setitimer") else None
"""The signal of a timer that interrupts this process; None: there is none."""

BINARY: int = getattr(os, "O_BINARY", 0)
"""Flag of files that are opened by `os.open`: Windows changes their bytes without it."""

NOT_BLOCKING: int = getattr(os, "O_NONBLOCK", 0)
"""Flag of pipes that are opened without waiting for the other side; Windows has none in its folders."""

AT_ONCE: int = getattr(socket, "MSG_DONTWAIT", 0) | getattr(socket, "MSG_NOSIGNAL", 0)
"""Flags of sending and receiving: waits for nothing, and an end that is gone is an error rather than a signal."""

NO_SIGNAL: int = getattr(socket, "MSG_NOSIGNAL", 0)
"""Flag of sending: an end that is gone is an error rather than a signal."""

FOLDERS_ARE_FILES = hasattr(os, "O_DIRECTORY")
"""Whether a folder can be opened, so that the names in it can be made to survive a power cut."""

_STEPS_BACK = 10
"""Niceness that a process in the background takes on."""

_PROC = Path("/proc")
"""Where Linux says what its processes do."""
_OWN_STATUS, _OWN_PAGES = (str(_PROC / "self" / name) for name in ("status", "statm"))
"""What it says of this one: fields by name, and sizes in pages."""

_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36
"""PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of Linux's prctl."""


def soft(consequence: str) -> str:
    """One line for users of a system without hard limits: what it lacks, and what follows."""
    return f"limits are soft on this system, which lacks {LACKING}: {consequence}"


# What this machine and this process are.


def user() -> int | None:
    """Number of the user whose rights this process has; None: this system has none."""
    if sys.platform != "win32" and hasattr(os, "geteuid"):
        return os.geteuid()
    return None


def cores() -> int:
    """Cores that this process may use."""
    if sys.platform == "linux" and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_average() -> float:
    """Processes that wanted to run, on average over the last minute; 0 where the system does not say."""
    if sys.platform != "win32" and hasattr(os, "getloadavg"):
        return os.getloadavg()[0]
    return 0.0


def cpu_lines() -> list[str]:
    """What Linux says about the processors, in lines such as ``model name : …``; empty elsewhere."""
    with suppress(OSError):
        return (_PROC / "cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def cpu_name() -> str:
    """The model of the processor."""
    named = (line.split(":", 1)[1].strip() for line in cpu_lines() if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def peak_memory_bytes() -> int:
    """Most resident memory of this process so far; where no system call says it, what is resident now.

    Linux keeps it per program; `getrusage` would also count the process that this one was started from.
    """
    with suppress(OSError, ValueError):
        return _own_status_kib(b"VmHWM:") * 1024
    if sys.platform != "win32" and _UNIX_MODULES:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    import psutil

    now: Any = psutil.Process().memory_info()
    return int(getattr(now, "peak_wset", now.rss))


def own_memory_bytes() -> int:
    """Resident memory of this process now."""
    with suppress(OSError, ValueError, IndexError):
        return int(_own(_OWN_PAGES).split(None, 2)[1]) * mmap.PAGESIZE
    import psutil

    return int(psutil.Process().memory_info().rss)


def _own_status_kib(field: bytes) -> int:
    """A field of what Linux says about this process."""
    text = _own(_OWN_STATUS)
    return int(text[text.index(field) :].split(None, 2)[1])


def _own(file: str) -> bytes:
    """What stands in a file of Linux's about this process."""
    handle = os.open(file, os.O_RDONLY)
    try:
        return os.read(handle, 1 << 14)
    finally:
        os.close(handle)


def waited_s() -> float:
    """Seconds that the threads of this process could have run and were not let; 0 where the system does not say."""
    waited = 0
    with suppress(OSError):
        for statistics in (_PROC / "self" / "task").glob("*/schedstat"):
            with suppress(OSError, ValueError, IndexError):
                waited += int(statistics.read_text(encoding="ascii").split()[1])
    return waited / 1e9


def flush_c_streams() -> None:
    """Write out what C code of this process has printed, where its library is known."""
    with suppress(Exception):
        ctypes.CDLL(None).fflush(None)


# Timers.


def set_alarm(seconds: float) -> None:
    """Have `ALARM` raised after some seconds; 0: never."""
    if sys.platform == "win32":
        raise NotImplementedError
    signal.setitimer(signal.ITIMER_REAL, seconds)


def alarm_is_set() -> bool:
    """Whether an alarm is to be raised."""
    return sys.platform != "win32" and ALARM is not None and signal.getitimer(signal.ITIMER_REAL)[0] > 0


# Files, pipes and sockets.


def readable(what: int | socket.socket, limit_s: float | None = None) -> bool:
    """Wait until there is something to read, or its end; whether there is within the limit (None: any time).

    Where only sockets can be waited for, reading from anything else does the waiting.
    """
    return _ready(what, False, limit_s)


def writable(what: int | socket.socket, limit_s: float | None = None) -> bool:
    """Wait until something can be written; whether it can within the limit (None: any time)."""
    return _ready(what, True, limit_s)


def _ready(what: int | socket.socket, writing: bool, limit_s: float | None) -> bool:
    if sys.platform != "win32" and hasattr(select, "poll"):
        waiting = select.poll()  # unlike select, it takes descriptors of any number
        waiting.register(what, select.POLLOUT if writing else select.POLLIN)
        return bool(waiting.poll(None if limit_s is None else 1000 * limit_s))
    if isinstance(what, int):
        return True
    found = select.select([] if writing else [what], [what] if writing else [], [], limit_s)
    return any(found)


def step_back() -> None:
    """Let all other processes go first from now on."""
    if sys.platform != "win32" and hasattr(os, "nice"):
        os.nice(_STEPS_BACK)


def own_session() -> bool:
    """Whether a program that is started can have a session of its own, so that Ctrl-C is not for it."""
    return sys.platform != "win32"


def after_fork(action: Callable[[], object]) -> None:
    """Have something done in every process that is forked from this one, where there is a fork."""
    if sys.platform != "win32" and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def tell(descriptor: int, data: bytes) -> bool:
    """Write into a pipe at once; False: it is full, or nobody reads it."""
    if sys.platform != "win32" and hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, False)
    with suppress(OSError):
        return os.write(descriptor, data) == len(data)
    return False


def make_blocking(descriptor: int) -> None:
    """Have reading and writing wait for the other side, of a pipe that was opened `NOT_BLOCKING`."""
    if sys.platform != "win32":
        os.set_blocking(descriptor, True)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Bytes of a file from a place on; where it was before, it stays if the system can read so."""
    if sys.platform != "win32" and hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write bytes of a file from a place on."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    os.write(descriptor, data)


def locked(descriptor: int, *, shared: bool = False) -> bool | None:
    """Whether a file could be locked, until it is closed; None: this system has no such locks."""
    if sys.platform == "win32" or not _UNIX_MODULES:
        return None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def copied_above(descriptor: int, number: int) -> int:
    """A copy of a descriptor that has this number or a higher one, as far as the limit of descriptors lets.

    Raises:
        OSError: all those are taken.
        ValueError: there is none.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    above = min(number, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 1)
    return int(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above))


# Processes, as far as hard limits go: nothing of this is called where there are none.


def fork() -> int:
    """Fork this process: 0 in the new one, its number in this one."""
    if sys.platform == "win32":
        raise NotImplementedError
    return os.fork()


def lead_session() -> None:
    """Have this process lead a session, and so a process group, of its own."""
    if sys.platform == "win32":
        raise NotImplementedError
    os.setsid()


def lead_group() -> None:
    """Have this process lead a process group of its own."""
    if sys.platform == "win32":
        raise NotImplementedError
    os.setpgid(0, 0)


def kill_group(leader: int) -> None:
    """Kill all processes of a group, as far as there are groups."""
    if sys.platform != "win32" and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def child_has_ended() -> bool:
    """Whether a child has ended, which is collected then.

    Raises:
        ChildProcessError: there is no child.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    return os.waitpid(-1, os.WNOHANG)[0] != 0


def write_no_core_files() -> None:
    """Have this process leave no image of its memory when it crashes."""
    if sys.platform == "win32":
        raise NotImplementedError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def adopt_orphans() -> None:
    """Make this process the parent of what its children leave behind (Linux)."""
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)


def end_with_parent(*, kill: bool) -> None:
    """Have this process be killed, or asked to end, when its parent ends (Linux)."""
    if sys.platform == "win32":
        raise NotImplementedError
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL if kill else signal.SIGTERM)


# An end to work that does not look at the clock often enough.


class LateError(BaseException):
    """The deadline is past; no `Exception`, so that what catches those does not keep it."""


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Interrupt the work inside at a deadline.

    It holds in a program's main thread, as long as nobody else uses its alarm, and between two steps of Python: a
    single call of compiled code ends first. On a system without alarms nothing is interrupted.

    Args:
        deadline: `time.perf_counter` value; infinite: never.

    Raises:
        LateError: the work was interrupted.
    """

    def too_late(number: int, frame: FrameType | None) -> None:
        raise LateError

    main = threading.current_thread() is threading.main_thread()
    if ALARM is None or math.isinf(deadline) or not main or signal.getsignal(ALARM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(ALARM, too_late)
    set_alarm(max(1e-3, deadline - time.perf_counter()))
    try:
        yield
    finally:
        set_alarm(0)
        signal.signal(ALARM, signal.SIG_DFL)


# Bytes of a file that may be no file: pipes and devices are read as long as they are written to.

WRITER_PATIENCE_S = 3.0
"""How long a pipe is waited for that no program has opened for writing."""
PATIENCE_S = 10.0
"""How long a pipe whose writer says nothing is waited for."""

PIECE_BYTES = 1 << 20
LARGEST_FILE_BYTES = 64 * 1024**2
"""Bytes of the largest file that is read whole, unless its reader says otherwise; a device may have no end."""


def read_bytes(path: Path, most: int | None = None, *, largest: int = LARGEST_FILE_BYTES) -> bytes:
    """What a file holds; of a pipe (such as /dev/stdin) what is written to it until it is closed.

    Args:
        path: the file.
        most: bytes after which to stop; None: all.
        largest: bytes above which the file is refused, where `most` is None.

    Raises:
        OSError: it cannot be read, is too large, is a pipe that no program opened for writing for `WRITER_PATIENCE_S`,
            or nothing was written to it for `PATIENCE_S`.
        ValueError: the path holds a null byte.
    """
    descriptor = os.open(path, os.O_RDONLY | NOT_BLOCKING | BINARY)
    try:
        read = os.read if stat.S_ISREG(os.fstat(descriptor).st_mode) else _read_when_written
        pieces: list[bytes] = []
        size = 0
        while most is None or size < most:
            piece = read(descriptor, PIECE_BYTES if most is None else min(PIECE_BYTES, most - size))
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
            if most is None and size > largest:
                raise OSError(EFBIG, f"it is larger than the limit of {largest // 1024**2} mebibytes")
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _read_when_written(descriptor: int, size: int) -> bytes:
    """The next piece of what is written to a pipe or a device; empty: its end."""
    patience_s = min(WRITER_PATIENCE_S, PATIENCE_S)
    if not readable(descriptor, patience_s):
        # A pipe that no program has open for writing reads as ended, another one as one to be waited for.
        try:
            piece = os.read(descriptor, size)
        except BlockingIOError:
            if not readable(descriptor, PATIENCE_S - patience_s):
                raise OSError(ETIMEDOUT, f"nothing was written to it for {PATIENCE_S:g} s") from None
        else:
            if piece:
                return piece
            message = f"nothing was written to it for {patience_s:g} s, and no program has it open for writing"
            raise OSError(ETIMEDOUT, message)
    return os.read(descriptor, size)
