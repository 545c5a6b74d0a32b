"""Bytes of a file that may be no file: pipes and devices are read as long as they are written to."""

from __future__ import annotations

import os
import stat
from errno import EFBIG, ETIMEDOUT
from pathlib import Path

from euclio.core.system import BINARY, NOT_BLOCKING, readable

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
