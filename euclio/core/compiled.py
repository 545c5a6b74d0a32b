"""One place where functions are compiled to machine code (numba), so that type checkers see plain functions."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar, cast

from euclio.core.lazy import imported_as_missing, imported_without

with imported_as_missing("yaml"):
    # With it numba reads settings from the current folder, a folder for machine code and modules to be imported among
    # them: a folder that somebody else sent would have code run. What numba says of such a file is not meant for users.
    warnings.filterwarnings("ignore", message="A Numba config file is found")
    import numba
    import numba.extending
    from numba import objmode

with imported_without("scipy.linalg.cython_blas"):
    # Numba imports it when it makes its functions of arrays, only to know that it is there: 0.2 s of every command.
    import numba.np.arraymath

__all__ = ["INFINITY", "clock", "compiled", "compiled_on_tables", "is_past", "numba"]

INFINITY = float("inf")
P = ParamSpec("P")
R = TypeVar("R")


def _sources_hash() -> str:
    """Hash of all sources with compiled functions.

    Numba notices when a function's own file changes, not when a function that it calls does; so machine code is
    kept apart per state of all of them.
    """
    digest = hashlib.sha256()
    root = Path(__file__).parents[2]
    for package in ("euclio", "heuristics", "formulations", "bruteforce"):
        for path in sorted((root / package).rglob("*.py")):
            text = path.read_bytes()
            if b"@compiled" in text:
                digest.update(str(path.relative_to(root)).encode() + b"\0" + text)
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "euclio" / _sources_hash()


if not os.environ.get("NUMBA_CACHE_DIR"):
    numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a numeric function; the machine code is kept on disk between processes.

    Division follows numpy (no exception on zero), so that an infeasible latency is infinite.
    """
    return cast(Callable[P, R], numba.njit(cache=True, error_model="numpy")(function))


def compiled_on_tables(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a numeric function that reads and writes a tuple of many arrays, and makes none.

    Without counted references and put into its caller: each call would otherwise hand over every array with its shape
    and strides, and each use of one would count its references, which takes longer than the work itself.
    """
    options = {"cache": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
    return cast(Callable[P, R], numba.njit(**options)(function))  # type: ignore[call-overload]


@compiled
def clock() -> float:
    """Seconds on the clock that limits use."""
    with objmode(seconds="float64"):
        seconds = time.perf_counter()
    return seconds


@compiled
def is_past(deadline: float) -> bool:
    """Whether a deadline on `clock` has passed; an infinite one is not looked up."""
    return deadline < INFINITY and clock() >= deadline
