"""Clearing up after a supervisor of workers that was killed.

Linux ends the workers of a supervisor that is gone, but not the programs that they had started, such as CBC, and nobody
removes their scratch folders. A small process next to the supervisor does; it listens to a pipe that ends with it.

As a program this file is run by itself, without euclio, so that it starts at once.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from typing import Any

TERM, KILL = 15, 9
"""SIGTERM and SIGKILL, by number: this file is run without euclio, whose `core/system.py` alone names such things."""

DYING_S = 0.1
"""Seconds that processes are given to be gone, before what they write to is removed."""


class Janitor:
    """The process that clears up after this one."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def watch(self, group: int, folder: str) -> None:
        """Remember a process group and its scratch folder."""
        self._send([group, folder])

    def forget(self, group: int) -> None:
        """The group has ended and its folder is gone."""
        self._send([group])

    def close(self) -> None:
        """Let it end, as this process does."""
        assert self._popen.stdin is not None
        with suppress(OSError):
            self._popen.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(1)

    def _send(self, message: list[Any]) -> None:
        assert self._popen.stdin is not None
        with suppress(OSError, ValueError):  # without it, only what a killed supervisor leaves is left
            os.write(self._popen.stdin.fileno(), json.dumps(message).encode() + b"\n")


@cache
def janitor() -> Janitor:
    """The janitor of this process."""
    found = Janitor()
    atexit.register(found.close)
    return found


def main() -> None:
    """Listen until the supervisor is gone, then end and remove what it had not."""
    watched: dict[int, str] = {}
    above: set[str] = set()
    for line in sys.stdin.buffer:
        group, *folder = json.loads(line)
        if folder:
            watched[group] = folder[0]
            above.add(os.path.dirname(folder[0]))  # noqa: PTH120
        else:
            watched.pop(group, None)
    # A keeper ends what is below it first (`euclio.supervision.keeper`); whatever it is at, it then is ended too.
    for number in (TERM, KILL):
        for group in watched:
            with suppress(OSError):
                os.kill(-group, number)  # all of the group
        if watched:
            time.sleep(DYING_S)
    for folder in watched.values():
        shutil.rmtree(folder, ignore_errors=True)
    # The supervisor's own, in which those were; one that holds anything else is left to whoever asks for one next.
    for folder in above:
        with suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106


if __name__ == "__main__":
    main()
