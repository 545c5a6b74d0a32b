"""Calls in a process that is forked from this one, so that it knows all that this one has read, and can be killed.

A fork costs milliseconds, where a new interpreter would have to import and read everything again.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import socket
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn

import psutil

from euclio.core import background_compiler as making
from euclio.core import system
from euclio.core.code_cache import ensure_room
from euclio.core.errors import InputError, OwnSolverError
from euclio.core.folders import temporary
from euclio.core.progress import say
from euclio.core.system import soft
from euclio.supervision.channel import Channel, Dumps, GarbledError, Loads
from euclio.supervision.keeper import end_in_words, kill_all, settle

GRACE_S = 0.5
"""What a call may overrun its limit by: to notice it, to check what was found, and to hand it over."""

LOOK_EVERY_S = 0.2
"""How often it is looked at whether the process is still there; one that it has started may keep its socket open."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Preparations are over; the limit counts from here.

    Attributes:
        limit_s: seconds that the rest of the call may take; None: any.
    """

    limit_s: float | None


@dataclass(frozen=True, slots=True)
class Said:
    """What stands whatever becomes of the rest of the call."""

    value: Any


@dataclass(frozen=True, slots=True)
class _Wished:
    """Machine code that the process would be faster with (`euclio.core.background_compiler`)."""

    line: str


@dataclass(frozen=True, slots=True)
class _Returned:
    value: Any


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException
    trace: str


Report = Callable[[Begun | Said], None]
"""How a called function reports to its caller while it runs."""


class OverrunError(Exception):
    """A call was killed at a limit.

    Attributes:
        prepared: whether its preparations were over.
        wall_s: seconds since then.
    """

    def __init__(self, prepared: bool, wall_s: float) -> None:
        super().__init__("killed at its limit")
        self.prepared, self.wall_s = prepared, wall_s


class DiedError(Exception):
    """The process ended during a call (says how, after the subject)."""


class _RemoteError(Exception):
    """Where an error arose in the other process."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(slots=True)
class _ForkedCall:
    """How far a call has come."""

    deadline: float
    begun: Callable[[], None]
    began: float | None = None
    said: list[Any] = field(default_factory=list)


class ForkedProcess:
    """A process that makes calls one after the other, until one of them ends it; closing kills it.

    What it prints goes to standard error; it reads nothing from standard input. The threads of this process do not
    exist in it.

    Args:
        known: objects that calls refer to without copying them, such as large ones or those that no pickle takes.
    """

    def __init__(self, known: Sequence[object]) -> None:
        self._known = tuple(known)
        ensure_room()
        self._scratch = tempfile.TemporaryDirectory(dir=temporary(), ignore_cleanup_errors=True)
        ours, theirs = socket.socketpair()
        self._channel = Channel(ours, dumps=_dumps(self._known))
        parent = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads: see the class
            pid = system.fork()
        if pid == 0:
            _serve(theirs, parent, self._scratch.name, self._known)
        theirs.close()
        self._code: int | None = None
        self._process = psutil.Process(pid)

    def knows(self, thing: object) -> bool:
        """Whether calls may refer to an object."""
        return any(thing is known for known in self._known)

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        if self._code is None:
            with suppress(ChildProcessError):
                found = system.ended_child(self._process.pid)
                self._code = None if found is None else found[1]
        return self._code is not None

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        preparation_s: float,
        begun: Callable[[], None] = lambda: None,
        said: list[Any],
    ) -> Any:
        """What a function returns, called in the process with a `Report` and then these arguments.

        Args:
            function: a function of a module; before it says `Begun`, it is in preparation.
            arguments: what can be pickled, and what the process knows.
            preparation_s: limit of the preparation in seconds.
            begun: is called when the preparation is over.
            said: what the function has `Said` is added to it.

        Raises:
            OverrunError: a limit has passed; the process is killed.
            DiedError: the process has ended.
            BaseException: whatever the function raises.
        """
        call = _ForkedCall(time.monotonic() + preparation_s, begun, None, said)
        try:
            self._channel.post((function, arguments))
            while (done := self._step(call)) is None:
                pass
        except (EOFError, OSError):
            raise DiedError(self._how_it_ended()) from None
        except GarbledError:
            self.close()
            raise DiedError("wrote to descriptors that are not its own") from None
        if isinstance(done, _Raised):
            raise done.error from _RemoteError(done.trace)
        return done.value

    def _step(self, call: _ForkedCall) -> _Returned | _Raised | None:
        """Wait a little, take in one message, look at the limit; the end of the call if that has come."""
        left_s = call.deadline - time.monotonic()
        if left_s <= 0:
            self.close()
            raise OverrunError(call.began is not None, 0.0 if call.began is None else time.monotonic() - call.began)
        self._channel.flush()
        if not system.readable(self._channel.fileno(), min(left_s, LOOK_EVERY_S)) and self.ended:
            raise EOFError
        match self._channel.arrived():
            case (Begun(limit_s),):
                call.began = time.monotonic()
                call.begun()
                call.deadline = float("inf") if limit_s is None else call.began + limit_s + GRACE_S
            case (Said(value),):
                call.said.append(value)
            case (_Wished(line),):
                # Here, as what the forked process starts is ended with it.
                making.tell(line)
            case (_Returned() | _Raised() as done,):
                return done
        return None

    def _how_it_ended(self) -> str:
        patience = time.monotonic() + LOOK_EVERY_S
        while not self.ended and time.monotonic() < patience:
            time.sleep(0.001)
        code = self._code
        self.close()
        return "stopped answering" if code is None else end_in_words(code)

    def close(self) -> None:
        """Kill the process and all that it started."""
        if not self.ended:
            kill_all(self._process)
            with suppress(ChildProcessError):
                self._code = os.waitstatus_to_exitcode(os.waitpid(self._process.pid, 0)[1])
        self._channel.close()
        self._scratch.cleanup()


