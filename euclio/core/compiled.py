"""One place where functions are compiled to machine code (numba), so that type checkers see plain functions."""

from __future__ import annotations

import hashlib
import os
import re
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


PACKAGES = ("euclio", "heuristics", "formulations", "bruteforce")
IMPORTED = re.compile(rb"^from ((?:%s)[\w.]*) import" % "|".join(PACKAGES).encode(), re.MULTILINE)

BOUNDS_CHECKED = bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]
"""Whether an index behind the end of an array raises an `IndexError` (NUMBA_BOUNDSCHECK=1); otherwise nobody looks."""


def _sources_hash() -> str:
    """Hash of all sources with compiled functions, and of what they import, whose constants are compiled into them.

    Numba notices when a function's own file changes, not when a function that it calls does; so machine code is
    kept apart per state of all of them.
    """
    root = Path(__file__).parents[2]
    compiled_ones = {
        path: text
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
        if b"@compiled" in (text := path.read_bytes())
    }
    names = {name.decode() for text in compiled_ones.values() for name in IMPORTED.findall(text)}
    imported = {root / (name.replace(".", "/") + ".py") for name in names}
    texts = {path: path.read_bytes() for path in imported if path.is_file()} | compiled_ones
    digest = hashlib.sha256()
    for path in sorted(texts):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + texts[path])
    return digest.hexdigest()[:16]


def _cache_folder() -> Path:
    """Where machine code is kept: numba does not tell code that checks bounds from code that does not."""
    given, base = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    own = Path(base) if base else Path.home() / ".cache"
    folder = Path(given) if given else own / "euclio" / _sources_hash()
    return folder / "bounds-checked" if BOUNDS_CHECKED else folder


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
