"""Inside of a supervised process: it makes one call after the other, until its supervisor is gone."""

from __future__ import annotations

import gc
import io
import os
import pickle
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

from euclio.core import background_compiler as making
from euclio.core import system
from euclio.core.errors import InputError, OwnSolverError
from euclio.core.progress import mute
from euclio.supervision.channel import Channel, Dumps, GarbledError, Loads
from euclio.supervision.keeper import settle


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has started and waits for a call."""


@dataclass(frozen=True, slots=True)
class Begun:
    """The rest of the call gets a limit of its own, which counts from here; the first such ends the preparations.

    Attributes:
        limit_s: seconds that the rest of the call may take; None means no limit.
    """

    limit_s: float | None


@dataclass(frozen=True, slots=True)
class Said:
    """The part of the answer that stands even if the rest of the call fails."""

    value: Any


@dataclass(frozen=True, slots=True)
class Wished:
    """Machine code that the process would be faster with (`euclio.core.background_compiler`)."""

    line: str


@dataclass(frozen=True, slots=True)
class Returned:
    """The value that a call has returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that a call has raised, and its place."""

    error: BaseException
    trace: str


Report = Callable[[Begun | Said], None]
"""How a called function reports to its caller while it runs."""


def main() -> None:
    """A new interpreter: serve the supervisor at the other end of the descriptor in the first argument."""
    descriptor, parent, scratch, module = sys.argv[1:]
    channel = Channel.at(int(descriptor))
    settle(int(parent), scratch)
    mute()
    import_module(module)
    _make_calls(channel)


def serve_forked(end: socket.socket, parent: int, scratch: str, known: Sequence[object]) -> NoReturn:
    """A forked process: serve the supervisor at the other end; the process never leaves this function."""
    try:
        system.lead_session()
        settle(parent, scratch)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        os.environ["TMPDIR"] = scratch
        tempfile.tempdir = None
        gc.freeze()  # what is known stays in memory that both processes share
        channel = Channel.at(end.detach(), loads=_loads(known))
        making.hand_wishes_to(lambda line: channel.send(Wished(line)))
        _make_calls(channel)
    finally:
        os._exit(0)


def _make_calls(channel: Channel) -> None:
    own = os.getpid()
    channel.send(Ready())
    while True:
        try:
            function, arguments = channel.receive()
        except (EOFError, OSError, GarbledError):
            return
        done = _called(channel.send, function, arguments)
        if os.getpid() != own:  # the solver forked, and its child has come back too
            os._exit(0)
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        try:
            channel.send(done)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            channel.send(_raised(error))


def _called(report: Report, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Returned | Raised:
    try:
        return Returned(function(report, *arguments))
    except BaseException as error:  # a solver may raise anything, SystemExit too
        return _raised(error)


def _raised(error: BaseException) -> Raised:
    from euclio.core.own_solver import blame

    trace = "".join(traceback.format_exception(error))
    if isinstance(error, Exception) and not isinstance(error, InputError):
        blamed = blame(error)
        if blamed:
            return Raised(OwnSolverError(blamed), trace)
    try:
        copied = pickle.loads(pickle.dumps(error))
    except Exception:  # pickle raises exceptions of any type
        copied = None
    return Raised(copied if isinstance(copied, BaseException) else RuntimeError(_text(error)), trace)


def _text(error: BaseException) -> str:
    with suppress(Exception):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__


def dumps_knowing(known: Sequence[object]) -> Dumps:
    """Makes bytes of messages to a process that knows some objects, which messages name by their numbers alone."""
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