def _dumps(known: Sequence[object]) -> Dumps:
    numbers = {id(thing): number for number, thing in enumerate(known)}

    class Pickler(pickle.Pickler):
        def persistent_id(self, thing: object) -> int | None:
            return numbers.get(id(thing))

    def dumps(message: Any) -> bytes:
        stream = io.BytesIO()
        Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(message)
        return stream.getvalue()

    return dumps


def _loads(known: Sequence[object]) -> Loads:
    class Unpickler(pickle.Unpickler):
        def persistent_load(self, number: int) -> object:
            return known[number]

    return lambda data: Unpickler(io.BytesIO(data)).load()


def _serve(end: socket.socket, parent: int, scratch: str, known: Sequence[object]) -> NoReturn:
    """The forked process: makes calls until the other side is gone; whatever happens, it goes nowhere else."""
    try:
        system.lead_session()
        settle(parent)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        os.environ["TMPDIR"] = scratch
        tempfile.tempdir = None
        gc.freeze()  # what is known stays in memory that both processes share
        _make_calls(Channel.at(end.detach(), loads=_loads(known)))
    finally:
        os._exit(0)


def _make_calls(channel: Channel) -> None:
    own = os.getpid()
    making.hand_wishes_to(lambda line: channel.send(_Wished(line)))
    while True:
        try:
            function, arguments = channel.receive()
        except (EOFError, OSError, GarbledError):
            return
        done = _called(channel.send, function, arguments)
        if os.getpid() != own:  # the solver forked, and its child has come back too
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        try:
            channel.send(done)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            channel.send(_raised(error))


def _called(report: Report, function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Returned | _Raised:
    try:
        return _Returned(function(report, *arguments))
    except BaseException as error:  # a solver may raise anything, SystemExit too
        return _raised(error)


def _raised(error: BaseException) -> _Raised:
    from euclio.core.own_solver import blame

    trace = "".join(traceback.format_exception(error))
    if isinstance(error, Exception) and not isinstance(error, InputError):
        blamed = blame(error)
        if blamed:
            return _Raised(OwnSolverError(blamed), trace)
    try:
        copied = pickle.loads(pickle.dumps(error))
    except Exception:  # pickle raises whatever it likes
        copied = None
    return _Raised(copied if isinstance(copied, BaseException) else RuntimeError(_text(error)), trace)


def _text(error: BaseException) -> str:
    with suppress(Exception):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


# Calls in this process, on systems where none can be started next to it and ended from outside.
#
# Nothing is killed: a call ends when its function returns. Time limits are those that solvers keep themselves.

SOFT_LIMIT = "the time limit is the one that solvers keep themselves"


class CallsHere:
    """Makes calls as `ForkedProcess` does, but in this process: all is known here, and there is nothing to end.

    What a call prints goes to standard error.

    Args:
        known: as of `ForkedProcess`; not needed.
    """

    ended = False
    """Whether the process is gone, which it is not as long as anybody asks."""

    def __init__(self, known: Sequence[object]) -> None:
        self._warned = False

    def knows(self, thing: object) -> bool:
        """Whether calls may refer to an object."""
        return True

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        preparation_s: float,
        begun: Callable[[], None] = lambda: None,
        said: list[Any],
    ) -> Any:
        """What a function returns, called with a `Report` and then these arguments.

        Args:
            function: a function; before it says `Begun`, it is in preparation.
            arguments: what it is given.
            preparation_s: not kept here.
            begun: is called when the preparation is over.
            said: what the function has `Said` is added to it.

        Raises:
            BaseException: whatever the function raises.
        """
        with redirect_stdout(sys.stderr):

            def report(message: Begun | Said) -> None:
                if isinstance(message, Said):
                    said.append(message.value)
                    return
                begun()
                if message.limit_s is not None and not self._warned:
                    self._warned = True
                    say(soft(SOFT_LIMIT))

            return function(report, *arguments)

    def close(self) -> None:
        """Nothing is left to end."""
