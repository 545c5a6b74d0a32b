"""One place where functions are compiled to machine code (numba), so that type checkers see plain functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a numeric function; the machine code is kept on disk between processes.

    Division follows numpy (no exception on zero), so that an infeasible latency is infinite.
    """
    return cast(Callable[P, R], numba.njit(cache=True, error_model="numpy")(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, for the small functions in the innermost loops."""
    return cast(Callable[P, R], numba.njit(cache=True, error_model="numpy", inline="never")(function))
