"""Features of the operating system: only this module names features that some systems lack.

Tested on Linux only. `euclio/supervision/README.md` lists the features that work elsewhere, and the soft limits there.
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
"""The features that hard limits need and this system lacks, in words; empty if it lacks none."""

HARD_LIMITS = not LACKING
"""Whether this process can start a solver's process and kill it with all processes that it started."""

ALARM: int | None = getattr(signal, "SIGALRM", None) if hasattr(signal, "setitimer") else None
"""The signal of a timer that interrupts this process; None if the system has none."""

BINARY: int = getattr(os, "O_BINARY", 0)
"""Flag for `os.open`: without it, Windows changes the bytes of files."""

NOT_BLOCKING: int = getattr(os, "O_NONBLOCK", 0)
"""Flag that opens a pipe without waiting for the other side; Windows has no pipes in its folders."""

AT_ONCE: int = getattr(socket, "MSG_DONTWAIT", 0) | getattr(socket, "MSG_NOSIGNAL", 0)
"""Flags of sending and receiving: do not wait, and a closed end is an error rather than a signal."""

NO_SIGNAL: int = getattr(socket, "MSG_NOSIGNAL", 0)
"""Flag of sending: a closed end is an error rather than a signal."""

FOLDERS_ARE_FILES = hasattr(os, "O_DIRECTORY")
"""Whether a process can open a folder, to make the names in it survive a power cut."""

_STEPS_BACK = 10
"""Niceness of a process in the background."""

_PROC = Path("/proc")
"""Folder of Linux with the states of its processes."""
_OWN_STATUS, _OWN_PAGES = (str(_PROC / "self" / name) for name in ("status", "statm"))
"""Its files about this process: fields by name, and sizes in pages."""

_END_WITH_PARENT, _ADOPT_ORPHANS = 1, 36
"""PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of Linux's prctl."""


def soft(consequence: str) -> str:
    """One line for users of a system without hard limits: the missing features and the consequence."""
    return f"limits are soft on this system, which lacks {LACKING}: {consequence}"


# This machine and this process.


def user() -> int | None:
    """Number of the user whose rights this process has; None if this system has no such numbers."""
    if sys.platform != "win32" and hasattr(os, "geteuid"):
        return os.geteuid()
    return None


def cores() -> int:
    """Cores that this process may use."""
    if sys.platform == "linux" and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_average() -> float:
    """Average number of runnable processes over the last minute; 0 where the system does not report it."""
    if sys.platform != "win32" and hasattr(os, "getloadavg"):
        return os.getloadavg()[0]
    return 0.0


