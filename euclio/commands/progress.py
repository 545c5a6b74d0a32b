"""A line on standard error where work takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from euclio.commands.saying import say


@contextmanager
def noticed(message: str, after_s: float = 3) -> Iterator[None]:
    """Say what is going on if the work inside takes longer than that."""
    timer = threading.Timer(after_s, say, [message])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
