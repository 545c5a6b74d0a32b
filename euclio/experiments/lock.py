"""One runner per result folder: a lock that ends with its process, in a file that says how far the runner is.

On a system whose files cannot be locked, what the file says is the lock: it counts as long as the process that it names
is there.
"""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from euclio.core.errors import InputError
from euclio.core.system import BINARY, locked, read_at, write_at
from euclio.experiments.durable import written

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
        self._facts = {"process": os.getpid(), "host": platform.node(), "started": psutil.Process().create_time()}

    def __enter__(self) -> RunnerLock:
        with written(self.path):
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
        until = time.monotonic() + PATIENCE_S
        while not _is_free(self._file, locked(self._file)):
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
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        os.close(self._file)

    def publish(self, **facts: float | None) -> None:
        """Say how far the runner is, for `runner_at`; what cannot be written is left unsaid."""
        with suppress(OSError):
            write_at(self._file, json.dumps(self._facts | facts).encode().ljust(_WIDTH), 0)


def runner_at(path: Path) -> dict[str, Any] | None:
    """What the runner at work says by a lock file; None: there is none."""
    try:
        file = os.open(path, os.O_RDONLY | BINARY)
    except OSError:
        return None
    try:
        return None if _is_free(file, locked(file, shared=True)) else _facts(file)
    finally:
        os.close(file)


def _is_free(file: int, taken: bool | None) -> bool:
    """Whether no other runner has the file, by its lock or, where there are none (None), by what the file says."""
    if taken is not None:
        return taken
    facts = _facts(file)
    process, started = facts.get("process"), facts.get("started")
    if not isinstance(process, int) or facts.get("host") != platform.node():
        return True
    try:
        return psutil.Process(process).create_time() != started  # else the number is another process's by now
    except (psutil.Error, ValueError, OverflowError):
        return True


def _facts(file: int) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        facts = json.loads(read_at(file, _WIDTH, 0))
        if isinstance(facts, dict):
            return facts
    return {}
