"""Messages between a supervisor and a process that runs solvers, on a pair of connected sockets.

A solver can write to every descriptor of its process, that of its messages too. So every message is a frame with a
checksum, and the supervisor never waits for the rest of one: what is no frame is found at its first bytes, what is only
the beginning of one is left alone until the supervisor's limit has passed.
"""

from __future__ import annotations

import hashlib
import pickle
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from euclio.core.system import AT_ONCE, NO_SIGNAL, copied_above, readable, writable

MAGIC = b"\xffeuclio\0"
HEADER = struct.Struct(f">{len(MAGIC)}sQ16s")
"""Magic, length of the payload in bytes, digest of the payload."""

LONGEST_MESSAGE_BYTES = 1 << 31
MOST_READ_AT_ONCE_BYTES = 1 << 24
"""What one look takes in at most, so that a flood does not keep the supervisor from its other processes."""

PATIENCE_S = 0.05
"""How long a supervisor waits for a process to take in more of a message; the rest is sent later."""

HIGH_DESCRIPTOR = 500
"""Descriptors of messages are moved up to here, where those that programs close or write to by accident seldom are."""

Dumps = Callable[[Any], bytes]
Loads = Callable[[bytes], Any]


class GarbledError(Exception):
    """What arrived is no message: something else wrote to the descriptor."""


class Channel:
    """One end of the pair.

    The supervisor uses `post`, `flush` and `arrived`, which wait for nothing; its process `send` and `receive`.

    Args:
        end: the socket.
        dumps: makes bytes of a message; default: pickle.
        loads: the inverse.

    Every method may raise an OSError or an EOFError once the other end is gone, and those that read a `GarbledError`.
    """

    def __init__(self, end: socket.socket, dumps: Dumps = pickle.dumps, loads: Loads = pickle.loads) -> None:
        self._end, self._dumps, self._loads = end, dumps, loads
        self._inbox = bytearray()
        self._outbox = bytearray()

    @classmethod
    def at(cls, descriptor: int, dumps: Dumps = pickle.dumps, loads: Loads = pickle.loads) -> Channel:
        """The end with this descriptor, moved to a high one that programs started from here do not inherit."""
        low = socket.socket(fileno=descriptor)
        with suppress(OSError, ValueError):  # all those descriptors are taken: the low one serves as well
            high = socket.socket(fileno=copied_above(descriptor, HIGH_DESCRIPTOR))
            low.close()
            return cls(high, dumps, loads)
        return cls(low, dumps, loads)

    def fileno(self) -> int:
        """The descriptor, to wait for."""
        return self._end.fileno()

    def close(self) -> None:
        """Close this end."""
        self._end.close()

    def send(self, message: Any) -> None:
        """Send a message and wait until it is on its way."""
        left = memoryview(self._frame(message))
        while left:
            try:
                left = left[self._end.send(left, NO_SIGNAL) :]
            except BlockingIOError:  # a solver has made the descriptor one that does not wait
                writable(self._end)

    def receive(self) -> Any:
        """The next message, as soon as it is there."""
        while (message := self._next()) is None:
            readable(self._end)
            self._read()
        return message[0]

    def post(self, message: Any) -> None:
        """Send a message as far as the other end takes it in now; `flush` sends the rest."""
        self._outbox += self._frame(message)
        self.flush()

    def flush(self) -> None:
        """Send more of what is posted, as long as the other end takes it in."""
        while self._outbox and writable(self._end, PATIENCE_S):
            with memoryview(self._outbox) as left:
                sent = self._end.send(left, AT_ONCE)
            del self._outbox[:sent]

    def arrived(self) -> tuple[Any] | None:
        """The next message in a tuple if all of it has arrived, else None."""
        message = self._next()
        if message is None:
            with suppress(BlockingIOError):
                self._read()
            message = self._next()
        return message

    def _frame(self, message: Any) -> bytes:
        payload = self._dumps(message)
        return HEADER.pack(MAGIC, len(payload), _digest(payload)) + payload

    def _read(self) -> None:
        """Take in what is there, up to a limit.

        Raises:
            EOFError: the other end is gone, and no whole message is left.
            BlockingIOError: there is nothing.
        """
        taken = 0
        while taken < MOST_READ_AT_ONCE_BYTES:
            try:
                data = self._end.recv(1 << 20, AT_ONCE)
            except BlockingIOError:
                if taken:
                    return
                raise
            except OSError:
                data = b""
            if not data:
                if taken:
                    return
                raise EOFError
            self._inbox += data
            taken += len(data)

    def _next(self) -> tuple[Any] | None:
        """The next message in a tuple if all of it has been read.

        Raises:
            GarbledError: what has been read is no message.
        """
        start = bytes(self._inbox[: len(MAGIC)])
        if not MAGIC.startswith(start):
            raise GarbledError
        if len(self._inbox) < HEADER.size:
            return None
        _, length, digest = HEADER.unpack_from(self._inbox)
        if length > LONGEST_MESSAGE_BYTES:
            raise GarbledError
        end = HEADER.size + length
        if len(self._inbox) < end:
            return None
        payload = bytes(self._inbox[HEADER.size : end])
        if _digest(payload) != digest:
            raise GarbledError
        del self._inbox[:end]
        return (self._loads(payload),)


def channel() -> tuple[Channel, socket.socket]:
    """A supervisor's end, and the other one, whose descriptor goes to the process."""
    ours, theirs = socket.socketpair()
    return Channel(ours), theirs


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=16).digest()
