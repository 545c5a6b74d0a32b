"""Bytes of a file that may be no file: pipes and devices are read as long as they are written to."""

from __future__ import annotations

import os
import select
import stat
from errno import ETIMEDOUT
from pathlib import Path

PATIENCE_S = 10.0
"""How long a pipe without a writer, or one whose writer says nothing, is waited for."""

PIECE_BYTES = 1 << 20


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """What a file holds; of a pipe (such as /dev/stdin) what is written to it until it is closed.

    Args:
        path: the file.
        most: bytes after which to stop; None: all.

    Raises:
        OSError: it cannot be read, or nothing was written to it for `PATIENCE_S`.
        ValueError: the path holds a null byte.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        pieces: list[bytes] = []
        size = 0
        while most is None or size < most:
            if not regular:
                _wait_for_data(descriptor)
            piece = os.read(descriptor, PIECE_BYTES if most is None else min(PIECE_BYTES, most - size))
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _wait_for_data(descriptor: int) -> None:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    if not waiting.poll(1000 * PATIENCE_S):
        raise OSError(ETIMEDOUT, f"nothing was written to it for {PATIENCE_S:g} s")
