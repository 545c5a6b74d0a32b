"""A process next to this one that makes calls: watched, limited, and killed with all that it started.

It is a fork of this process, which costs milliseconds and knows all that this one has read, or a new interpreter. The
supervisor never waits for it: what it has sent of a message is taken in, and its limits (`limits.py`) are looked at.
"""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, TextIO

import psutil

from euclio.core import background_compiler as making
from euclio.core import system
from euclio.core.code_cache import ensure_room
from euclio.core.folders import temporary
from euclio.supervision.channel import Channel, Dumps, GarbledError
from euclio.supervision.keeper import Started
from euclio.supervision.limits import START_LIMIT_S, Cause, EndedError, Watch
from euclio.supervision.serving import (
    Begun,
    Raised,
    Ready,
    Report,
    Returned,
    Wished,
    dumps_knowing,
    serve_forked,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

ENDING_S = 0.3
"""How long a process that hung up is given to end by itself, so that it can be said how it ended."""


_ONE_STARTER = threading.Lock()


@cache
def _starter() -> Executor:
    """Starts new interpreters: Linux ends one with the thread that started it; this one lives as long as the process.

    Only one thread may be inside, since the thread of a second starter would end with it.
    """
    # Every solve imports this module, and forks.
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1, "euclio-starter")


class _RemoteError(Exception):
    """Where an error arose in the other process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _nothing(*_: object) -> None:
    """Nobody has to know."""


class Process(AbstractContextManager["Process"]):
    """A process that makes calls one after the other, until one of them ends it; closing kills it.

    It reads nothing from standard input, and has a folder of its own for temporary files, which ends with it.

    Args:
        start: starts it, by the socket for its messages and its folder (`forked`, `interpreter`).
        dumps: makes bytes of messages.

    Attributes:
        ready: whether it has started.
    """

    def __init__(self, start: Callable[[socket.socket, str], psutil.Process], dumps: Dumps = pickle.dumps) -> None:
        self._scratch = tempfile.TemporaryDirectory(dir=temporary(), ignore_cleanup_errors=True)
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours, dumps)
        with theirs:
            self._started = Started(start(theirs, self._scratch.name))
        self._watch = Watch(self._started.process)
        self._began: float | None = None
        self.ready = False

    @property
    def pid(self) -> int:
        """Process number, also of its group."""
        return self._started.process.pid

    @property
    def peak_memory_mb(self) -> float:
        """Most resident memory seen so far, in MiB."""
        return self._watch.peak_memory_mb

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._started.has_ended()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        limit_s: float,
        memory_mb: float = inf,
        heard: Report = _nothing,
        looked: Callable[[], None] = _nothing,
    ) -> Any:
        """Call a function in the process with a `Report` and then these arguments, and return its value.

        Args:
            function: a function of a module; before it says `Begun`, it is in preparation.
            arguments: what can be pickled, and what the process knows.
            limit_s: limit of the preparation in seconds.
            memory_mb: resident memory, in MiB, above which the process is killed.
            heard: is given what the function reports.
            looked: is called whenever the limits are looked at; the call ends with what it raises.

        Raises:
            EndedError: the process has ended, or was killed at a limit.
            BaseException: the exception that the function raises.
        """
        self._began = None
        if not self.ready:
            self._watch.allow(START_LIMIT_S, memory_mb)
            self.ready = isinstance(self._next(looked), Ready)
        self._watch.allow(limit_s, memory_mb)
        try:
            self._channel.post((function, arguments))
        except OSError:
            raise self._ended(Cause.DIED) from None
        while True:
            match self._next(looked):
                case Returned(value):
                    return value
                case Raised(error, trace):
                    raise error from _RemoteError(trace)
                case Wished(line):
                    making.tell(line)  # here, as what the process starts is ended with it
                case Begun(limit) as report:
                    self._began = self._began or time.monotonic()
                    self._watch.allow(inf if limit is None else limit)
                    heard(report)
                case report:
                    heard(report)

    def _next(self, looked: Callable[[], None]) -> Any:
        """The next message, as soon as it is there."""
        ended = False
        while True:
            try:
                self._channel.flush()
                message = self._channel.arrived()
            except (EOFError, OSError):
                raise self._ended(Cause.DIED) from None
            except GarbledError:
                raise self._ended(Cause.GARBLED) from None
            if message is not None:
                return message[0]
            cause = Cause.DIED if ended else self._watch.exceeded()
            if cause is not None:
                raise self._ended(cause)
            looked()
            # One that it has started may keep its socket open; what it still said comes first.
            ended = not system.readable(self._channel.fileno(), self._watch.patience_s) and self.ended

    def _ended(self, cause: Cause) -> EndedError:
        """End the process, if it has not ended; what is to be said of it."""
        match cause:
            case Cause.TIME:
                how = "was killed at its hard limit"
            case Cause.MEMORY:
                how = f"was killed above {self._watch.memory_limit_mb:.0f} MiB of memory"
            case Cause.GARBLED:
                how = "wrote to descriptors that are not its own"
            case Cause.DIED:
                how = self._started.how_it_ended(ENDING_S) or "stopped answering"
        began, now = self._began, time.monotonic()
        self.close()
        return EndedError(cause, how, began=began is not None, wall_s=0.0 if began is None else now - began)

    def close(self) -> None:
        """Kill the process and all that it started."""
        self._started.end()
        self._channel.close()
        self._scratch.cleanup()

    def __exit__(self, *_: object) -> None:
        self.close()


def forked(known: Sequence[object] = ()) -> Process:
    """A fork of this process; what it prints goes to standard error. Other threads of this process are not in it.

    Args:
        known: objects that calls refer to without copying them, such as large ones or those that no pickle takes.
    """
    ensure_room()

    def start(theirs: socket.socket, scratch: str) -> psutil.Process:
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: see above
            pid = system.fork()
        if pid == 0:
            serve_forked(theirs, parent, scratch, known)
        return psutil.Process(pid)

    return Process(start, dumps_knowing(known))


def interpreter(module: str, environment: Mapping[str, str], output: int, errors: int) -> Process:
    """A new interpreter, which finds the same modules as this one.

    Args:
        module: what it imports before it is ready.
        environment: variables next to those of its folders.
        output: descriptor of its standard output.
        errors: descriptor of its standard error.
    """

    def start(theirs: socket.socket, scratch: str) -> psutil.Process:
        path = os.pathsep.join(part or str(os.getcwd()) for part in sys.path)  # noqa: PTH109
        code = "from euclio.supervision.serving import main; main()"
        options: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": output,
            "stderr": errors,
            "pass_fds": (theirs.fileno(),),
            "start_new_session": True,
            "env": {**environment, "PYTHONPATH": path, "TMPDIR": scratch},
        }
        words = [sys.executable, "-P", "-u", "-c", code, str(theirs.fileno()), str(os.getpid()), scratch, module]
        return psutil.Popen(words, **options)

    with _ONE_STARTER:
        starter = _starter()
    return starter.submit(Process, start).result()


class Here:
    """Makes calls as `Process` does, but in this process, on systems where none can be ended from outside.

    Nothing is killed: a call ends when its function returns. Limits of time are those that solvers keep themselves.

    Args:
        output: takes what a call prints on standard output; None leaves it there.
    """

    ready, ended, peak_memory_mb = True, False, 0.0
    pid = os.getpid()

    def __init__(self, output: TextIO | None = None) -> None:
        self._output = output

    def call(self, function: Callable[..., Any], *arguments: Any, heard: Report = _nothing, **_: object) -> Any:
        """Call a function with a `Report` and then these arguments, and return its value; as `Process.call`."""
        with nullcontext() if self._output is None else redirect_stdout(self._output):
            return function(heard, *arguments)

    def close(self) -> None:
        """Nothing is left to end."""