def cpu_lines() -> list[str]:
    """Linux's lines about the processors, such as ``model name : …``; empty elsewhere."""
    with suppress(OSError):
        return (_PROC / "cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def cpu_name() -> str:
    """The model of the processor."""
    named = (line.split(":", 1)[1].strip() for line in cpu_lines() if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def peak_memory_bytes() -> int:
    """Peak resident memory of this process; its current one where no system call reports the peak.

    Linux's value is per program; `getrusage` would also count the process that started this one.
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
    """A field of Linux's status of this process."""
    text = _own(_OWN_STATUS)
    return int(text[text.index(field) :].split(None, 2)[1])


def _own(file: str) -> bytes:
    """The content of one of Linux's files about this process."""
    handle = os.open(file, os.O_RDONLY)
    try:
        return os.read(handle, 1 << 14)
    finally:
        os.close(handle)


def waited_s() -> float:
    """Seconds that runnable threads of this process waited for a core; 0 where the system does not report it."""
    waited = 0
    with suppress(OSError):
        for statistics in (_PROC / "self" / "task").glob("*/schedstat"):
            with suppress(OSError, ValueError, IndexError):
                waited += int(statistics.read_text(encoding="ascii").split()[1])
    return waited / 1e9


def flush_c_streams() -> None:
    """Flush the output of C code in this process, where its library is known."""
    with suppress(Exception):
        ctypes.CDLL(None).fflush(None)


# Timers.


def set_alarm(seconds: float) -> None:
    """Raise `ALARM` after some seconds; 0 cancels it."""
    if sys.platform == "win32":
        raise NotImplementedError
    signal.setitimer(signal.ITIMER_REAL, seconds)


def alarm_is_set() -> bool:
    """Whether an alarm is pending."""
    return sys.platform != "win32" and ALARM is not None and signal.getitimer(signal.ITIMER_REAL)[0] > 0


# Files, pipes and sockets.


def readable(what: int | socket.socket, limit_s: float | None = None) -> bool:
    """Wait for data or the end of the input; return whether it came within the limit (None means no limit).

    On systems that can wait for sockets only, the read itself waits for anything else.
    """
    return _ready(what, False, limit_s)


def writable(what: int | socket.socket, limit_s: float | None = None) -> bool:
    """Wait until a write is possible; return whether it was within the limit (None means no limit)."""
    return _ready(what, True, limit_s)


def _ready(what: int | socket.socket, writing: bool, limit_s: float | None) -> bool:
    if sys.platform != "win32" and hasattr(select, "poll"):
        waiting = select.poll()  # unlike select, it accepts descriptors above 1023
        waiting.register(what, select.POLLOUT if writing else select.POLLIN)
        return bool(waiting.poll(None if limit_s is None else 1000 * limit_s))
    if isinstance(what, int):
        return True
    found = select.select([] if writing else [what], [what] if writing else [], [], limit_s)
    return any(found)


def step_back() -> None:
    """Give all other processes priority from now on."""
    if sys.platform != "win32" and hasattr(os, "nice"):
        os.nice(_STEPS_BACK)


def own_session() -> bool:
    """Whether a started program can have its own session, so that Ctrl-C does not reach it."""
    return sys.platform != "win32"


def after_fork(action: Callable[[], object]) -> None:
    """Run an action in every process forked from this one, where the system can fork."""
    if sys.platform != "win32" and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def tell(descriptor: int, data: bytes) -> bool:
    """Write into a pipe at once; return False if it is full or has no reader."""
    if sys.platform != "win32" and hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, False)
    with suppress(OSError):
        return os.write(descriptor, data) == len(data)
    return False


def make_blocking(descriptor: int) -> None:
    """Let reads and writes of a pipe opened with `NOT_BLOCKING` wait for the other side."""
    if sys.platform != "win32":
        os.set_blocking(descriptor, True)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """Bytes of a file from an offset on; the file's position stays if the system can read so."""
    if sys.platform != "win32" and hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def write_at(descriptor: int, data: bytes, offset: int) -> None:
    """Write bytes of a file from an offset on."""
    os.lseek(descriptor, offset, os.SEEK_SET)
    os.write(descriptor, data)


def locked(descriptor: int, *, shared: bool = False) -> bool | None:
    """Lock a file until it is closed; return whether it worked, or None if this system has no such locks."""
    if sys.platform == "win32" or not _UNIX_MODULES:
        return None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def copied_above(descriptor: int, number: int) -> int:
    """A copy of a descriptor with this number or a higher one, within the limit of descriptors.

    Raises:
        OSError: all these numbers are taken.
        ValueError: there is none.
    """
    if sys.platform == "win32":
        raise NotImplementedError
    above = min(number, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 1)
    return int(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above))


# Processes for hard limits; systems without hard limits call none of this.


def fork() -> int:
    """Fork this process: 0 in the new one, its number in this one."""
    if sys.platform == "win32":
        raise NotImplementedError
    return os.fork()


def lead_session() -> None:
    """Make this process the leader of its own session, and so of its own process group."""
    if sys.platform == "win32":
        raise NotImplementedError
    os.setsid()


def lead_group() -> None:
    """Make this process the leader of its own process group."""
    if sys.platform == "win32":
        raise NotImplementedError
    os.setpgid(0, 0)


