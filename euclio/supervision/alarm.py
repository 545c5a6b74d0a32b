"""An end to work that does not look at the clock often enough."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class LateError(BaseException):
    """The deadline is past; no `Exception`, so that what catches those does not keep it."""


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Interrupt the work inside at a deadline.

    It holds in a program's main thread, as long as nobody else uses its alarm, and between two steps of Python: a
    single call of compiled code ends first.

    Args:
        deadline: `time.perf_counter` value; infinite: never.

    Raises:
        LateError: the work was interrupted.
    """

    def too_late(number: int, frame: FrameType | None) -> None:
        raise LateError

    main = threading.current_thread() is threading.main_thread()
    if math.isinf(deadline) or not main or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, max(1e-3, deadline - time.perf_counter()))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
