"""One runner per result folder: a lock that ends with its process, in a file that says how far the runner is."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.runs.durable import written

PATIENCE_S = 1.0
"""Seconds for which a taken lock is tried again: whoever asks for the state of a runner holds it for a moment."""

_WIDTH = 512
"""Bytes that the facts take, so that newer ones cover older ones whole."""


class RunnerLock:
    """The lock of a result folder, held inside ``with``.

    Args:
        path: its file, in a folder that exists.

    Raises:
        InputError: another runner holds it.
        UnwritableError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._facts = {"process": os.getpid(), "host": platform.node()}

    def __enter__(self) -> RunnerLock:
        with written(self.path):
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        until = time.monotonic() + PATIENCE_S
        while not _locked(self._file, fcntl.LOCK_EX):
            if time.monotonic() > until:
                other = _facts(self._file)
                os.close(self._file)
                raise InputError(
                    f"another runner works here (process {other.get('process', '?')} on {other.get('host', '?')}); "
                    "wait until it has finished, or stop it",
                    file=str(self.path.parent),
                )
            time.sleep(0.05)
        self.publish()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def publish(self, **facts: float | None) -> None:
        """Say how far the runner is, for `runner_at`; what cannot be written is left unsaid."""
        with suppress(OSError):
            os.pwrite(self._file, json.dumps(self._facts | facts).encode().ljust(_WIDTH), 0)


def runner_at(path: Path) -> dict[str, Any] | None:
    """What the runner at work says by a lock file; None: there is none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _locked(file, fcntl.LOCK_SH) else _facts(file)
    finally:
        os.close(file)


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _facts(file: int) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        facts = json.loads(os.pread(file, _WIDTH, 0))
        if isinstance(facts, dict):
            return facts
    return {}
