"""Sources of kernels, and the way in which kernels run in this process.

The ways are: interpreted first, compiled, or always interpreted (docs/compiled-code.md).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from enum import StrEnum
from typing import Any, cast


class Source:
    """A numeric function that can be compiled; `euclio.core.compiled.Kernel` is one that can be called.

    Args:
        function: the function. Its names may stand for numbers, tuples of them, functions of numpy, other kernels, and
            modules that provide these.
        options: options of numba's compiler.
        source: module and name of the function that is compiled in its place. None means the function itself.
    """

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], source: tuple[str, str] | None = None
    ) -> None:
        functools.update_wrapper(cast(Any, self), function)
        self.name: str = function.__qualname__
        self.function = function
        self.options = options
        self.source = source

    @property
    def machine(self) -> Any:
        """Numba's dispatcher of it, which loads machine code or makes it."""
        raise NotImplementedError


VARIABLE = "EUCLIO_KERNELS"
"""Environment variable with the way that kernels run: either, compiled or interpreted."""


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
    """The way in `VARIABLE`, unless numba's own switches decide; an unknown name means the default."""
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
    """Run kernels in this way from now on; `euclio.core.compiled.use` also makes them drop their machine code."""
    _Process.way = way
