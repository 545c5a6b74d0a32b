"""How kernels run in this process: interpreted first, compiled, or interpreted throughout (docs/compiled-code.md)."""

from __future__ import annotations

import os
from enum import StrEnum

VARIABLE = "EUCLIO_KERNELS"
"""Variable of the environment with the way that kernels run: either, compiled or interpreted."""


class Way(StrEnum):
    """How kernels run in this process."""

    EITHER = "either"
    """Interpreted first, then compiled as that is worth it."""
    COMPILED = "compiled"
    """Compiled at once, for runs that are timed; what is not at hand is made first."""
    INTERPRETED = "interpreted"
    """Interpreted, whatever it takes."""


def is_set(switch: str) -> bool:
    """Whether a switch of numba in the environment is on."""
    return os.environ.get(switch, "0") not in {"", "0"}


def _way_of_environment() -> Way:
    """What `VARIABLE` says; numba's own switches are heeded, and a name that is none of the three means the default."""
    if is_set("NUMBA_DISABLE_JIT"):
        return Way.INTERPRETED
    if is_set("NUMBA_BOUNDSCHECK"):
        return Way.COMPILED
    given = os.environ.get(VARIABLE, "")
    return Way(given) if given in {way.value for way in Way} else Way.EITHER


class _Process:
    """The way of this process."""

    way = _way_of_environment()


def current_way() -> Way:
    """How kernels run in this process."""
    return _Process.way


def set_way(way: Way) -> None:
    """Have kernels run in a way from now on; `euclio.core.compiled.use` also has them forget what they took."""
    _Process.way = way
