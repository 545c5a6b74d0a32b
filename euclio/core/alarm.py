"""An end to work that does not look at the clock often enough."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from euclio.core.system import ALARM, set_alarm


class LateError(BaseException):
    """The deadline is past; no `Exception`, so that what catches those does not keep it."""


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """Interrupt the work inside at a deadline.

    It holds in a program's main thread, as long as nobody else uses its alarm, and between two steps of Python: a
    single call of compiled code ends first. On a system without alarms nothing is interrupted.

    Args:
        deadline: `time.perf_counter` value; infinite: never.

    Raises:
        LateError: the work was interrupted.
    """

    def too_late(number: int, frame: FrameType | None) -> None:
        raise LateError

    main = threading.current_thread() is threading.main_thread()
    if ALARM is None or math.isinf(deadline) or not main or signal.getsignal(ALARM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(ALARM, too_late)
    set_alarm(max(1e-3, deadline - time.perf_counter()))
    try:
        yield
    finally:
        set_alarm(0)
        signal.signal(ALARM, signal.SIG_DFL)
