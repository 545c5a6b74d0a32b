"""How long reading one file may take, and what makes it fast."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from euclio.core.errors import InputError

READING_LIMIT_S = 120.0
"""Seconds within which an instance has to be read; files of the largest size allowed take a part of it."""


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Read a file inside, within the limit, and without looking for garbage: all that is read is kept.

    The limit holds in a program's main thread, as long as nobody else uses its alarm.

    Raises:
        InputError: reading took too long; `file` is named.
    """

    def too_long(number: int, frame: FrameType | None) -> None:
        raise InputError(f"takes more than {READING_LIMIT_S:g} s to read; give a smaller one", file=file)

    alone = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    collecting = gc.isenabled()
    gc.disable()
    if alone:
        signal.signal(signal.SIGALRM, too_long)
        signal.setitimer(signal.ITIMER_REAL, READING_LIMIT_S)
    try:
        yield
    finally:
        if alone:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if collecting:
            gc.enable()
