"""What solvers print: a log that keeps its newest part, so that it never fills a disk."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from euclio.core.system import BINARY, read_at
from euclio.experiments.durable import written

LONGEST_LOG_BYTES = 1 << 20


class Log:
    """A log file that worker processes write to by themselves.

    Args:
        path: the file, which is added to; None: nothing is kept.

    Attributes:
        path: the file.
        descriptor: file descriptor to write to; None: nothing is kept.

    Raises:
        UnwritableError: the file cannot be made.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.descriptor: int | None = None
        if path is not None:
            with written(path):
                self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o644)

    def trim(self) -> None:
        """Keep the newest half of a log that has grown too long."""
        if self.descriptor is None or os.fstat(self.descriptor).st_size <= LONGEST_LOG_BYTES:
            return
        size = os.fstat(self.descriptor).st_size
        kept = read_at(self.descriptor, LONGEST_LOG_BYTES // 2, size - LONGEST_LOG_BYTES // 2)
        os.ftruncate(self.descriptor, 0)
        with suppress(OSError):  # the disk may be full
            os.write(self.descriptor, kept)

    def close(self) -> None:
        """Close the file."""
        if self.descriptor is not None:
            self.trim()
            os.close(self.descriptor)
            self.descriptor = None
