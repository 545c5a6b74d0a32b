"""What a solver may not leave behind in its process: a picture of it before and after, and the difference in words."""

from __future__ import annotations

import locale
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

import psutil


def surroundings() -> dict[str, Any]:
    """The state that a run has to leave as it was, by name."""
    state: dict[str, Any] = {
        "the current folder": Path.cwd(),
        "the file mode mask": _mask(),
        "environment variables": dict(os.environ),
        "the locale": locale.setlocale(locale.LC_ALL),
        "signal handlers": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "an alarm": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "the state of random": random.getstate(),
        "child processes": sorted(child.pid for child in psutil.Process().children(recursive=True)),
        "sys.stdout and sys.stderr": (id(sys.stdout), id(sys.stderr)),
        "the search path of modules": list(sys.path),
        "the recursion limit": sys.getrecursionlimit(),
    }
    if "numpy" in sys.modules:
        state |= _numpy_state()
    return state


def left_behind(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """What differs, in words; what only one of them has is left out."""
    return tuple(f"{name} changed" for name in before if name in after and before[name] != after[name])


def _mask() -> int:
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


def _numpy_state() -> dict[str, Any]:
    import numpy as np

    return {"the state of numpy.random": repr(np.random.get_state()), "numpy's handling of errors": np.geterr()}
