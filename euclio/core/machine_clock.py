"""The part of `euclio.core.compiled` that is compiled: the clock, which machine code asks Python for, and its hurry."""

from __future__ import annotations

import time

from euclio.core.machine_code import numba


def clock() -> float:
    """As `euclio.core.compiled.clock`, in machine code."""
    with numba.objmode(seconds="float64"):
        seconds = time.perf_counter()
    return seconds


def hurry() -> int:
    """As `euclio.core.compiled.hurry`, in machine code."""
    return 1
