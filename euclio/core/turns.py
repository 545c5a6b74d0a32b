"""One process at a time: a lock on a file, which the system gives back when its process ends (ours)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from euclio.core.own_folders import make_private
from euclio.core.system import locked

INFINITY = float("inf")


@contextmanager
def turn(lock: Path, every_s: float, at_most_s: float = INFINITY) -> Iterator[None]:
    """Wait until no other process is inside with the same file; where nothing can be locked, nobody waits.

    The file is left where it is: who removes it lets in one that opened it before and one that makes it anew.

    Args:
        lock: the file, which is made with its folder.
        every_s: seconds between two looks.
        at_most_s: seconds of waiting after which it goes on all the same, as the other process may stand still.
    """
    until = time.monotonic() + at_most_s
    with ExitStack() as held:
        with suppress(OSError):
            make_private(lock.parent)
            file = held.enter_context(lock.open("ab"))
            while locked(file.fileno()) is False and time.monotonic() < until:
                time.sleep(every_s)
        yield
