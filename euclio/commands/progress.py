"""A line on standard error where work takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def noticed(message: str, after_s: float = 3) -> Iterator[None]:
    """Say what is going on if the work inside takes longer than that."""
    timer = threading.Timer(after_s, lambda: print(f"euclio: {message}", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