def kill_group(leader: int) -> None:
    """Kill all processes of a group, where the system has groups."""
    if sys.platform != "win32" and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def child_has_ended() -> bool:
    """Whether a child has ended, which is then reaped; raises a `ChildProcessError` if there is no child."""
    if sys.platform == "win32":
        raise NotImplementedError
    return os.waitpid(-1, os.WNOHANG)[0] != 0


def write_no_core_files() -> None:
    """Let this process write no core file when it crashes."""
    if sys.platform == "win32":
        raise NotImplementedError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def adopt_orphans() -> None:
    """Make this process the parent of its children's orphans (Linux)."""
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)


def end_with_parent(*, kill: bool) -> None:
    """Let the system kill this process, or ask it to end, when its parent ends (Linux)."""
    if sys.platform == "win32":
        raise NotImplementedError
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL if kill else signal.SIGTERM)


# Interrupts for work that does not check the clock often enough.


AGAIN_S, LOST_S = 0.01, 1.0
"""Seconds to the next alarm after one that interrupted nothing, and after one whose interrupt may have been lost."""
WHOLE = frozenset({"importlib", "llvmlite", "numba"})
"""Packages whose calls are not interrupted."""


class LateError(BaseException):
    """The deadline is past; not an `Exception`, so that handlers of exceptions do not catch it."""


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Interrupt the work inside at a deadline.

    It works in a program's main thread while no other code uses its alarm. It acts between two steps of Python, so a
    call of compiled code ends first, and so do imports and the making of machine code: half of either breaks every
    later use. A system without alarms interrupts nothing.

    Args:
        deadline: `time.perf_counter` value; infinite disables it.

    Raises:
        LateError: the work was interrupted.
    """
    # The frame of this context's user is below that of `contextlib`.
    outermost, over = sys._getframe(2), False

    def too_late(number: int, frame: FrameType | None) -> None:
        if over:
            return
        set_alarm(AGAIN_S)
        while frame is not None and frame is not outermost:
            if frame.f_globals.get("__name__", "").partition(".")[0] in WHOLE:
                return
            frame = frame.f_back
        # Python drops an exception that is raised in a callback of a weak reference.
        set_alarm(LOST_S)
        raise LateError

    main = threading.current_thread() is threading.main_thread()
    if ALARM is None or math.isinf(deadline) or not main or signal.getsignal(ALARM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(ALARM, too_late)
    set_alarm(max(1e-3, deadline - time.perf_counter()))
    try:
        try:
            yield
        finally:
            # An alarm may still come before this step. What it raises leaves the cleaning below to be done.
            over = True
    finally:
        set_alarm(0)
        signal.signal(ALARM, signal.SIG_DFL)


# Reading of files, pipes and devices; pipes and devices are read while a program writes to them.

WRITER_PATIENCE_S = 3.0
"""Seconds to wait for a program to open a pipe for writing."""
PATIENCE_S = 10.0
"""Seconds to wait for a pipe's silent writer."""

PIECE_BYTES = 1 << 20
LARGEST_FILE_BYTES = 64 * 1024**2
"""Bytes of the largest file that is read whole, by default; a device may have no end."""


def read_bytes(path: Path, most: int | None = None, *, largest: int = LARGEST_FILE_BYTES) -> bytes:
    """The bytes of a file, or of a pipe (such as /dev/stdin) until its writer closes it.

    Args:
        path: the file.
        most: bytes after which to stop. None reads all.
        largest: bytes above which to refuse the file, where `most` is None.

    Raises:
        OSError: it cannot be read or is too large; or it is a pipe that no program opened for writing within
            `WRITER_PATIENCE_S`, or that got no data for `PATIENCE_S`.
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
    """The next bytes of a pipe or a device; empty at its end."""
    patience_s = min(WRITER_PATIENCE_S, PATIENCE_S)
    if not readable(descriptor, patience_s):
        # A pipe without a writer reads as ended; a pipe with one reads as not ready.
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
